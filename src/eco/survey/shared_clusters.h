// SPDX-License-Identifier: BSD-3-Clause
// Clusters of hosts that share capacity, as a family of sets: two of them are apart, or one is a
// part of the other. Pure; called by nested_capacity.h and measure/check_uplinks.h.
#pragma once

#include <random>
#include <vector>

#include "eco/survey/capacity_clusters.h"

namespace eco {

struct SharedCluster {
    std::vector<int> hosts;
    double out = 0, in = 0;  // bytes/s, as in Capacity; 0: no less than its ports, or its parts
    int wider = -1;          // the cluster that this one is a part of; -1: none
};

using SharedClusters = std::vector<SharedCluster>;

bool has_host(const SharedCluster& cluster, int host);

// Those at these places.
std::vector<int> some_of(const std::vector<int>& hosts, const std::vector<int>& places);

// Those of which `cluster` is the next wider one; -1: those that are in no wider one.
std::vector<int> parts_of(const SharedClusters& clusters, int cluster);

// Per host of `hosts` the number of its cluster without parts, in the order of the first hosts.
std::vector<int> finest(const SharedClusters& clusters, const std::vector<int>& hosts);

// Without clusters that have parts and no rate of their own.
SharedClusters without_whole_ones(const SharedClusters& clusters);

// parts: in no wider one, instead of all clusters without parts. Of those with parts such stay as
// still are some of them.
SharedClusters with_parts(const SharedClusters& clusters, SharedClusters parts);

// hosts: all. Streams that fill what leads out of a cluster (else into it): all of its hosts send
// out of it, or receive. Of one in a wider one: half of them inside that, so that it is not full.
std::vector<StreamRate> streams_of_whole(const SharedClusters& clusters, int cluster,
                                         const std::vector<int>& hosts, bool out,
                                         std::mt19937& random);
std::vector<StreamRate> streams_of_part(const SharedClusters& clusters, int cluster,
                                        const std::vector<int>& hosts, bool out,
                                        std::mt19937& random);

}  // namespace eco
