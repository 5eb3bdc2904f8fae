// SPDX-License-Identifier: BSD-3-Clause
#include "eco/survey/placing.h"

#include <gtest/gtest.h>

#include "eco/base/at.h"

namespace eco {

namespace {

// Vertices 0 to 3 and 4 to 7 in racks with an uplink of 1 each, 8 to 11 without one. Streams
// across share evenly what the scarcest has.
std::vector<StreamRate> carried(std::vector<StreamRate> round) {
    const auto rack = [](int v) { return v / 4; };
    for (StreamRate& each : round) {
        each.rate = 1;
        if (rack(each.from) == rack(each.to)) continue;
        for (const int r : {0, 1}) {
            double leave = 0, enter = 0;
            for (const StreamRate& other : round) {
                if (rack(other.from) == rack(other.to)) continue;
                leave += rack(other.from) == r;
                enter += rack(other.to) == r;
            }
            if (rack(each.from) == r) each.rate = std::min(each.rate, 1 / leave);
            if (rack(each.to) == r) each.rate = std::min(each.rate, 1 / enter);
        }
    }
    return round;
}

// All streams that there can be, one at a time.
std::vector<StreamRate> seen() {
    std::vector<StreamRate> found;
    for (int from = 0; from < 12; ++from)
        for (int to = 0; to < 12; ++to)
            if (from != to) found.push_back({from, to, from / 4 == to / 4 ? 1 : 0.5});
    return found;
}

std::vector<int> placed(const std::vector<int>& cluster, bool& has_moved) {
    std::mt19937 random(1);
    std::vector<UplinkRound> across;
    for (int number = 0; number < count_uplink_rounds(cluster); ++number) {
        across.push_back(uplink_round(cluster, number, random));
        across.back().streams = carried(across.back().streams);
    }
    Placing placing(cluster, seen(), across);
    while (!placing.is_done()) placing.take(carried(placing.next(random)));
    has_moved = placing.has_moved();
    return numbered(placing.cluster());
}

}  // namespace

TEST(Placing, OfAVertexByItself) {
    bool has_moved = false;
    EXPECT_EQ(placed({0, 0, 0, 1, 2, 2, 2, 2, 3, 3, 3, 3}, has_moved),
              (std::vector<int>{0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2}));
    EXPECT_TRUE(has_moved);
}

// Vertex 8 shares no uplink with those of cluster 0: its streams are free where theirs are held.
TEST(Placing, OfAVertexThatIsInAnothersCluster) {
    bool has_moved = false;
    const auto found = placed({0, 0, 0, 0, 1, 1, 1, 1, 0, 2, 2, 2}, has_moved);
    EXPECT_NE(found[8], found[0]);
    EXPECT_TRUE(has_moved);
}

TEST(Placing, LeavesWhatIsRight) {
    bool has_moved = true;
    EXPECT_EQ(placed({0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2}, has_moved),
              (std::vector<int>{0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2}));
    EXPECT_FALSE(has_moved);
}

}  // namespace eco
