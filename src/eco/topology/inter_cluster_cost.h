// SPDX-License-Identifier: BSD-3-Clause
// The overhead, latency and time per byte of a message between the parts of a cluster. These are
// few numbers, so every rank of a running program has them (find_inter_cluster_costs.h).
#pragma once

#include "eco/topology/model.h"

namespace eco {

// Of a message between hosts of different parts of a cluster; its parts are the clusters of the
// next finer level, of the finest level single hosts. Medians over the nearest hosts of its parts.
struct InterClusterCost {
    int level = -1, cluster = 0;  // of Profile::levels; -1: all hosts
    Cost busy;                    // until its sender's link can take another one
    Cost whole;                   // until its receiver has it
    bool operator==(const InterClusterCost&) const = default;
};

}  // namespace eco
