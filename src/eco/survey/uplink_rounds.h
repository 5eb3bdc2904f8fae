// SPDX-License-Identifier: BSD-3-Clause
// Draws rounds of streams that test what leads out of clusters and into them: all vertices of few
// clusters send out of these while those of few others receive, and all others are the other ends,
// so that what was tested is full and nothing else is. Pure; called by find_capacity.h.
#pragma once

#include <random>
#include <vector>

#include "eco/survey/capacity_clusters.h"

namespace eco {

struct UplinkRound {
    std::vector<StreamRate> streams;  // rates: 0 until they are known
    std::vector<int> out, in;         // clusters that it tests: all their vertices send, or receive
};

// So many rounds test each cluster of two vertices or more both ways.
int count_uplink_rounds(const std::vector<int>& cluster);

// Whether the rounds so far, of which the last has its rates, are enough: all of them, or half of
// them if these tested each of four clusters or more both ways and all carried alike.
bool are_enough(const std::vector<int>& cluster, const std::vector<UplinkRound>& rounds);

// number: from 0; from count_uplink_rounds on they repeat, with other ends. cluster: per vertex,
// numbered from 0.
UplinkRound uplink_round(const std::vector<int>& cluster, int number, std::mt19937& random);

// Streams from each vertex of some groups to one of others, as far as there are enough of both; as
// many of each group, in relation to its size.
std::vector<StreamRate> streams_between(const std::vector<std::vector<int>>& from,
                                        const std::vector<std::vector<int>>& to,
                                        std::mt19937& random);

}  // namespace eco
