// SPDX-License-Identifier: BSD-3-Clause
// What clusters of vertices carried in rounds of streams that tested them: all inside, then half of
// the clusters to the others. From that what leads out of a cluster and into it, and whether a
// vertex by itself is behind the same uplink. Pure; called by find_capacity.h.
#pragma once

#include <vector>

#include "eco/survey/capacity_clusters.h"

namespace eco {

using StreamRounds = std::vector<std::vector<StreamRate>>;

// What was found of one set of vertices.
struct Capacity {
    std::vector<int> cluster;  // per vertex; one for all: they share nothing that can be seen
    // Per cluster: bytes/s that all its hosts together sent out of it and got from outside, where
    // that was less than they do inside; else 0.
    std::vector<double> out, in;
};

struct UplinkRates {
    Capacity capacity;
    // By how many standard errors streams inside are faster than those across, of the cluster where
    // that is surest: nothing is found where rates only vary.
    double surest = 0;

    bool is_sure() const;
    bool is_likely() const;  // or sure
};

// cluster: per vertex, numbered from 0. inside, across: one round at least each.
UplinkRates uplink_rates(const std::vector<int>& cluster, const StreamRounds& inside,
                         const StreamRounds& across);

// A vertex that is a cluster by itself, and a vertex of the cluster that it may belong to.
struct SingleVertex {
    int vertex = 0, member = 0;
};

// Each with the cluster of two or more between which and the vertex streams were fastest; at most
// `most`.
std::vector<SingleVertex> single_vertices(const std::vector<int>& cluster,
                                          const std::vector<StreamRate>& seen, std::size_t most);

// Whether the vertex and the cluster carried no more together, out in the first of two rounds and
// in in the second, than the cluster does alone: then one full uplink is before both.
bool shares_uplink(const SingleVertex& single, const std::vector<int>& cluster,
                   const std::vector<StreamRate>& seen, const StreamRounds& across,
                   const StreamRounds& together);

}  // namespace eco
