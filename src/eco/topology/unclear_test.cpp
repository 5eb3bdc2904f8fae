// SPDX-License-Identifier: BSD-3-Clause
#include "eco/topology/unclear.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "eco/topology/partition.h"

namespace eco {

namespace {

using Pairs = std::vector<std::pair<int, int>>;

// Hosts of one subnet `inside` apart, of different subnets `across`.
Matrix unclear_network(const std::vector<int>& subnet, double inside, double across) {
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

// The same share of each cost.
Matrix uncertain_by(const Matrix& cost, double share) {
    Matrix uncertainties(cost.size());
    for (int a = 0; a < cost.size(); ++a)
        for (int b = a + 1; b < cost.size(); ++b) uncertainties.set(a, b, share * cost(a, b));
    return uncertainties;
}

}  // namespace

TEST(Unclear, NothingWhereGapsAreWiderThanUncertainties) {
    const Matrix cost = unclear_network({0, 0, 0, 1, 1, 1, 2, 2}, 1.0, 2.0);
    EXPECT_EQ(unclear_pairs(cost, uncertain_by(cost, 0.0), 0.2), Pairs());
    EXPECT_EQ(unclear_pairs(cost, uncertain_by(cost, 0.15), 0.2), Pairs());
    EXPECT_EQ(unclear_pairs(Matrix(1), Matrix(1), 0.2), Pairs());
    EXPECT_EQ(unclear_pairs(Matrix(0), Matrix(0), 0.2), Pairs());
}

// A host that was busy while its pairs were timed, on one switch with the others: 9 µs instead of
// 6, and the partition makes it a subnet of its own.
TEST(Unclear, AllPairsOfALoneHostThatMayBelongToTheOthers) {
    Matrix cost = unclear_network({0, 0, 0, 0, 0}, 6e-6, 0);
    for (int other = 0; other < 4; ++other) cost.set(4, other, 9e-6);
    ASSERT_EQ(partition(cost), (std::vector<int>{0, 0, 0, 0, 1}));
    Matrix uncertainties(5);
    for (int other = 0; other < 4; ++other) uncertainties.set(4, other, uncertainty(9e-6, 0.3, 15));
    EXPECT_EQ(unclear_pairs(cost, uncertainties, 0.2), (Pairs{{0, 4}, {1, 4}, {2, 4}, {3, 4}}));
    // Measured twice more it is sure, and stays alone.
    for (int other = 0; other < 4; ++other) uncertainties.set(4, other, uncertainty(9e-6, 0.3, 60));
    EXPECT_EQ(unclear_pairs(cost, uncertainties, 0.2), Pairs());
}

TEST(Unclear, OnlyThePairNearTheThreshold) {
    Matrix cost = unclear_network({0, 0, 0, 1, 1, 1}, 1.0, 2.0);
    cost.set(2, 3, 1.3);
    Matrix uncertainties = uncertain_by(cost, 0.05);
    EXPECT_EQ(unclear_pairs(cost, uncertainties, 0.2), Pairs());
    uncertainties.set(2, 3, 0.15);
    EXPECT_EQ(unclear_pairs(cost, uncertainties, 0.2), (Pairs{{2, 3}}));
}

// Two subnets 1.25 apart look like one, because every edge inside was measured 10 % too long.
TEST(Unclear, EdgesThatWouldRaiseTheBar) {
    const Matrix cost = unclear_network({0, 0, 0, 1, 1, 1}, 1.1, 1.25);
    ASSERT_EQ(partition(cost), (std::vector<int>{0, 0, 0, 0, 0, 0}));
    Matrix uncertainties(6);
    EXPECT_EQ(unclear_pairs(cost, uncertainties, 0.2), Pairs());
    uncertainties.set(0, 1, 0.1);
    EXPECT_EQ(unclear_pairs(cost, uncertainties, 0.2), (Pairs{{0, 1}}));
    uncertainties.set(0, 1, 0.02);
    EXPECT_EQ(unclear_pairs(cost, uncertainties, 0.2), Pairs());
}

// Sites 10 apart, machines of a site 2.5: whether the third machine is of the first site depends on
// one pair.
TEST(Unclear, PairsBetweenClustersOfWiderLevels) {
    Matrix cost = unclear_network({0, 0, 1, 1, 2, 2, 3, 3}, 1.0, 10.0);
    for (const int a : {0, 1})
        for (const int b : {2, 3}) cost.set(a, b, 2.5);
    for (const int a : {2, 3})
        for (const int b : {4, 5}) cost.set(a, b, 3.2);
    Matrix uncertainties = uncertain_by(cost, 0.02);
    EXPECT_EQ(unclear_pairs(cost, uncertainties, 0.2), Pairs());
    uncertainties.set(3, 4, 0.3);
    EXPECT_EQ(unclear_pairs(cost, uncertainties, 0.2), (Pairs{{3, 4}}));
}

// Whatever is drawn, a pair that alone turns the partition by taking as little as it may is named.
TEST(Unclear, NamesEveryPairThatAloneJoinsSubnets) {
    std::mt19937 random(11);
    int named = 0, turned = 0;
    for (int draw = 0; draw < 300; ++draw) {
        const int hosts = 2 + static_cast<int>(random() % 7);
        Matrix cost(hosts), uncertainties(hosts);
        for (int a = 0; a < hosts; ++a)
            for (int b = a + 1; b < hosts; ++b) {
                cost.set(a, b, 1 + static_cast<double>(random() % 1000) / 500);
                uncertainties.set(a, b, cost(a, b) * static_cast<double>(random() % 300) / 1000);
            }
        const auto before = partition(cost);
        const auto found = unclear_pairs(cost, uncertainties, 0.2);
        named += static_cast<int>(found.size());
        for (int a = 0; a < hosts; ++a)
            for (int b = a + 1; b < hosts; ++b) {
                const auto index = [](int host) { return static_cast<std::size_t>(host); };
                Matrix lower = cost;
                lower.set(a, b, cost(a, b) - uncertainties(a, b));
                const auto after = partition(lower);
                if (before[index(a)] == before[index(b)] || after[index(a)] != after[index(b)])
                    continue;
                ++turned;
                EXPECT_TRUE(std::find(found.begin(), found.end(), std::pair(a, b)) != found.end())
                    << a << " and " << b << " in draw " << draw;
            }
    }
    EXPECT_GT(turned, 50);
    EXPECT_LT(named, 300 * 10);
}

TEST(Unclear, UncertaintyFallsWithSamplesAndGrowsWithSpread) {
    EXPECT_GT(uncertainty(1e-3, 0.2, 5), uncertainty(1e-3, 0.2, 15));
    EXPECT_GT(uncertainty(1e-3, 0.3, 5), uncertainty(1e-3, 0.2, 5));
    EXPECT_LT(uncertainty(10e-3, 0.001, 3), 0.01 * 10e-3);
    EXPECT_GT(uncertainty(6e-6, 0, 15), 0.2 * 6e-6);
}

}  // namespace eco
