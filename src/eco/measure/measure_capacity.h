// SPDX-License-Identifier: BSD-3-Clause
// The step between pairwise times and the model: what hosts share that single messages do not
// show, as two racks share the cable between them (survey/find_capacity.h). Called by measure.h.
#pragma once

#include <string>
#include <vector>

#include "eco/measure/measure_model.h"
#include "eco/measure/worker_pool.h"
#include "eco/topology/profile.h"

namespace eco {

// What it takes, about; without levels as if all hosts were in one subnet.
Seconds capacity_time(const Profile& profile);

struct FoundCapacity {
    std::vector<Medium> media;  // clusters that were found, with their uplinks alone
    bool complete = true;       // else there was no time for some
    int rounds = 0;
};

// Rank 0's part. profile: with times, levels and ring, whose clusters become finer. Subnets of four
// hosts or more are searched, all at once. heard: per host what its NICs carry while ECO is silent,
// B/s: a port has room for that as well. leader: per host the rank that measures. 20 to 30 rounds
// of 0.15 to 0.6 s up to some 64 hosts, 60 where clusters nest, 100 of 256 hosts. most: seconds,
// after which no round begins. Throws MpiError.
FoundCapacity measure_capacity(Profile& profile, const std::vector<NicBytes>& heard,
                               const std::vector<int>& leader, const WorkerPool& workers,
                               Seconds most, const Show& show);

}  // namespace eco
