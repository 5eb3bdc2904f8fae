// SPDX-License-Identifier: BSD-3-Clause
#include "eco/survey/fill.h"

#include <gtest/gtest.h>

#include "eco/survey/survey.h"

namespace eco {

namespace {

// Hosts 0 to 2, 3 to 5; the two subnets 3 apart.
Timings six(double scale) {
    Timings timings(6);
    timings.add({0, 1}, {1.0 * scale, 1.5 * scale});
    timings.add({1, 2}, {1.1 * scale});
    timings.add({4, 3}, {1.0 * scale});
    timings.add({4, 5}, {1.0 * scale});
    timings.add({2, 3}, {3.0 * scale});
    return timings;
}

const Levels two{{0, 0, 0, 1, 1, 1}};

}  // namespace

TEST(Fill, WhatWasTimedStaysAndTheRestIsAsItsSubnets) {
    const auto filled = fill({six(1)}, 0, two);
    EXPECT_EQ(filled.minimum[0](0, 1), 1.0);
    EXPECT_EQ(filled.spread[0](0, 1), 0.5);
    EXPECT_EQ(filled.minimum[0](0, 2), 1.1);
    EXPECT_EQ(filled.minimum[0](3, 5), 1.0);
    EXPECT_EQ(filled.minimum[0](0, 5), 3.0);
    EXPECT_EQ(find_levels(filled.minimum[0], 0.2), two);
}

// Subnets 0 1, 2 3, and 5 6, and the slow host 4. The first two were not compared.
TEST(Fill, ASlowHostSaysNothingOfOthers) {
    Timings timings(7);
    for (const int host : {0, 2, 5}) timings.add({host, host + 1}, {1.0});
    timings.add({0, 5}, {4.0});
    for (const int other : {2, 3, 5, 6}) timings.add({4, other}, {9.0});
    const Levels levels{{0, 0, 1, 1, 0, 1, 1}, {0, 0, 1, 1, 2, 3, 3}};
    EXPECT_EQ(fill({timings}, 0, levels).minimum[0](0, 2), 4.0);
}

// Samples of a visit that was disturbed as a whole would make the others look uncertain.
TEST(Fill, TheSpreadIsThatOfTheBestVisit) {
    Timings timings(2);
    timings.add({0, 1}, {5.0, 5.5, 6.0});
    timings.add({0, 1}, {1.0, 1.1, 1.2});
    timings.add({0, 1}, {7.0, 8.0, 9.0});
    const Levels one{{0, 0}};
    EXPECT_NEAR(fill({timings}, 0, one).spread[0](0, 1), 0.1, 1e-9);
    EXPECT_NEAR(fill({timings}, 0, one, SpreadOf::all_visits).spread[0](0, 1), 4.5, 1e-9);
}

TEST(Fill, OtherSizesFollowTheOneSurveyed) {
    Timings longer(6);
    longer.add({0, 1}, {10});
    longer.add({3, 4}, {10});
    const auto filled = fill({six(1), longer}, 0, two);
    EXPECT_EQ(filled.minimum[1](1, 2), 10);
    // Three times as far; elsewhere, all together, a long one takes ten times the median of 1.0.
    EXPECT_NEAR(filled.minimum[1](2, 3), 10 * 3.0 / 1.0, 1e-9);
}

TEST(Fill, EveryHostHasLongMessagesTimed) {
    const auto pairs = pairs_for_all_sizes(six(1), two);
    std::vector<int> timed(6, 0);
    for (const auto& [a, b] : pairs) {
        EXPECT_LT(a, b);
        ++timed[static_cast<std::size_t>(a)];
        ++timed[static_cast<std::size_t>(b)];
    }
    for (const int count : timed) EXPECT_GE(count, 1);
    EXPECT_NE(std::find(pairs.begin(), pairs.end(), HostPair(2, 3)), pairs.end());
}

// Which of four are nearer to each other, a later look may judge otherwise.
TEST(Fill, FewSubnetsAreAllCompared) {
    Timings timings(8);
    for (int host = 0; host < 8; host += 2) timings.add({host, host + 1}, {1});
    const auto pairs =
        pairs_for_all_sizes(timings, {{0, 0, 1, 1, 0, 0, 1, 1}, {0, 0, 1, 1, 2, 2, 3, 3}});
    for (int one = 0; one < 4; ++one)
        for (int two = one + 1; two < 4; ++two)
            EXPECT_TRUE(std::any_of(
                pairs.begin(), pairs.end(),
                [&](HostPair pair) { return pair.first / 2 == one && pair.second / 2 == two; }))
                << one << two;
}

}  // namespace eco
