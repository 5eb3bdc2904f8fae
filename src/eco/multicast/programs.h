// SPDX-License-Identifier: BSD-3-Clause
// Turns hops of multicasts into programs that run (run/execution.h) and simulate. Block b is
// message b; a source has its own messages in its input, all other ranks have theirs in the output,
// from which they forward them. Checked by schedule/verify.h as all programs are.
#pragma once

#include "eco/multicast/hop_order.h"
#include "eco/schedule/program.h"

namespace eco::multicast {

// One per rank. pace: a send waits until of all that should have arrived by then at most pace - 1
// are missing; 0: it waits for nothing but what it sends. (That earlier sends have ended would say
// nothing: short ones end at once.) No deadlock whatever the pace: each task waits only for what
// comes earlier in the list.
std::vector<Program> programs(int ranks, const std::vector<Message>& messages,
                              const std::vector<Hop>& hops, int segments, int pace);

}  // namespace eco::multicast
