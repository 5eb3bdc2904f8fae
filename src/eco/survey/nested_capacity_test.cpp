// SPDX-License-Identifier: BSD-3-Clause
#include "eco/survey/nested_capacity.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "eco/survey/drawn_racks.h"

namespace eco {

namespace {

std::vector<int> hosts_of(const StreamNetwork& network) {
    std::vector<int> found(network.port.size());
    std::iota(found.begin(), found.end(), 0);
    return found;
}

SharedClusters nested_in(const StreamNetwork& network, unsigned seed) {
    SimulatedStreams prober(network, seed);
    NestedSearch search(hosts_of(network), seed);
    while (!search.is_done()) search.take(prober.rates(search.next()));
    return search.result();
}

// Cuts of the hosts, by the side without host 0, and what crosses them to that side and back, to a
// tenth, where that is less than ports carry. A chain may be cut into clusters in several ways.
using Cuts = std::map<std::vector<int>, std::pair<double, double>>;

Cuts cuts(const SharedClusters& clusters, int hosts) {
    Cuts found;
    for (SharedCluster each : clusters) {
        if (each.out == 0 && each.in == 0) continue;
        std::vector<int> side;
        const auto has = [&](int host) {
            return std::find(each.hosts.begin(), each.hosts.end(), host) != each.hosts.end();
        };
        for (int host = 0; host < hosts; ++host)
            if (has(host) != has(0)) side.push_back(host);
        const double out = std::round(10 * each.out) / 10, in = std::round(10 * each.in) / 10;
        found[side] = has(0) ? std::pair(out, in) : std::pair(in, out);
    }
    return found;
}

bool is_exact(const StreamNetwork& network, unsigned seed) {
    const auto found = nested_in(network, seed);
    return finest(found, hosts_of(network)) == racks(network) &&
           std::all_of(found.begin(), found.end(),
                       [](const SharedCluster& each) { return each.wider < 0; });
}

int count_exact(const StreamNetwork& network, unsigned of) {
    int found = 0;
    for (unsigned seed = 0; seed < of; ++seed) found += is_exact(network, seed);
    return found;
}

}  // namespace

// As leaf-2x4, leaf-4x4 and larger ones.
TEST(NestedCapacity, RacksWhoseUplinksAreShort) {
    EXPECT_EQ(count_exact(racks_of({4, 4}, 4), 10), 10);
    // Of eight hosts few streams cross by chance.
    EXPECT_GE(count_exact(racks_of({4, 4}, 2), 20), 17);
    EXPECT_GE(count_exact(racks_of({4, 4, 4, 4}, 2), 10), 9);
    EXPECT_GE(count_exact(racks_of({8, 8, 8, 8}, 2.7), 4), 4);
    EXPECT_GE(count_exact(racks_of({8, 8, 8, 8, 8, 8, 8, 8}, 4), 4), 3);
}

TEST(NestedCapacity, UnevenRacks) {
    EXPECT_GE(count_exact(racks_of({4, 12, 7, 9}, 4), 10), 9);
    EXPECT_GE(count_exact(racks_of({3, 5}, 3), 10), 9);
    EXPECT_GE(count_exact(racks_of({3, 5}, 2), 20), 19);
}

// Two large ones beside two small ones that cannot fill them: these are no pod.
TEST(NestedCapacity, LargeRacksBesideSmallOnes) {
    for (const unsigned seed : {5U, 8U})
        EXPECT_TRUE(is_exact(racks_of({8, 8, 2, 2}, 2), seed)) << seed;
}

// Uneven racks of 8 to 40 among 64 hosts, uplinks short by 2:1 to 8:1.
TEST(NestedCapacity, RacksOfAnySize) {
    std::mt19937 random(7);
    int right = 0;
    for (unsigned seed = 0; seed < 12; ++seed) right += is_exact(uneven_racks(64, random), seed);
    EXPECT_GE(right, 11);
}

TEST(NestedCapacity, WhatUplinksCarryEachWay) {
    StreamNetwork network = racks_of({4, 4, 4, 4}, 2);
    network.uplinks[1].out = 1;
    network.disturbed = 0;
    int right = 0;
    for (unsigned seed = 0; seed < 10; ++seed) {
        const auto found = nested_in(network, seed);
        if (finest(found, hosts_of(network)) != racks(network)) continue;
        ++right;
        for (const SharedCluster& each : found) {
            const bool slow_out = each.hosts.front() / 4 == 1;
            EXPECT_NEAR(each.out, slow_out ? 1 : 2, 0.2) << seed;
            EXPECT_NEAR(each.in, 2, 0.2) << seed;
        }
    }
    EXPECT_GE(right, 9);
}

TEST(NestedCapacity, PortsOfRatesOfTheirOwn) {
    StreamNetwork network = racks_of({4, 4, 4}, 4);
    for (const int slow : {1, 6, 7}) network.port[at(slow)] = 0.6;
    EXPECT_GE(count_exact(network, 10), 9);
    network.uplinks.clear();
    for (const int slower : {2, 3, 8}) network.port[at(slower)] = 0.1;
    for (unsigned seed = 0; seed < 20; ++seed)
        EXPECT_TRUE(nested_in(network, seed).empty()) << seed;
}

// Whatever its few streams find free says little of where it is; that they are held says no more.
TEST(NestedCapacity, APortThatIsMuchSlower) {
    StreamNetwork network = racks_of({8, 8, 8, 8}, 4);
    for (const int slow : {3, 17}) network.port[at(slow)] = 0.1;
    int right = 0;
    for (unsigned seed = 0; seed < 10; ++seed) {
        auto found = finest(nested_in(network, seed), hosts_of(network)), truth = racks(network);
        for (const int slow : {3, 17}) found[at(slow)] = truth[at(slow)] = -1;
        right += numbered(found) == numbered(truth);
    }
    EXPECT_GE(right, 9);
}

// A host is in its rack by more than luck: one was not in the last of these.
TEST(NestedCapacity, ManyHosts) {
    std::mt19937 random(3);
    for (unsigned seed = 0; seed < 5; ++seed)
        EXPECT_TRUE(is_exact(uneven_racks(128, random), seed)) << seed;
}

// Four switches in a row of two hosts each: what leaves one in the middle has two ways.
TEST(NestedCapacity, AChainOfSwitches) {
    StreamNetwork network;
    network.port.assign(8, 1);
    network.uplinks = {{{0, 1}, 1, 1}, {{0, 1, 2, 3}, 1, 1}, {{6, 7}, 1, 1}};
    network.disturbed = 0;
    const Cuts truth{{{2, 3, 4, 5, 6, 7}, {1, 1}}, {{4, 5, 6, 7}, {1, 1}}, {{6, 7}, {1, 1}}};
    int right = 0;
    for (unsigned seed = 0; seed < 20; ++seed) {
        const auto found = nested_in(network, seed);
        right += cuts(found, 8) == truth &&
                 finest(found, hosts_of(network)) == std::vector{0, 0, 1, 1, 2, 2, 3, 3};
    }
    EXPECT_GE(right, 19);
}

TEST(NestedCapacity, PodsOfRacks) {
    StreamNetwork network = racks_of({4, 4, 4, 4, 4, 4, 4, 4}, 2);
    for (int pod = 0; pod < 2; ++pod) {
        DrawnUplink wider{{}, 3, 3};
        for (int host = 0; host < 16; ++host) wider.hosts.push_back(16 * pod + host);
        network.uplinks.push_back(wider);
    }
    network.disturbed = 0.02;
    int right = 0;
    for (unsigned seed = 0; seed < 10; ++seed) {
        const auto found = nested_in(network, seed);
        int racks = 0, pods = 0;
        for (const SharedCluster& each : found) {
            racks += each.hosts.size() == 4 && each.wider >= 0 && std::abs(each.out - 2) < 0.4;
            pods += each.hosts.size() == 16 && each.wider < 0 && std::abs(each.out - 3) < 0.6;
        }
        right += racks == 8 && pods == 2 && found.size() == 10;
    }
    EXPECT_GE(right, 9);
}

// Racks at 2:1 look like one beside others at 8:1; then they are searched again.
TEST(NestedCapacity, RacksThatWereTakenForOne) {
    const StreamNetwork network = racks_of({24, 24, 20, 20, 20, 20}, {2.2, 2.4, 8, 8, 8, 8});
    EXPECT_GE(count_exact(network, 6), 4);
}

TEST(NestedCapacity, NothingWhereNothingIsShared) {
    for (const int hosts : {4, 8, 16}) {
        StreamNetwork network = racks_of({hosts}, 1);
        network.uplinks.clear();
        for (unsigned seed = 0; seed < 10; ++seed)
            EXPECT_TRUE(nested_in(network, seed).empty()) << hosts << " " << seed;
    }
}

// A bus; emulated hosts on few processors.
TEST(NestedCapacity, NothingWhereAllShareOneThing) {
    for (const int hosts : {4, 5, 8, 16}) {
        StreamNetwork network = racks_of({hosts}, 1);
        network.uplinks.clear();
        network.processors = hosts / 4.0;
        for (unsigned seed = 0; seed < 10; ++seed)
            EXPECT_TRUE(nested_in(network, seed).empty()) << hosts << " " << seed;
    }
}

TEST(NestedCapacity, OfThreeHostsNothingCanBeSaid) {
    EXPECT_TRUE(NestedSearch({0, 1, 2}, 1).is_done());
}

}  // namespace eco
