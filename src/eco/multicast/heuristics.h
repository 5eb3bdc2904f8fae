// SPDX-License-Identifier: BSD-3-Clause
// The paper's four heuristics (Wu, Yeh and Liu §4): each turns a pattern into a schedule that
// verify accepts. Deterministic: if the text leaves a tie open, the earlier arrival wins, then the
// lower rank, then the shorter message. N ranks, M messages.
#pragma once

#include <string>

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

// Work racing, preemptive, §4.4: a send may go ahead of receives that still wait.
// O(M N²) and the messages that ranks got since their last send, which are few.
Schedule work_racing_preemptive(const Pattern& pattern);

}  // namespace eco::multicast
