// SPDX-License-Identifier: BSD-3-Clause
// Decides between the library and ECO from the library's time and ECO's predicted time, given the
// known error of predictions (prediction_error.h); and computes the benefit of timing both. Pure.
// Called by `eco measure`'s second half (measure/within_budget.h).
#pragma once

#include <vector>

#include "eco/base/units.h"
#include "eco/simulate/prediction_error.h"

namespace eco {

// ECO must be so many times faster to be taken, as in timing.
inline constexpr double least_gain = 1.05;

// What is known of one operation at one size.
struct Evidence {
    Seconds native = 0;  // the library's time: of few runs, the least
    double native_uncertainty =
        1;                  // it may be so many times less: where it was not timed at this size
    Seconds predicted = 0;  // ECO's best by simulation; 0: none
    bool unseen = false;    // there are schedules whose gain simulation does not see
};

enum class Verdict {
    eco,     // wins even if the prediction errs by its margin
    native,  // wins even then, or nothing is known
    unsure,  // timing would tell; until then the library runs
};

struct Opinion {
    Verdict verdict = Verdict::native;
    double gain = 0;  // the library's time over ECO's, the prediction's bias corrected
    double benefit =
        0;  // of timing both: the mean gain it adds to what the verdict has, as a
            // logarithm; by functions of the C library, which may round differently on other hosts
};

// If the error is not known, nothing is certain and the benefit is a guess.
Opinion decide(const Evidence& evidence, const PredictionError& error);

// Whether ECO was faster in runs beside the library, round by round, by more than chance explains:
// the mean of the ratios' logarithms is 1.5 times its standard error or more. Both alike in number,
// one or more.
bool surely_faster(const std::vector<Seconds>& native, const std::vector<Seconds>& eco);

}  // namespace eco
