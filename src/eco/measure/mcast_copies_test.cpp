// SPDX-License-Identifier: BSD-3-Clause
#include "eco/measure/mcast_copies.h"

#include <gtest/gtest.h>

namespace eco {
namespace {

using Hosts = std::vector<bool>;
constexpr int sent = 64;
const std::vector<int> two_subnets{0, 0, 0, 1, 1, 1};
const std::vector<int> everybody{0, 1, 2, 3, 4, 5}, left{0, 1, 2}, right{3, 4, 5};

// Members got all; of the others each so many.
std::vector<HostGot> got(const FloodPlan& plan, const std::vector<double>& unwanted) {
    std::vector<HostGot> hosts;
    for (std::size_t host = 0; host < unwanted.size(); ++host)
        hosts.push_back({plan.joins[host] ? sent : 0.0, unwanted[host]});
    return hosts;
}

TEST(McastCopies, OneJoinsInEachSubnetAndOneSends) {
    const FloodPlan one = plan_flood({left, everybody, right}, two_subnets);
    EXPECT_EQ(one.joins, (Hosts{true, false, false, true, false, false}));
    EXPECT_EQ(one.sends, (Hosts{true, false, false, false, false, false}));
    const FloodPlan two = plan_flood({left, right}, two_subnets);
    EXPECT_EQ(two.joins, one.joins);
    EXPECT_EQ(two.sends, (Hosts{true, false, false, true, false, false}));
    EXPECT_EQ(plan_flood({right}, two_subnets).joins,
              (Hosts{false, false, false, true, false, false}));
}

TEST(McastCopies, SomebodyIsLeftThatHasNotJoined) {
    EXPECT_EQ(plan_flood({{0, 1}}, {0, 1}).joins, (Hosts{true, false}));
    EXPECT_EQ(plan_flood({{0}}, {0}).sends, (Hosts{false}));
}

TEST(McastCopies, ASwitchThatCopiesToAll) {
    const FloodPlan plan = plan_flood({everybody}, two_subnets);
    // The switch of one subnet alone.
    const auto seen = got(plan, {0, 64, 66, 0, 0, 1});
    EXPECT_EQ(is_flooded(everybody, plan, two_subnets, seen, sent), true);
    EXPECT_EQ(is_flooded(left, plan, two_subnets, seen, sent), true);
    EXPECT_EQ(is_flooded(right, plan, two_subnets, seen, sent), false);
}

TEST(McastCopies, WhatIsNotKnownIsNotSaid) {
    const FloodPlan plan = plan_flood({everybody}, two_subnets);
    EXPECT_EQ(is_flooded(everybody, plan, two_subnets, got(plan, {0, 25, 25, 0, 25, -1}), sent),
              std::nullopt);
    EXPECT_EQ(is_flooded(everybody, plan, two_subnets, got(plan, {0, -1, -1, 0, -1, -1}), sent),
              std::nullopt);
    // Nothing came to the second subnet, so nothing could be copied there.
    auto seen = got(plan, {0, 0, 0, 0, 0, 0});
    seen[3].came = 0;
    EXPECT_EQ(is_flooded(right, plan, two_subnets, seen, sent), std::nullopt);
    EXPECT_EQ(is_flooded(left, plan, two_subnets, seen, sent), false);
    EXPECT_EQ(is_flooded({0, 3}, plan, two_subnets, seen, sent), std::nullopt);  // members alone
    // Of one subnet alone.
    EXPECT_EQ(is_flooded(everybody, plan, two_subnets, seen, sent), std::nullopt);
}

TEST(McastCopies, WhatOthersSendMayHideDatagrams) {
    EXPECT_EQ(unwanted_beside(0, 64, sent), 64);
    EXPECT_EQ(unwanted_beside(10, 5, sent), 0);
    EXPECT_LT(unwanted_beside(50, 64, sent), 0);
}

}  // namespace
}  // namespace eco
