// SPDX-License-Identifier: BSD-3-Clause
// The second half of measuring, after the pairwise times and the levels found in them: the
// overheads of hosts, and the media that clusters of hosts share (docs/formats.md, model).
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "eco/measure/worker_pool.h"
#include "eco/survey/notes.h"
#include "eco/survey/timings.h"
#include "eco/topology/profile.h"
#include "eco/transport/nic_counters.h"

namespace eco {

// Called with the share done, 0 to 1, and what is done now.
using Show = std::function<void(double, const std::string&)>;

// What it takes, about; without levels as if there were two subnets.
Seconds model_time(const Profile& profile);

// Rank 0's part. profile: with times and levels, of two hosts or more; known: an earlier profile
// whose hosts are the first of these, taken over where its model says enough; uplinks: of clusters
// that were found by them (measure_capacity.h); heard: per host what its NICs carry while ECO is
// silent, B/s; leader: per host the rank that measures. About 0.2 s per host and 0.6 s per cluster
// on slow networks, more over long distances. Throws MpiError.
Model measure_model(const Profile& profile, const std::optional<Profile>& known,
                    const std::vector<Medium>& uplinks, const std::vector<NicBytes>& heard,
                    const std::vector<int>& leader, const WorkerPool& workers, const Show& show);

// Links over which messages flow much faster one way than the other; the slower way's sender first.
struct OddLinks {
    std::vector<Odd> odd;
    int subnets_not_tried = 0;  // for which there was no time
};

// Rank 0's part: looks for them between subnets, and on pairs inside subnets where long messages
// take longer than elsewhere (both_ways.h says in which order). About 0.3 s each and 15 s in all,
// or `most`. Throws MpiError.
OddLinks find_odd_links(const Profile& profile, const std::vector<int>& leader,
                        const WorkerPool& workers, const std::vector<HostPair>& inside,
                        Seconds most, const Show& show);

}  // namespace eco
