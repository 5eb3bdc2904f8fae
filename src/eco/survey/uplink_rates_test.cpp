// SPDX-License-Identifier: BSD-3-Clause
#include "eco/survey/uplink_rates.h"

#include <gtest/gtest.h>

namespace eco {

namespace {

// Two clusters of three, inside at 1 and across at `rate`, both ways in a round each.
const std::vector<int> halves{0, 0, 0, 1, 1, 1};
StreamRounds inside() {
    return {{{0, 1, 1}, {1, 2, 1}, {2, 0, 1}, {3, 4, 1}, {4, 5, 1}, {5, 3, 1}}};
}
StreamRounds across(double rate) {
    return {{{0, 3, rate}, {1, 4, rate}, {2, 5, rate}}, {{3, 0, rate}, {4, 1, rate}, {5, 2, rate}}};
}

}  // namespace

TEST(UplinkRates, AreWhatAllStreamsAcrossCarriedTogether) {
    const UplinkRates found = uplink_rates(halves, inside(), across(0.5));
    EXPECT_TRUE(found.is_sure());
    EXPECT_EQ(found.capacity.out, (std::vector<double>{1.5, 1.5}));
    EXPECT_EQ(found.capacity.in, (std::vector<double>{1.5, 1.5}));
    // Hardly slower is nothing that hosts share.
    EXPECT_FALSE(uplink_rates(halves, inside(), across(0.9)).is_likely());
}

TEST(UplinkRates, OfRatesThatVaryAreLikelyAtMost) {
    StreamRounds varied = across(0.3);
    for (auto& round : varied) round[1].rate = 1.1;
    const UplinkRates found = uplink_rates(halves, inside(), varied);
    EXPECT_FALSE(found.is_sure());
    varied.push_back({{0, 3, 0.3}, {1, 4, 0.3}, {2, 5, 0.3}});
    EXPECT_GT(uplink_rates(halves, inside(), varied).surest, found.surest);
}

// Vertex 3 by itself; its streams with cluster 0 were faster than those with cluster 2.
TEST(SingleVertices, HaveTheClusterWhoseStreamsWereFastest) {
    const std::vector<int> cluster{0, 0, 0, 1, 2, 2};
    const std::vector<StreamRate> seen{{3, 0, 0.9}, {1, 3, 0.7}, {3, 4, 0.5}, {5, 3, 0.6}};
    const auto found = single_vertices(cluster, seen, 8);
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].vertex, 3);
    EXPECT_EQ(cluster[static_cast<std::size_t>(found[0].member)], 0);
    EXPECT_TRUE(single_vertices(cluster, seen, 0).empty());
    EXPECT_TRUE(single_vertices({0, 0, 0, 1, 2, 3}, {}, 8).empty());
}

TEST(SingleVertices, ShareAnUplinkThatCarriesNoMoreWithThem) {
    const std::vector<int> cluster{0, 0, 1, 2, 2, 2};
    const SingleVertex single{2, 0};
    const std::vector<StreamRate> seen{{2, 3, 1}, {4, 2, 1}};
    const StreamRounds alone{{{0, 3, 0.5}, {1, 4, 0.5}}, {{3, 0, 0.5}, {4, 1, 0.5}}};
    const auto together = [](double out, double in) {
        return StreamRounds{{{0, 3, out}, {1, 4, out}, {2, 5, out}},
                            {{3, 0, in}, {4, 1, in}, {5, 2, in}}};
    };
    EXPECT_TRUE(shares_uplink(single, cluster, seen, alone, together(0.34, 0.34)));
    EXPECT_FALSE(shares_uplink(single, cluster, seen, alone, together(0.66, 0.66)));
    // As where one of its streams was disturbed.
    EXPECT_FALSE(shares_uplink(single, cluster, seen, alone, together(0.34, 0.66)));
}

}  // namespace eco
