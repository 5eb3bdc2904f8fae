// SPDX-License-Identifier: BSD-3-Clause
#include "eco/topology/sure.h"

#include <gtest/gtest.h>

namespace eco {

namespace {

// Three subnets of two hosts: 1 inside, `across` between.
Matrix pairs_of_hosts(double across) {
    Matrix cost(6);
    for (int a = 0; a < 6; ++a)
        for (int b = a + 1; b < 6; ++b) cost.set(a, b, a / 2 == b / 2 ? 1.0 : across);
    return cost;
}

Matrix share_of(const Matrix& cost, double share) {
    Matrix uncertainty(cost.size());
    for (int a = 0; a < cost.size(); ++a)
        for (int b = a + 1; b < cost.size(); ++b) uncertainty.set(a, b, share * cost(a, b));
    return uncertainty;
}

const Levels three{{0, 0, 1, 1, 2, 2}};

}  // namespace

TEST(SureLevels, ABoundaryWithinTheNoiseIsNone) {
    const Matrix cost = pairs_of_hosts(1.10);
    EXPECT_EQ(sure_levels(three, cost, share_of(cost, 0.33), 0.05), (Levels{{0, 0, 0, 0, 0, 0}}));
    EXPECT_EQ(sure_levels(three, cost, share_of(cost, 0.02), 0.05), three);
}

TEST(SureLevels, AClearBoundaryStaysThoughTimesScatter) {
    const Matrix cost = pairs_of_hosts(2);
    EXPECT_EQ(sure_levels(three, cost, share_of(cost, 0.33), 0.2), three);
}

TEST(SureLevels, OnlyTheBoundaryUncertainFalls) {
    Matrix cost = pairs_of_hosts(2);
    for (const int a : {0, 1})
        for (const int b : {2, 3}) cost.set(a, b, 1.25);
    EXPECT_EQ(sure_levels(three, cost, share_of(cost, 0.3), 0.2), (Levels{{0, 0, 0, 0, 1, 1}}));
}

// Subnets 1 and 4 are one, 2 and 3 are, and 2 and 4: so all four are, in whatever order that shows.
TEST(SureLevels, WhatIsJoinedStaysJoined) {
    Matrix cost(10);
    const auto near = [](int x, int y) {
        return (x == 1 && y == 4) || (x == 2 && y == 3) || (x == 2 && y == 4);
    };
    for (int a = 0; a < 10; ++a)
        for (int b = a + 1; b < 10; ++b)
            cost.set(a, b, a / 2 == b / 2 ? 1.0 : near(a / 2, b / 2) ? 1.1 : 3.0);
    const Levels five{{0, 0, 1, 1, 2, 2, 3, 3, 4, 4}};
    const Levels sure = sure_levels(five, cost, share_of(cost, 0.2), 0.05);
    EXPECT_EQ(sure.back(), (std::vector<int>{0, 0, 1, 1, 1, 1, 1, 1, 1, 1}));
}

// Nothing holds them together, so nothing says what a link inside would take.
TEST(SureLevels, HostsByThemselvesStay) {
    const Levels each{{0, 1, 2, 3, 4, 5}};
    const Matrix cost = pairs_of_hosts(1);
    EXPECT_EQ(sure_levels(each, cost, share_of(cost, 0.5), 0.2), each);
}

}  // namespace eco
