// SPDX-License-Identifier: BSD-3-Clause
// Operations × sizes × patterns, interleaved: in every round each pattern runs once, the next root
// in turn. Times are the slowest rank's.
#pragma once

#include <functional>

#include "eco/measure/deadline.h"
#include "eco/measure/options.h"
#include "eco/measure/protocol.h"
#include "eco/measure/start.h"
#include "eco/measure/trial.h"

namespace eco {

struct Sampled {
    std::string pattern;  // as asked for: native…, eco, or a choice
    Choice choice;
    std::vector<Seconds> samples;
    Work work{};
    // Of calls that do not block, if not 0: a sample is the mean of what a call takes that is
    // waited for at once, and what it adds to so much work, without any call, before its wait.
    Seconds beside = 0;

    // Called as if ECO were not there; else through it, even if it leaves the call to the library.
    bool is_library_alone() const { return pattern.starts_with("native"); }
};

// How long to go on: `least` rounds in any case, `usual` rounds unless they take longer than
// `budget` seconds, `most` while they take less than `quick` seconds: the noise of short calls is
// the largest. roots_apart: those of few rounds are far apart, else they follow each other.
// limit: after the first round that counts none begins that would end later, by the longest so far.
struct Effort {
    Seconds budget, quick;
    int least, usual, most;
    bool roots_apart = false;
    Countdown* limit = nullptr;
};

// Times the patterns in turn. Roots go on where earlier rounds of the same patterns stopped.
// Returns the time it took, with common starts and rounds that do not count. Collective over
// start's communicator; the result is the same on all ranks.
Seconds interleave(Trial& trial, std::vector<Sampled>& patterns, Start& start, const Effort& effort,
                   bool warm_up = true);

// Needs a session. Rank 0 sends a result event per operation and size.
void bench(const Options& options, Progress& progress);

}  // namespace eco
