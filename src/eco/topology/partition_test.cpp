// SPDX-License-Identifier: BSD-3-Clause
#include "eco/topology/partition.h"

#include <gtest/gtest.h>

#include <random>

namespace eco {

// Hosts of one subnet `inside` apart, of different subnets `across`.
static Matrix network(const std::vector<int>& subnet, double inside, double across) {
    const int hosts = static_cast<int>(subnet.size());
    Matrix cost(hosts);
    for (int a = 0; a < hosts; ++a)
        for (int b = a + 1; b < hosts; ++b)
            cost.set(a, b,
                     subnet[static_cast<std::size_t>(a)] == subnet[static_cast<std::size_t>(b)]
                         ? inside
                         : across);
    return cost;
}

TEST(Partition, ThreeSegments) {
    const std::vector<int> subnets{0, 0, 0, 1, 1, 1, 2, 2};
    EXPECT_EQ(partition(network(subnets, 1.0, 2.0)), subnets);
}

TEST(Partition, DifferencesWithinTheToleranceAreNoBoundary) {
    EXPECT_EQ(partition(network({0, 0, 1, 1}, 1.0, 1.19)), (std::vector<int>{0, 0, 0, 0}));
    EXPECT_EQ(partition(network({0, 0, 1, 1}, 1.0, 1.21)), (std::vector<int>{0, 0, 1, 1}));
    EXPECT_EQ(partition(network({0, 0, 1, 1}, 1.0, 1.21), 0.3), (std::vector<int>{0, 0, 0, 0}));
}

// Fig. 2 by hand: 0–1 cost 1, 2–3 cost 3, all else 4. The edge 1–2 (4) is far above host 1's least
// edge, so the slow pair stays apart, and within 20 % of nothing that 0 and 1 have.
TEST(Partition, FastAndSlowSubnetsStayApart) {
    Matrix cost = network({0, 0, 1, 1}, 1.0, 4.0);
    cost.set(2, 3, 3.0);
    EXPECT_EQ(partition(cost), (std::vector<int>{0, 0, 1, 1}));
}

// A chain of hosts each 15 % further than the last: an edge joins only within 20 % of the least
// edge in the subnet, so the chain does not grow without end.
TEST(Partition, SubnetsDoNotCreep) {
    Matrix cost(4, 0);
    const double far = 10.0;
    for (int a = 0; a < 4; ++a)
        for (int b = a + 1; b < 4; ++b) cost.set(a, b, far);
    cost.set(0, 1, 1.0);
    cost.set(1, 2, 1.15);
    cost.set(2, 3, 1.3);
    EXPECT_EQ(partition(cost), (std::vector<int>{0, 0, 0, 1}));
}

TEST(Partition, AFewWrongMeasurementsDoNotMatter) {
    const std::vector<int> subnets{0, 0, 0, 0, 1, 1, 1, 1, 1, 2, 2, 2};
    std::mt19937 random(7);
    for (int draw = 0; draw < 200; ++draw) {
        Matrix cost = network(subnets, 1.0, 3.0);
        // A delayed measurement is too long, never too short; one inside a subnet of three or more.
        cost.set(0, 1 + static_cast<int>(random() % 3), 50.0);
        cost.set(4, 5 + static_cast<int>(random() % 4), 7.0);
        cost.set(static_cast<int>(random() % 4), 4 + static_cast<int>(random() % 8), 90.0);
        EXPECT_EQ(partition(cost), subnets);
    }
}

TEST(Partition, LoneHosts) {
    EXPECT_EQ(partition(Matrix(1)), std::vector<int>{0});
    EXPECT_TRUE(partition(Matrix(0)).empty());
    Matrix cost = network({0, 0, 1}, 1.0, 5.0);
    EXPECT_EQ(partition(cost), (std::vector<int>{0, 0, 1}));
}

}  // namespace eco
