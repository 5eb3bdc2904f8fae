// SPDX-License-Identifier: BSD-3-Clause
#include "eco/survey/both_ways.h"

#include <gtest/gtest.h>

namespace eco {

using Pairs = std::vector<HostPair>;

TEST(BothWays, EverySubnetComesFirst) {
    EXPECT_EQ(links_to_try({0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3}, {{4, 5}}),
              (Pairs{{0, 3}, {6, 9}, {4, 5}, {3, 6}}));
    EXPECT_EQ(links_to_try({0, 0, 0, 1, 1, 1, 2, 2, 2}, {{4, 5}}), (Pairs{{0, 3}, {3, 6}, {4, 5}}));
}

TEST(BothWays, TwoHostsAreTriedAfterAll) {
    EXPECT_EQ(links_to_try({0, 0}, {}), (Pairs{{0, 1}}));
    EXPECT_EQ(links_to_try({0, 1, 1}, {}), (Pairs{{0, 1}, {1, 2}}));
    EXPECT_TRUE(links_to_try({0, 0, 0}, {}).empty());
}

TEST(BothWays, WhatWasNotTriedIsCounted) {
    const std::vector<int> subnet{0, 0, 1, 1, 2, 2};
    EXPECT_EQ(subnets_not_tried(subnet, {}), 3);
    EXPECT_EQ(subnets_not_tried(subnet, {{0, 2}, {4, 5}}), 1);
    EXPECT_EQ(subnets_not_tried(subnet, {{0, 2}, {2, 4}}), 0);
    EXPECT_EQ(subnets_not_tried({0, 0}, {}), 0);
}

}  // namespace eco
