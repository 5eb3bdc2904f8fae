// SPDX-License-Identifier: BSD-3-Clause
// A planner beyond the paper: turns a pattern into a schedule. Deterministic. Called for
// ECO_Multicast and neighbourhood collectives (simulate/multicast_plan.cpp).
#pragma once

#include "eco/multicast/schedule.h"

namespace eco::multicast {

// The best of work racing, preemptive, and of a few plays forward in time that weigh differently
// whom to serve first and how long a rank may put off its receives (docs/algorithms.md); never
// worse than the former. Two to five times its cost.
Schedule best(const Pattern& pattern);

}  // namespace eco::multicast
