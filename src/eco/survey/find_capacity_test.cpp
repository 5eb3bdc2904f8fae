// SPDX-License-Identifier: BSD-3-Clause
#include "eco/survey/find_capacity.h"

#include <gtest/gtest.h>

#include <numeric>

#include "eco/base/at.h"
#include "eco/survey/hosts_by_subnet.h"
#include "eco/survey/simulated_streams.h"

namespace eco {

namespace {

std::vector<std::vector<int>> single(int hosts) {
    std::vector<std::vector<int>> found;
    for (int host = 0; host < hosts; ++host) found.push_back({host});
    return found;
}

StreamNetwork racks_of(std::vector<int> sizes, double over) {
    StreamNetwork network;
    int next = 0;
    for (const int size : sizes) {
        DrawnUplink uplink{{}, size / over, size / over};
        for (int i = 0; i < size; ++i) uplink.hosts.push_back(next++);
        network.uplinks.push_back(uplink);
    }
    network.port.assign(at(next), 1);
    return network;
}

std::vector<int> truth(const StreamNetwork& network) {
    std::vector<int> found(network.port.size(), 0);
    for (std::size_t u = 0; u < network.uplinks.size(); ++u)
        for (const int host : network.uplinks[u].hosts) found[at(host)] = static_cast<int>(u);
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
                .cluster == truth(network))
            ++found;
    return found;
}

// That has found nothing.
bool one(const Capacity& found) {
    return found.out.empty() && found.cluster == std::vector<int>(found.cluster.size(), 0);
}

}  // namespace

// As leaf-2x4, leaf-4x4 and larger ones.
TEST(FindCapacity, RacksWhoseUplinksAreShort) {
    EXPECT_EQ(exact(racks_of({4, 4}, 4), 10), 10);
    // Of eight hosts few streams cross by chance.
    EXPECT_GE(exact(racks_of({4, 4}, 2), 20), 17);
    EXPECT_GE(exact(racks_of({4, 4, 4, 4}, 2), 10), 9);
    EXPECT_GE(exact(racks_of({8, 8, 8, 8}, 2.7), 4), 4);
    EXPECT_GE(exact(racks_of({8, 8, 8, 8, 8, 8, 8, 8}, 4), 2), 2);
}

TEST(FindCapacity, UnevenRacks) {
    EXPECT_GE(exact(racks_of({4, 12, 7, 9}, 4), 10), 9);
    EXPECT_GE(exact(racks_of({3, 5}, 3), 10), 9);
    EXPECT_GE(exact(racks_of({3, 5}, 2), 20), 19);
}

// Uneven racks of 8 to 40 among 64 hosts, uplinks short by 2:1 to 8:1.
TEST(FindCapacity, RacksOfAnySize) {
    std::mt19937 random(7);
    int right = 0;
    for (unsigned seed = 0; seed < 12; ++seed) {
        std::vector<int> sizes;
        int left = 64;
        while (left > 0) {
            const int size = 8 + static_cast<int>(random() % 33);
            sizes.push_back(left - size < 8 ? left : size);
            left -= sizes.back();
        }
        StreamNetwork network = racks_of(sizes, 1);
        for (DrawnUplink& uplink : network.uplinks)
            uplink.out = uplink.in /= 2 + 6 * std::generate_canonical<double, 32>(random);
        right += searched(network, seed, single(64)).cluster == truth(network);
    }
    EXPECT_GE(right, 10);
}

TEST(FindCapacity, WhatUplinksCarryEachWay) {
    StreamNetwork network = racks_of({4, 4, 4, 4}, 2);
    network.uplinks[1].out = 1;
    network.disturbed = 0;
    for (unsigned seed = 0; seed < 10; ++seed) {
        const Capacity found = searched(network, seed, single(16));
        ASSERT_EQ(found.cluster, truth(network)) << seed;
        EXPECT_NEAR(found.out[1], 1, 0.15) << seed;
        EXPECT_NEAR(found.in[1], 2, 0.3) << seed;
        EXPECT_NEAR(found.out[2], 2, 0.3) << seed;
    }
}

TEST(FindCapacity, PortsOfRatesOfTheirOwn) {
    StreamNetwork network = racks_of({4, 4, 4}, 4);
    for (const int slow : {1, 6, 7}) network.port[at(slow)] = 0.6;
    EXPECT_GE(exact(network, 10), 9);
    network.uplinks.clear();
    for (const int slower : {2, 3, 8}) network.port[at(slower)] = 0.1;
    for (unsigned seed = 0; seed < 20; ++seed)
        EXPECT_TRUE(one(searched(network, seed, single(12)))) << seed;
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

// A bus; emulated hosts on few processors.
TEST(FindCapacity, NothingWhereAllShareOneThing) {
    for (const int hosts : {4, 5, 8, 16}) {
        StreamNetwork network = racks_of({hosts}, 1);
        network.uplinks.clear();
        network.processors = hosts / 4.0;
        for (unsigned seed = 0; seed < 10; ++seed)
            EXPECT_TRUE(one(searched(network, seed, single(hosts)))) << hosts << " " << seed;
    }
}

TEST(FindCapacity, PodsOfRacks) {
    StreamNetwork network = racks_of({4, 4, 4, 4, 4, 4, 4, 4}, 2);
    std::vector<std::vector<int>> racks;
    for (const DrawnUplink& uplink : network.uplinks) racks.push_back(uplink.hosts);
    for (int pod = 0; pod < 2; ++pod) {
        DrawnUplink wider{{}, 2, 2};
        for (int host = 0; host < 16; ++host) wider.hosts.push_back(16 * pod + host);
        network.uplinks.push_back(wider);
    }
    int right = 0;
    for (unsigned seed = 0; seed < 10; ++seed)
        right += searched(network, seed, racks).cluster == std::vector<int>{0, 0, 0, 0, 1, 1, 1, 1};
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
