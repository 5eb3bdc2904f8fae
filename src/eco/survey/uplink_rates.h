// SPDX-License-Identifier: BSD-3-Clause
// What clusters of vertices carried in rounds of streams that tested them: all inside, then out of
// them and into them. From that what leads out of a cluster and into it, and which clusters may
// have parts. Pure; called by find_capacity.h.
#pragma once

#include <vector>

#include "eco/survey/uplink_rounds.h"

namespace eco {

// What was found of one set of vertices.
struct Capacity {
    std::vector<int> cluster;  // per vertex; one for all: they share nothing that can be seen
    // Per cluster: bytes/s that all its hosts together sent out of it and got from outside, where
    // that was less than they do inside; else 0.
    std::vector<double> out, in;
    // Per cluster: streams inside are slower than their ends, so that parts of it share something
    // too.
    std::vector<bool> slow_inside;
};

struct UplinkRates {
    Capacity capacity;
    // By how many standard errors streams inside are faster than those across, of all clusters
    // where they are, or of one if that is surer: nothing is found where rates only vary.
    double surest = 0;

    bool is_sure() const;
    bool is_likely() const;  // or sure
};

// cluster: per vertex, numbered from 0. seen: all streams so far, from which it is known what ends
// carry. inside, across: one round at least each.
UplinkRates uplink_rates(const std::vector<int>& cluster, const std::vector<StreamRate>& seen,
                         const StreamRounds& inside, const std::vector<UplinkRound>& across);

}  // namespace eco
