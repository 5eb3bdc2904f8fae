// SPDX-License-Identifier: BSD-3-Clause
#include "eco/measure/rail_pairs.h"

#include <gtest/gtest.h>

#include <limits>
#include <numeric>
#include <set>

#include "eco/base/at.h"

namespace eco {

namespace {

std::vector<int> all(int hosts) {
    std::vector<int> found(at(hosts));
    std::iota(found.begin(), found.end(), 0);
    return found;
}

// Subnets of so many hosts each, all in one cluster.
Levels subnets(int hosts, int each) {
    std::vector<int> level;
    for (int host = 0; host < hosts; ++host) level.push_back(host / each);
    return {level};
}

TEST(RailPairs, OfFewHostsAll) {
    EXPECT_EQ(rail_pairs(subnets(12, 4), all(12), false).size(), 66U);
    EXPECT_EQ(rail_pairs(subnets(12, 4), {0, 3, 7}, false),
              (std::vector<HostPair>{{0, 3}, {0, 7}, {3, 7}}));
    EXPECT_EQ(rail_pairs(subnets(18, 6), all(18), true).size(), 153U);
}

TEST(RailPairs, HaveAPartOfTheTimeUnlessAllAreAskedFor) {
    const Seconds unlimited = std::numeric_limits<Seconds>::infinity();
    EXPECT_DOUBLE_EQ(time_for_rails(8, false, 40), 30);
    EXPECT_EQ(time_for_rails(8, false, unlimited), unlimited);
    EXPECT_EQ(time_for_rails(8, false, -1), 0);
    EXPECT_DOUBLE_EQ(time_for_rails(40, false, 40), 20);
    EXPECT_DOUBLE_EQ(time_for_rails(40, false, unlimited), 60);
    for (const Seconds left : {-1.0, 40.0, unlimited})
        EXPECT_EQ(time_for_rails(40, true, left), unlimited);
}

TEST(RailPairs, OfManyHostsEachOnceAndEachPairOfSubnets) {
    const Levels levels = subnets(18, 6);
    const auto pairs = rail_pairs(levels, all(18), false);
    EXPECT_EQ(pairs.size(), 3U * (3 + 3) + 3);
    std::set<int> inside;
    std::set<HostPair> between;
    for (const auto& [a, b] : pairs) {
        if (a / 6 == b / 6)
            inside.insert({a, b});
        else
            between.insert(std::minmax(a / 6, b / 6));
    }
    EXPECT_EQ(inside.size(), 18U);
    EXPECT_EQ(between, (std::set<HostPair>{{0, 1}, {0, 2}, {1, 2}}));
    // If the time is over after six, nothing of a subnet or of two is unknown.
    for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(pairs[i].first / 6, static_cast<int>(i));
    for (std::size_t i = 3; i < 6; ++i) EXPECT_NE(pairs[i].first / 6, pairs[i].second / 6);
}

TEST(RailPairs, AThousandHostsNeedAboutAsManyPairs) {
    EXPECT_LT(rail_pairs(subnets(1024, 16), all(1024), false).size(), 1200U);
}

TEST(RailPairs, OnlyHostsWithACard) {
    // A subnet without any, and one with a host that is alone.
    std::vector<int> members{0, 1, 2, 3, 4, 5, 12};
    std::set<int> seen;
    for (const auto& [a, b] : rail_pairs(subnets(18, 6), members, false)) seen.insert({a, b});
    EXPECT_EQ(seen, std::set<int>(members.begin(), members.end()));
    EXPECT_TRUE(rail_pairs(subnets(18, 6), {7}, false).empty());
}

TEST(RailPairs, WhatWasNotTimedIsInferred) {
    const Levels levels = subnets(18, 6);
    std::vector<int> members = all(17);  // the last host has no NIC
    Table rate(18, std::vector<double>(18));
    const auto set = [&](int a, int b, double value) {
        rate[at(a)][at(b)] = rate[at(b)][at(a)] = value;
    };
    for (const auto& [a, b] : rail_pairs(levels, members, false))
        set(a, b, a / 6 == b / 6 ? 10 : 2);
    set(0, 1, 4);  // a slow one stays so, and does not make others slow
    infer_untimed(rate, levels, members);
    for (int a = 0; a < 18; ++a)
        for (int b = 0; b < 18; ++b) {
            const double expected = a == b || a == 17 || b == 17 ? 0
                                    : a + b == 1                 ? 4
                                    : a / 6 == b / 6             ? 10
                                                                 : 2;
            EXPECT_EQ(rate[at(a)][at(b)], expected) << a << ' ' << b;
        }
}

// Hosts that are one subnet by MPI's messages, but not over this network.
TEST(RailPairs, SubnetsOfAnotherNetworkAreNoticed) {
    const Levels levels = subnets(16, 16);
    for (const bool apart : {false, true}) {
        Table rate(16, std::vector<double>(16));
        for (const auto& [a, b] : rail_pairs(levels, all(16), false))
            rate[at(a)][at(b)] = rate[at(b)][at(a)] = apart && a < 8 && b >= 8 ? 2 : 10;
        EXPECT_EQ(subnets_tell(rate, levels, all(16)), !apart);
        EXPECT_TRUE(subnets_tell(rate, subnets(16, 8), all(16)));
    }
}

TEST(RailPairs, OnePairSaysWhatIsKnownOfAll) {
    Table rate(18, std::vector<double>(18));
    infer_untimed(rate, subnets(18, 6), all(18));
    EXPECT_EQ(rate[0][1], 0);
    rate[0][1] = rate[1][0] = 7;
    infer_untimed(rate, subnets(18, 6), all(18));
    EXPECT_EQ(rate[3][17], 7);
}

}  // namespace

}  // namespace eco
