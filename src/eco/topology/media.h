// SPDX-License-Identifier: BSD-3-Clause
// Which flows to run together to find what a cluster's hosts share, and what their rates show.
// Times of single pairs cannot distinguish bus and switch, nor show a shared uplink
// (docs/formats.md, media). Called by the probe; pure, so that it is tested without a network.
#pragma once

#include <algorithm>
#include <iterator>
#include <set>
#include <vector>

#include "eco/base/at.h"
#include "eco/topology/model.h"

namespace eco {

// The hosts of a cluster of a level, ascending.
std::vector<int> hosts_in(const std::vector<int>& level, int cluster);

// Whether two clusters, each of a level of its own, have the same hosts. Levels may differ in
// length: hosts that are found later follow.
bool same_hosts(const std::vector<int>& level, int cluster, const std::vector<int>& other_level,
                int other_cluster);

// What is known of clusters of `old`, numbered again: that of those clusters of `levels` that have
// the same hosts. What is of all hosts (level -1) stays.
template <typename OfCluster>  // has a level and a cluster
std::vector<OfCluster> carried_over(const std::vector<OfCluster>& known, const Levels& old,
                                    const Levels& levels) {
    std::vector<OfCluster> found;
    std::copy_if(known.begin(), known.end(), std::back_inserter(found),
                 [](const OfCluster& each) { return each.level < 0; });
    for (std::size_t l = 0; l < levels.size(); ++l) {
        const std::set<int> clusters(levels[l].begin(), levels[l].end());
        for (const int cluster : clusters) {
            const auto same = std::find_if(known.begin(), known.end(), [&](const auto& each) {
                return each.level >= 0 &&
                       same_hosts(levels[l], cluster, old[at(each.level)], each.cluster);
            });
            if (same == known.end()) continue;
            found.push_back(*same);
            found.back().level = static_cast<int>(l);
            found.back().cluster = cluster;
        }
    }
    return found;
}

// Bytes that go from one host to another as fast as they can.
struct Flow {
    int from, to;
};

// At once; more tell little more and load the hosts themselves.
inline constexpr std::size_t most_flows = 4;

// A cycle through hosts of the cluster, one of each of its parts at the next finer level: every
// host sends and receives, so that a switch carries as many times as much as a bus as there are
// flows; with two hosts both directions. The first flow is the fastest by per_byte (seconds per
// byte, as in Model). Empty if the cluster has one host, or one part only.
std::vector<Flow> flows_inside(const Levels& levels, int level, int cluster, const Table& per_byte);

// From several hosts of the cluster to as many outside, in different clusters of its level where
// there are several that are near alike in rate: what else they share should not hide the uplink.
// The fastest first; fewer than two where nothing can be told.
std::vector<Flow> flows_out(const Levels& levels, int level, int cluster, const Table& per_byte);

// Bytes/s of all flows at once if they shared nothing but the media known by now: each its own rate
// alone, that is `alone` for the first and less by per_byte for others; shared fairly on buses and
// uplinks.
double expected_total(const std::vector<Flow>& flows, double alone, const Table& per_byte,
                      const Levels& levels, const std::vector<Medium>& known);

// B/s, payload: the first flow alone, all at once as measured, and as expected_total says.
struct Observed {
    double alone, together, expected;
};

// All at once carry no more than about one. False where that cannot be told from the finer media.
bool is_bus(const Observed& seen);

// Whether flows at once can tell anything beyond the media known.
bool could_tell(const Observed& seen);

// B/s that they carry, where that is clearly less than expected; else, and where nothing can be
// told, 0, as in Medium.
double shared_uplink(const Observed& seen);

// Whether `together` is far from where the answer changes, so that no other sample is needed.
bool clearly_bus_or_not(const Observed& seen);
bool clearly_shared_or_not(const Observed& seen);

}  // namespace eco
