// SPDX-License-Identifier: BSD-3-Clause
// Wu's model of a real network, so that the paper's planners can plan for it: overheads and
// transfers as they were measured between hosts, no contention.
#pragma once

#include "eco/multicast/pattern.h"
#include "eco/topology/network.h"

namespace eco::multicast {

// Per rank of host_of (its index in network.hosts).
CostModel model_of(const Network& network, const std::vector<int>& host_of);

}  // namespace eco::multicast
