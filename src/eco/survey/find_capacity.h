// SPDX-License-Identifier: BSD-3-Clause
// Finds which hosts share the capacity of what leads out of their rack (and which racks share that
// of their pod), though messages that are alone are equally quick everywhere: sends streams along
// permutations, random ones mostly, one a host, all at once, clusters by their rates
// (capacity_clusters.h), draws the next rounds by what is known then, and tests the result with
// streams of its own. Pure: says which streams to send, and is told their rates. Called by measure/
// and in simulation.
#pragma once

#include <optional>
#include <random>
#include <vector>

#include "eco/survey/capacity_clusters.h"
#include "eco/survey/placing.h"
#include "eco/survey/uplink_rates.h"
#include "eco/survey/vertex_flows.h"
#include "eco/topology/media.h"

namespace eco {

// Of so few vertices each split into two and two is seen in the first rounds, and then that again.
inline constexpr std::size_t few_vertices = 4;
inline constexpr int splits = 3;

// Rounds of one search. Several searches may run beside each other where their hosts' streams do
// not share anything.
class CapacitySearch {
public:
    // vertices: each a list of hosts, of which as many send as the other end has hosts; fewer than
    // four tell nothing. most_rounds: of those that cluster; seven to 19 more test the result, and
    // up to twice those out and in that carried less than others.
    CapacitySearch(std::vector<std::vector<int>> vertices, int most_rounds, unsigned seed);
    // Tests clusters that are known, only. cluster: per vertex, numbered from 0; seen: of all
    // streams that led to them.
    CapacitySearch(std::vector<std::vector<int>> vertices, std::vector<int> cluster,
                   std::vector<StreamRate> seen, unsigned seed);

    bool is_done() const { return stage_ == Stage::done; }
    // Whether the next round tests the result, which its rates become a part of: they are to be
    // exact, not only to tell fast from slow.
    bool is_testing() const { return stage_ != Stage::random && stage_ != Stage::done; }
    // Streams of the next round, to be sent all at once, each as fast as it can; a host sends one
    // and receives one at most. And bytes/s that arrived, in the same order.
    std::vector<Flow> next();
    void take(const std::vector<double>& rates);

    const Capacity& result() const { return result_; }
    const std::vector<StreamRate>& seen() const { return seen_; }

private:
    enum class Stage { random, test_inside, test_across, place, done };
    using Edge = std::pair<int, int>;  // of vertices

    std::vector<int> shuffled(int count);
    std::vector<Edge> inside(const std::vector<int>& members);
    std::vector<Edge> near_and_far(const std::vector<int>& members);
    std::vector<Edge> across(const std::vector<int>& members);
    std::vector<Edge> inside_cluster(const std::vector<int>& members);
    std::vector<Edge> draw();
    std::vector<Edge> mixed();
    std::vector<Edge> out_and_in(std::vector<int> part, const std::vector<int>& members);
    void consider();
    void begin_tests();
    bool are_confirmed() const;
    void repeat();
    void compare();
    void take_placed(const std::vector<StreamRate>& round);
    void judge();

    std::vector<std::vector<int>> vertices_;
    int most_rounds_;
    std::mt19937 random_;
    Stage stage_ = Stage::random;
    int rounds_ = 0, unchanged_ = 0, tests_ = 0;  // rounds_: random ones
    int in_vain_ = 0;               // looks, one after the other, at clusters that explain nothing
    VertexFlows flows_;             // of the round that runs
    std::vector<StreamRate> seen_;  // of all rounds that cluster, or test inside
    StreamRounds drawn_;            // that cluster
    StreamRounds inside_;           // that test
    std::optional<UplinkTest> across_;
    std::optional<Placing> placing_;
    UplinkRates rates_;      // of the test
    bool placed_ = false;    // vertices were, so that the clusters stay as they are
    bool repeated_ = false;  // the search was, as a cluster was not confirmed
    CapacityClusters clusters_;
    Capacity result_;
};

}  // namespace eco
