// SPDX-License-Identifier: BSD-3-Clause
// Planners beyond the paper: `best` plans again, `replan` from the schedule of a similar pattern
// (the paper's future work, §6). Both give schedules that verify accepts; deterministic.
#pragma once

#include "eco/multicast/schedule.h"

namespace eco::multicast {

// The best of work racing, preemptive, and of a few plays forward in time that weigh differently
// whom to serve first and how long a rank may put off its receives (docs/algorithms.md); never
// worse than the former. Two to five times its cost.
Schedule best(const Pattern& pattern);

// A schedule for `pattern` that keeps of `before`, a schedule of the pattern `was`, who sends what
// to whom in which order. Sources and destinations may have come and gone: a message is the same if
// it has the same source, the second of a source the same as its second. What is new is sent where
// that delays nothing, or late. The ranks must be the same; throws Error{bad_input} where they are
// not. O(tasks log tasks) and, per task, the number of ranks that wait for something new.
Schedule replan(const Pattern& pattern, const Pattern& was, const Schedule& before);

}  // namespace eco::multicast
