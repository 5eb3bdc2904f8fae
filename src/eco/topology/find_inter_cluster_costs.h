// SPDX-License-Identifier: BSD-3-Clause
// Turns a profile's model into inter-cluster costs. Pure. Called by runtime.h and by
// build_hierarchy.h.
#pragma once

#include <vector>

#include "eco/topology/inter_cluster_cost.h"
#include "eco/topology/profile.h"

namespace eco {

// Of all clusters of two parts or more, wider ones first. Those of a runtime part are there
// already; none if neither a model nor times are known. O(levels · hosts²).
std::vector<InterClusterCost> find_inter_cluster_costs(const Profile& profile);

}  // namespace eco
