// SPDX-License-Identifier: BSD-3-Clause
// Times candidates and the library in turn: which is the best, and whether it wins by more than the
// noise. Called by tune.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "eco/measure/bench.h"
#include "eco/measure/forecaster.h"

namespace eco {

// What is as good as native in the median, give or take little: native's best quarter of runs
// counts, since some native collectives have two states, and neither may be lost against.
inline constexpr double good_runs = 1.03;

// Choices for calls shorter than this must win again once the others are timed: such calls vary
// most, and while a machine is busy for a moment any of them looks better than the library. Longer
// ones need no warm-up: what only the first call does is lost in them.
inline constexpr Seconds short_call = 0.03;

struct Timed {
    Choice best;
    bool wins = false;
    Seconds native = 0, eco = 0;
    double noise = 0;
    std::map<std::string, double> ratios;  // of every candidate, to native
};

// patterns: native, and what may take its place.
void judge(Timed& timed, const std::vector<Sampled>& patterns);

// MPI libraries change their algorithms at powers of two, which the usual sizes are. Just below a
// size: by one part of so many.
inline constexpr Bytes just_below = 64;

// What is timed beside native: all candidates, or of those that can be simulated the best.
std::vector<Choice> field(const Request& request, Bytes bytes, const Forecast* forecast);

// Native and these choices, ready to be timed in turns; calls that do not block with work beside
// them that is as long as a call of the library alone. budget: for finding that out. Collective.
std::vector<Sampled> beside_native(Trial& trial, const std::vector<Choice>& choices, Start& start,
                                   Seconds budget);

// In three stages, each with what is left of the field: those that lose clearly after a few rounds,
// and later all but the best, make room for more rounds of the others. warm_up: false for calls so
// long that their noise is small, and few rounds enough. budget: for all of it. Collective.
Timed time_candidates(Trial& trial, const std::vector<Choice>& choices, Start& start,
                      Seconds budget, bool warm_up);

}  // namespace eco
