// SPDX-License-Identifier: BSD-3-Clause
#include "eco/topology/nesting.h"

#include <gtest/gtest.h>

namespace eco {

TEST(Nesting, RacksOfOneSubnet) {
    EXPECT_EQ(parted({{0, 0, 0, 0}}, {{0, 2}, {1, 3}}), (Levels{{0, 1, 0, 1}}));
}

TEST(Nesting, RacksOfOneSiteOfTwo) {
    EXPECT_EQ(parted({{0, 0, 0, 0, 1, 1}}, {{0, 1}, {2, 3}}),
              (Levels{{0, 0, 0, 0, 1, 1}, {0, 0, 1, 1, 2, 2}}));
}

TEST(Nesting, NothingNewIsNoLevel) {
    const Levels levels{{0, 0, 1, 1}};
    EXPECT_EQ(parted(levels, {{0, 1}, {2, 3}}), levels);
}

TEST(Nesting, ClustersByTheirHosts) {
    const Levels levels{{0, 0, 0, 1, 1}, {0, 0, 1, 2, 2}};
    EXPECT_EQ(find_cluster(levels, {1, 0}), (std::pair{1, 0}));
    EXPECT_EQ(find_cluster(levels, {0, 1, 2}), (std::pair{0, 0}));
    EXPECT_EQ(find_cluster(levels, {3, 4}), (std::pair{1, 2}));
    EXPECT_FALSE(find_cluster(levels, {2, 3}));
}

// Another tolerance, other clusters: what was found by capacity stays where it fits.
TEST(Nesting, WhatWasFoundByCapacityIsKept) {
    const Levels old{{0, 0, 1, 1, 2, 2}};
    std::vector<Medium> media{{0, 0}, {0, 1}, {0, 2}};
    for (Medium& each : media) each.found_by = Medium::FoundBy::capacity;
    EXPECT_EQ(with_capacity({{0, 0, 0, 0, 0, 0}}, old, media), old);
    EXPECT_EQ(with_capacity({{0, 1, 1, 1, 1, 1}}, old, media),
              (Levels{{0, 1, 1, 1, 1, 1}, {0, 1, 2, 2, 3, 3}}));
    media[1].found_by = Medium::FoundBy::distance;
    EXPECT_EQ(with_capacity({{0, 0, 0, 0, 0, 0}}, old, media), (Levels{{0, 0, 1, 1, 2, 2}}));
}

}  // namespace eco
