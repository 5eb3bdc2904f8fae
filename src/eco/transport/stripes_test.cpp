// SPDX-License-Identifier: BSD-3-Clause
#include "eco/transport/stripes.h"

#include <gtest/gtest.h>

#include <numeric>
#include <random>

namespace eco {

TEST(Stripes, AreAsLongAsTheRailsAreFast) {
    EXPECT_EQ(cut_stripes(1 << 20, {1, 1}), (std::vector<Bytes>{1 << 19, 1 << 19}));
    EXPECT_EQ(cut_stripes(1000000, {100, 25}), (std::vector<Bytes>{800000, 200000}));
    EXPECT_EQ(cut_stripes(4096, {3}), (std::vector<Bytes>{4096}));
    EXPECT_EQ(cut_stripes(0, {1, 1}), (std::vector<Bytes>{0, 0}));
    EXPECT_EQ(cut_stripes(100, {1, 1000}), (std::vector<Bytes>{0, 100}));
}

TEST(Stripes, AddUpAndEndOnLines) {
    std::mt19937 random(1);
    for (int again = 0; again < 2000; ++again) {
        const Bytes bytes = std::uniform_int_distribution<Bytes>(0, 1 << 18)(random);
        std::vector<double> rates(std::uniform_int_distribution<std::size_t>(1, 5)(random));
        for (double& rate : rates) rate = std::uniform_real_distribution<>(0.01, 10)(random);
        const double whole = std::accumulate(rates.begin(), rates.end(), 0.0);
        const auto stripes = cut_stripes(bytes, rates);
        ASSERT_EQ(stripes.size(), rates.size());
        ASSERT_EQ(std::accumulate(stripes.begin(), stripes.end(), Bytes{0}), bytes);
        Bytes end = 0;
        for (std::size_t rail = 0; rail < rates.size(); ++rail) {
            ASSERT_GE(stripes[rail], 0);
            ASSERT_NEAR(static_cast<double>(stripes[rail]),
                        rates[rail] / whole * static_cast<double>(bytes), 65);
            end += stripes[rail];
            ASSERT_TRUE(end == bytes || end % 64 == 0);
        }
    }
}

TEST(Stripes, PayFromWhereTheyLoseTheLeast) {
    const std::vector<Bytes> sizes{256, 512, 1024, 2048, 4096};
    const auto from = [&](const std::vector<Seconds>& whole, const std::vector<Seconds>& striped) {
        return longest_whole(sizes, whole, striped);
    };
    EXPECT_EQ(from({1, 2, 3, 4, 5}, {2, 2.5, 3.1, 3, 3}), 1024);
    EXPECT_EQ(from({1, 1, 1, 1, 1}, {2, 2, 2, 2, 2}), 4096);
    EXPECT_EQ(from({2, 2, 2, 2, 2}, {1, 1, 1, 1, 1}), 256);
    // One figure among them that something disturbed.
    EXPECT_EQ(from({1, 2.6, 2, 4, 8}, {2, 2.5, 3, 3, 4}), 1024);
}

}  // namespace eco
