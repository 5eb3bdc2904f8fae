// SPDX-License-Identifier: BSD-3-Clause
#include "eco/measure/mcast_reach.h"

#include <gtest/gtest.h>

namespace eco {
namespace {

using Reach = std::vector<std::vector<bool>>;

// Hosts of the same group reach each other.
Reach groups(const std::vector<int>& group) {
    Reach reach;
    for (const int a : group) {
        reach.emplace_back();
        for (const int b : group) reach.back().push_back(a == b);
    }
    return reach;
}

TEST(McastReach, RoutersDivideHostsWithoutLosses) {
    for (const auto& group : std::vector<std::vector<int>>{
             {}, {0}, {0, 0}, {0, 1}, {0, 0, 0, 0}, {0, 1, 0, 1}, {0, 0, 0, 1}, {0, 1, 2, 3}})
        EXPECT_FALSE(some_probes_were_lost(groups(group)));
}

TEST(McastReach, OnePairThatIsMissingIsALoss) {
    for (const auto& group : std::vector<std::vector<int>>{{0, 0}, {0, 0, 0, 0}, {0, 0, 1, 1}}) {
        Reach reach = groups(group);
        reach[0][1] = false;
        EXPECT_TRUE(some_probes_were_lost(reach));
    }
}

TEST(McastReach, ABurstTowardsOneSideIsALoss) {
    Reach reach = groups({0, 0, 0, 0});
    for (const std::size_t from : {0, 1})
        for (const std::size_t to : {2, 3}) reach[from][to] = false;
    EXPECT_TRUE(some_probes_were_lost(reach));
}

}  // namespace
}  // namespace eco
