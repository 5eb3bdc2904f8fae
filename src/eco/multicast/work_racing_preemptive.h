// SPDX-License-Identifier: BSD-3-Clause
// The best of the paper's four heuristics (Wu, Yeh and Liu §4.4): turns a pattern into a schedule.
// Deterministic: if the text leaves a tie open, the earlier arrival wins, then the lower rank, then
// the shorter message. N ranks, M messages. The other three are in bench/papers/wu_engine.
#pragma once

#include "eco/multicast/schedule.h"

namespace eco::multicast {

// Work racing: the rank with the least virtual time receives next, whatever reaches it first.
// Preemptive: a send may go ahead of receives that still wait. O(M N²) and the messages that ranks
// got since their last send, which are few.
Schedule work_racing_preemptive(const Pattern& pattern);

}  // namespace eco::multicast
