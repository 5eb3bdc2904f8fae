// SPDX-License-Identifier: BSD-3-Clause
// Those of the paper's heuristics (Wu, Yeh and Liu §4) that ECO does not use itself: each turns a
// pattern into a schedule that verify accepts. Deterministic, and ties as in
// eco/multicast/heuristics.h. N ranks, M messages.
#pragma once

#include "eco/multicast/schedule.h"

namespace eco::multicast {

// Fastest edge first, §4.1: the cheapest edge from a rank that has a message to one that lacks it.
// O(M N²).
Schedule fastest_edge_first(const Pattern& pattern);

// Earliest completing edge first, §4.2: the delivery that would be done first. At worst O(M² N²);
// most deliveries are found from what was known before.
Schedule earliest_completing_first(const Pattern& pattern);

// Work racing, §4.3: the rank with the least virtual time receives next, whatever reaches it first.
// O(M N²): of what a sender can give a receiver the shortest message is done first, found 64
// messages at a time.
Schedule work_racing(const Pattern& pattern);

}  // namespace eco::multicast
