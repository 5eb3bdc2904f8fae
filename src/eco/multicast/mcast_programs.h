// SPDX-License-Identifier: BSD-3-Clause
// Several messages by IP multicast: each leaves its source once for all destinations that multicast
// reaches, and goes straight to the others. Turns a multicast problem on a measured network into
// programs that run (run/execution.h) and simulate; called where schedules are planned.
#pragma once

#include "eco/multicast/schedule.h"
#include "eco/schedule/program.h"
#include "eco/topology/network.h"

namespace eco::multicast {

// Per message the destinations that one multicast of its source reaches; empty where it reaches no
// two on other hosts.
std::vector<std::vector<Rank>> reached(const Network& network, const std::vector<int>& host_of,
                                       const std::vector<Message>& messages);

// One per rank; none if nothing would be multicast. Only one rank multicasts at a time, as two that
// do so at full rate lose each other's datagrams: each waits for the one before it, which it is a
// destination of. What has no place in such an order goes straight. reached: as above. O(M² + D)
// for M messages and D deliveries.
std::vector<Program> mcast_programs(int ranks, const std::vector<Message>& messages,
                                    const std::vector<std::vector<Rank>>& reached);

}  // namespace eco::multicast
