// SPDX-License-Identifier: BSD-3-Clause
// Turns a profile's model into inter-cluster costs: the overhead, latency and time per byte of a
// message between the parts of each cluster. These are few numbers, so every rank of a running
// program has them. Called by runtime.h and by hierarchy.h.
#pragma once

#include <vector>

#include "eco/topology/model.h"

namespace eco {

struct Profile;

// Of a message between hosts of different parts of a cluster; its parts are the clusters of the
// next finer level, of the finest level single hosts. Medians over the nearest hosts of its parts.
struct InterClusterCost {
    int level = -1, cluster = 0;  // of Profile::levels; -1: all hosts
    Cost busy;                    // until its sender's link can take another one
    Cost whole;                   // until its receiver has it
    bool operator==(const InterClusterCost&) const = default;
};

// Of all clusters of two parts or more, wider ones first. Those of a runtime part are there
// already; none if neither a model nor times are known. O(levels · hosts²).
std::vector<InterClusterCost> find_inter_cluster_costs(const Profile& profile);

}  // namespace eco
