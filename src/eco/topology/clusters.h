// SPDX-License-Identifier: BSD-3-Clause
// Turns a profile's levels and the hosts of a communicator's ranks into what the multilevel paper
// (Karonis, §3, Fig. 2) gives each process: a depth, and a cluster id at each level. Level 0 is the
// widest; below the network's levels come the host, what it has inside (package, NUMA node, shared
// cache) and the rank itself, each only if it divides what is above, so depths differ between
// ranks. Called for programs that ask (eco.h).
#pragma once

#include <vector>

#include "eco/topology/binding.h"
#include "eco/topology/profile.h"

namespace eco {

// Per rank its cluster id at every level that it has. Two ranks are in one cluster of a level if
// both have the level and the ids agree; ids of a level count from 0, in the order of each
// cluster's first rank.
using Clusters = std::vector<std::vector<int>>;

// host_of: per rank its index in profile.hosts. bindings: per rank, or none.
Clusters find_clusters(const Profile& profile, const std::vector<int>& host_of,
                       const std::vector<Binding>& bindings = {});

}  // namespace eco
