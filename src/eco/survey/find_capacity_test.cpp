// SPDX-License-Identifier: BSD-3-Clause
#include "eco/survey/find_capacity.h"

#include <gtest/gtest.h>

#include <numeric>

#include "eco/base/at.h"
#include "eco/survey/drawn_racks.h"
#include "eco/survey/hosts_by_subnet.h"

namespace eco {

namespace {

std::vector<std::vector<int>> single(int hosts) {
    std::vector<std::vector<int>> found;
    for (int host = 0; host < hosts; ++host) found.push_back({host});
    return found;
}

Capacity searched(const StreamNetwork& network, unsigned seed,
                  std::vector<std::vector<int>> vertices, int most_rounds = 64) {
    SimulatedStreams prober(network, seed);
    CapacitySearch search(std::move(vertices), most_rounds, seed);
    while (!search.is_done()) search.take(prober.rates(search.next()));
    return search.result();
}

int exact(const StreamNetwork& network, int of) {
    int found = 0;
    for (int seed = 0; seed < of; ++seed)
        if (searched(network, static_cast<unsigned>(seed),
                     single(static_cast<int>(network.port.size())))
                .cluster == racks(network))
            ++found;
    return found;
}

// That has found nothing.
bool one(const Capacity& found) {
    return found.out.empty() && found.cluster == std::vector<int>(found.cluster.size(), 0);
}

}  // namespace

TEST(FindCapacity, RacksWhoseUplinksAreShort) {
    EXPECT_EQ(exact(racks_of({4, 4}, 4), 10), 10);
    EXPECT_GE(exact(racks_of({8, 8, 8, 8}, 2.7), 4), 4);
}

// Clusters that are known are tested, with whatever led to them.
TEST(FindCapacity, WhatClustersCarryThatAreKnown) {
    StreamNetwork network = racks_of({4, 4, 4}, 2);
    network.disturbed = 0;
    SimulatedStreams prober(network, 1);
    CapacitySearch search(single(12), racks(network), {}, 1);
    while (!search.is_done()) {
        EXPECT_TRUE(search.is_testing());
        search.take(prober.rates(search.next()));
    }
    EXPECT_EQ(search.result().cluster, racks(network));
    for (int rack = 0; rack < 3; ++rack) EXPECT_NEAR(search.result().out[at(rack)], 2, 0.2) << rack;
}

TEST(FindCapacity, NothingWhereNothingIsShared) {
    StreamNetwork network = racks_of({16}, 1);
    network.uplinks.clear();
    for (const double disturbed : {0.0, 0.1, 0.3})
        for (unsigned seed = 0; seed < 20; ++seed) {
            network.disturbed = disturbed;
            EXPECT_TRUE(one(searched(network, seed, single(16)))) << disturbed << " " << seed;
        }
}

TEST(FindCapacity, PodsOfRacks) {
    StreamNetwork network = racks_of({4, 4, 4, 4, 4, 4, 4, 4}, 2);
    std::vector<std::vector<int>> vertices;
    for (const DrawnUplink& uplink : network.uplinks) vertices.push_back(uplink.hosts);
    for (int pod = 0; pod < 2; ++pod) {
        DrawnUplink wider{{}, 2, 2};
        for (int host = 0; host < 16; ++host) wider.hosts.push_back(16 * pod + host);
        network.uplinks.push_back(wider);
    }
    int right = 0;
    for (unsigned seed = 0; seed < 10; ++seed)
        right +=
            searched(network, seed, vertices).cluster == std::vector<int>{0, 0, 0, 0, 1, 1, 1, 1};
    EXPECT_GE(right, 9);
}

TEST(HostsBySubnet, InTheOrderOfTheirIds) {
    EXPECT_EQ(hosts_by_subnet({0, 0, 1, 2, 2}),
              (std::map<int, std::vector<int>>{{0, {0, 1}}, {1, {2}}, {2, {3, 4}}}));
}

TEST(FindCapacity, OfThreeNothingCanBeSaid) {
    EXPECT_TRUE(CapacitySearch(single(3), 32, 1).is_done());
}

}  // namespace eco
