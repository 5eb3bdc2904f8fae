// SPDX-License-Identifier: BSD-3-Clause
// Whether the pairs of hosts between which multicasts did not arrive are the network's plan or
// accidents. Called by mcast_way.h.
#pragma once

#include <vector>

namespace eco {

// reach: row = sender, column = receiver. True unless the hosts form groups in which everybody
// reaches everybody, and nobody outside: as routers and switches without multicast divide them.
bool some_probes_were_lost(const std::vector<std::vector<bool>>& reach);

}  // namespace eco
