// SPDX-License-Identifier: BSD-3-Clause
#include "eco/survey/likely_part.h"

#include <gtest/gtest.h>

#include <set>

namespace eco {

namespace {

// Each of six vertices to each other; those from part to rest and back at `across`.
std::vector<StreamRate> all_pairs(const std::set<int>& part, double across) {
    std::vector<StreamRate> found;
    for (int a = 0; a < 6; ++a)
        for (int b = 0; b < 6; ++b)
            if (a != b)
                found.push_back({a, b, part.contains(a) == part.contains(b) ? 1.0 : across});
    return found;
}

}  // namespace

TEST(LikelyPart, WhoseStreamsToTheOthersAreSlower) {
    std::mt19937 random(1);
    EXPECT_EQ(likely_part(6, all_pairs({1, 4}, 0.6), random), (std::vector<int>{1, 4}));
    // The smaller part, also where the first vertex is in it.
    EXPECT_EQ(likely_part(6, all_pairs({0, 5}, 0.6), random), (std::vector<int>{0, 5}));
    // Not one whose streams to the others are faster.
    EXPECT_NE(likely_part(6, all_pairs({1, 4}, 1.4), random), (std::vector<int>{1, 4}));
}

TEST(LikelyPart, AnyWhereNothingTellsPartsApart) {
    std::mt19937 random(1);
    std::set<std::vector<int>> seen;
    for (int i = 0; i < 20; ++i) {
        const auto part = likely_part(6, all_pairs({}, 1), random);
        EXPECT_TRUE(part.size() == 2 || part.size() == 3);
        seen.insert(part);
    }
    EXPECT_GT(seen.size(), 3U);
}

}  // namespace eco
