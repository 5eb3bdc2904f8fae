// SPDX-License-Identifier: BSD-3-Clause
#include "eco/survey/odd.h"

#include <gtest/gtest.h>

namespace eco {

namespace {

// Two subnets of three hosts, 1 inside and 2 apart, and a seventh host near the first.
Profile seven(double to_first, double to_second) {
    Profile profile;
    profile.hosts = {"a", "b", "c", "d", "e", "f", "g"};
    profile.sizes = {1024};
    profile.partition_bytes = 1024;
    profile.tolerance = 0.2;
    profile.spread.emplace_back(7);
    Matrix& cost = profile.minimum.emplace_back(7);
    for (int a = 0; a < 7; ++a)
        for (int b = a + 1; b < 7; ++b)
            cost.set(a, b, b == 6 ? (a < 3 ? to_first : to_second) : (a < 3) == (b < 3) ? 1 : 2);
    derive_topology(profile, profile.repeats);
    return profile;
}

}  // namespace

TEST(SlowHosts, TakeAsMuchLongerToAll) {
    const auto odd = slow_hosts(seven(1.8, 2.8));
    ASSERT_EQ(odd.size(), 1U);
    EXPECT_EQ(odd[0].hosts, std::vector<int>{6});
    EXPECT_EQ(odd[0].what, "slow");
    EXPECT_DOUBLE_EQ(odd[0].factor, 1.8);
}

TEST(SlowHosts, ASubnetOfOneIsNotSlow) { EXPECT_TRUE(slow_hosts(seven(2, 2)).empty()); }

TEST(SlowHosts, OverheadsTell) {
    Profile profile = seven(2, 2);
    profile.model.emplace();
    profile.model->send = profile.model->receive = std::vector<Cost>(7, Cost{0.1, 0});
    EXPECT_TRUE(slow_hosts(profile).empty());
    profile.model->send[6].fixed = 0.6;
    EXPECT_EQ(slow_hosts(profile).size(), 1U);
}

TEST(SlowHosts, WhatOverheadsDoNotExplainIsDistance) {
    Profile profile = seven(400, 1000);
    profile.model.emplace();
    profile.model->send = profile.model->receive = std::vector<Cost>(7, Cost{0.1, 0});
    profile.model->send[6].fixed = 0.6;
    EXPECT_TRUE(slow_hosts(profile).empty());
}

}  // namespace eco
