// SPDX-License-Identifier: BSD-3-Clause
// Turns the schedule of a similar pattern into one for a pattern (Wu, Yeh and Liu §6, future work).
// It gives schedules that verify accepts; deterministic. Called by the experiment `similar`.
#pragma once

#include "eco/multicast/schedule.h"

namespace eco::multicast {

// A schedule for `pattern` that keeps of `before`, a schedule of the pattern `was`, who sends what
// to whom in which order. Sources and destinations may have come and gone: a message is the same if
// it has the same source, the second of a source the same as its second. What is new is sent where
// that delays nothing, or late. The ranks must be the same; throws Error{bad_input} where they are
// not. O(tasks log tasks) and, per task, the number of ranks that wait for something new.
Schedule replan(const Pattern& pattern, const Pattern& was, const Schedule& before);

}  // namespace eco::multicast
