// SPDX-License-Identifier: BSD-3-Clause
#include "eco/topology/levels.h"

#include <gtest/gtest.h>

namespace eco {

TEST(Levels, TwoSitesOfTwoSubnets) {
    Matrix cost(8, 20.0);
    for (int h = 0; h < 8; ++h) cost.set(h, h, 0.0);
    const auto within = [&](int first, int last, double value) {
        for (int a = first; a <= last; ++a)
            for (int b = a + 1; b <= last; ++b) cost.set(a, b, value);
    };
    within(0, 3, 5.0);
    within(4, 7, 5.0);
    for (int h = 0; h < 8; h += 2) cost.set(h, h + 1, 1.0);
    const Levels levels = find_levels(cost, 0.2);
    ASSERT_EQ(levels.size(), 2U);
    EXPECT_EQ(levels[0], (std::vector<int>{0, 0, 0, 0, 1, 1, 1, 1}));
    EXPECT_EQ(levels[1], (std::vector<int>{0, 0, 1, 1, 2, 2, 3, 3}));
}

TEST(Levels, OneSwitchIsOneLevelOfOneSubnet) {
    const Levels levels = find_levels(Matrix(5, 1.0), 0.2);
    ASSERT_EQ(levels.size(), 1U);
    EXPECT_EQ(levels[0], (std::vector<int>{0, 0, 0, 0, 0}));
}

TEST(Levels, CostBetweenIsTheLeast) {
    Matrix cost(3, 4.0);
    cost.set(1, 2, 3.0);
    EXPECT_DOUBLE_EQ(cost_between(cost, {0, 0, 1})(0, 1), 3.0);
}

}  // namespace eco
