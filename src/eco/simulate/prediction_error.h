// SPDX-License-Identifier: BSD-3-Clause
// The errors of the simulator's times compared with times on one network with one library: for
// short messages, whose time is overhead of hosts and library, and for long ones, whose time is
// that of the links, which the longest keep full. Found by `eco measure` and read by what decides
// there (verdict.h).
#pragma once

#include <vector>

#include "eco/base/units.h"

namespace eco {

// The least margin of few comparisons, and what is taken where there is none.
inline constexpr double margin_of_few = 1.5;

struct PredictionError {
    double bias = 1;  // measured over predicted, the median
    // How many times that, at most, in nine cases of ten.
    double margin = margin_of_few;
    // A schedule so many times faster than the best topology-unaware baseline by prediction is as
    // fast as the library, in nine cases of ten; 0: not measured.
    double clear_gain = 0;
    int samples = 0;

    // None timed says nothing. Few say little, so that more must be gained to be sure: the margin
    // is then at least what it is on the networks where predictions are worst.
    bool known() const { return samples > 0; }
};

// By size: of a few bytes, of up to a few frames, longer, and so long that links are full for most
// of the time. What was found for one class says nothing of another.
struct PredictionErrors {
    PredictionError tiny, brief, lengthy, full;
    // Of schedules that multicast more than a few frames: hosts send and take datagrams otherwise
    // than messages.
    PredictionError multicast;
    enum class By { messages, multicasts };

    static constexpr Bytes longest_tiny = 128, longest_brief = 4096, longest_lengthy = 65536;
    const PredictionError& of(Bytes bytes, By by = By::messages) const {
        return by == By::multicasts && bytes > longest_brief ? multicast
               : bytes > longest_lengthy                     ? full
               : bytes > longest_brief                       ? lengthy
               : bytes > longest_tiny                        ? brief
                                                             : tiny;
    }
};

// Of so few comparisons the margin is at least margin_of_few: the worst 90th percentile of a
// network in docs/figures.md, with something to spare.
inline constexpr int few_comparisons = 3;

// ratios: of schedules, measured over predicted. libraries: of the library's own collectives,
// measured over the best topology-unaware baseline by prediction; may be empty. All above 0.
PredictionError error_of(std::vector<double> ratios, std::vector<double> libraries);

// What nine of ten do not exceed; of few the greatest. One or more.
double high_quantile(std::vector<double> ratios);

}  // namespace eco
