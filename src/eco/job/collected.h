// SPDX-License-Identifier: BSD-3-Clause
// The result of all ranks' samples of one class of calls (call_counts.h): how long calls took, and
// how long ranks waited for late ones. Gathered by job_report.h's collective functions, read by
// rank 0.
#pragma once

#include "eco/job/call_counts.h"

namespace eco {

struct CallTimes {
    Seconds time = 0;    // the mean call, from the last rank's entry to the last rank's end
    Seconds least = 0;   // the quickest such call
    Seconds waited = 0;  // for the last rank's entry; the mean over ranks
};

CallTimes times_of(const CallClass& named);

// How long the session took to begin, from the last rank's entry to the last rank's end.
Seconds time_of_start();

}  // namespace eco
