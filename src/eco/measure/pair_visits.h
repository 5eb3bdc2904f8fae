// SPDX-License-Identifier: BSD-3-Clause
// Visits of pairs of hosts: turns pairs and message sizes into orders to their workers, and what
// these answer into samples. Used by measure_pairs on rank 0.
#pragma once

#include <vector>

#include "eco/measure/pair_samples.h"
#include "eco/measure/worker_pool.h"

namespace eco {

// Half round trips of one size, in one visit.
struct TimedPair {
    HostPair pair;
    std::size_t size;  // index of profile.sizes
    std::vector<Seconds> samples;
};

class PairVisits {
public:
    // leader: per host the rank that measures. All must outlive it.
    PairVisits(const Profile& profile, const PairSamples& samples, const std::vector<int>& leader,
               const WorkerPool& workers)
        : profile_(profile), samples_(samples), leader_(leader), workers_(workers) {}

    // Pairs of one clock (the first host of a pair) one after the other: its host has all its
    // orders, and goes on by itself. Those of several clocks at once: no host may be in two of
    // these. Throws MpiError.
    std::vector<TimedPair> of(const std::vector<HostPair>& pairs, const SizesOf& sizes_of) const;

private:
    const Profile& profile_;
    const PairSamples& samples_;
    const std::vector<int>& leader_;
    const WorkerPool& workers_;
};

// Those that follow each other and have one clock, so that one set of orders does for them.
std::vector<std::vector<HostPair>> rows_by_clock(const std::vector<HostPair>& pairs);

}  // namespace eco
