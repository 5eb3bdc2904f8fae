// SPDX-License-Identifier: BSD-3-Clause
// Turns rates of streams that ran at once into clusters: vertices (hosts, or racks of them) that
// share what leads out of their cluster. Streams inside a cluster are nearly as fast as their ends;
// streams across are often held by what is shared. How fast both are is learned together with the
// clusters, because TCP shares a full link unevenly. Pure; called by find_capacity.h.
#pragma once

#include <vector>

namespace eco {

// Of what its two ends carry: a stream that nothing between them holds has so much.
inline constexpr double free_stream = 0.85;

struct StreamRate {
    int from = 0, to = 0;  // vertices, which differ
    double rate = 0;       // bytes/s
};

struct CapacityClusters {
    std::vector<int> cluster;  // per vertex; numbered by the first vertex of each
    // Per vertex another cluster of two or more that it may be in as well, by what the streams
    // between say so far; -1: its place is clear.
    std::vector<int> maybe;
    // Nats: how much better they explain the rates than one cluster of all does, less what it takes
    // to name them.
    double gain = 0;

    int count() const;
    int count_unclear() const;
};

// streams: of all rounds. O(streams · log) per step of learning, a dozen steps.
CapacityClusters cluster_by_rates(int vertices, const std::vector<StreamRate>& streams);

// The same clusters, numbered by the first vertex of each.
std::vector<int> numbered(const std::vector<int>& cluster);

// Per cluster its vertices.
std::vector<std::vector<int>> members_of(const std::vector<int>& cluster);

// Per vertex the fastest stream that it sent, and that it received.
struct EndRates {
    std::vector<double> sends, gets;

    double of(const StreamRate& stream) const;  // what both ends of it carry
};

EndRates end_rates(int vertices, const std::vector<StreamRate>& streams);

// Bytes/s of all streams together.
double total_rate(const std::vector<StreamRate>& streams);

// Of each stream its rate over what its two ends were seen to carry.
std::vector<double> over_ends(int vertices, const std::vector<StreamRate>& streams);

}  // namespace eco
