// SPDX-License-Identifier: BSD-3-Clause
#include "eco/multicast/pattern_bound.h"

#include <gtest/gtest.h>

#include "draw.h"
#include "eco/multicast/optimum_for_test.h"
#include "eco/multicast/work_racing_preemptive.h"

namespace eco::multicast {

// Send 1, transfer 2, receive 1: a message is had after 4, a second one received by 5.
TEST(PatternBound, WorkedByHand) {
    const Pattern pattern = hand_pattern(3, {1, 0}, {2, 0}, {1, 0}, {{0, 5, {2}}, {1, 5, {2}}});
    EXPECT_DOUBLE_EQ(bound(pattern).paper, 5);
    EXPECT_DOUBLE_EQ(bound(pattern).ranks, 5);
}

// The way over rank 1 costs 4 + 4, the direct one 1 + 9 + 1. It is open only if 1 is a destination.
TEST(PatternBound, PathsLeadOverDestinations) {
    Pattern pattern = hand_pattern(3, {1, 0}, {2, 0}, {1, 0}, {{0, 5, {1, 2}}});
    pattern.model.transfers[2] = {9, 0};
    EXPECT_DOUBLE_EQ(bound(pattern).paper, 8);
    pattern.messages[0].destinations = {2};
    EXPECT_DOUBLE_EQ(bound(pattern).paper, 11);
}

// Rank 2 can have A (10 to receive) at 0 and B (1 to receive) at 5. Equation 2 takes B first, as it
// is had earlier (6, not 10), and says 16; taking A first ends at 11, which is the optimum.
TEST(PatternBound, ThePapersCanLieAboveTheOptimum) {
    Pattern pattern = hand_pattern(3, {0, 0}, {0, 0}, {0, 1}, {{0, 10, {2}}, {1, 1, {2}}});
    pattern.model.transfers[1 * 3 + 2] = {5, 0};
    EXPECT_DOUBLE_EQ(bound(pattern).paper, 16);
    EXPECT_DOUBLE_EQ(Optimum(pattern).completion(), 11);
    EXPECT_NEAR(bound(pattern).least, 11, 1e-7);
}

TEST(PatternBound, NeverAboveTheOptimumOfTinyPatterns) {
    int tight = 0;
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
        Draw how;
        how.ranks = seed % 2 == 0 ? 3 : 4;
        how.sources = seed % 2 == 0 ? 2 : 1;
        how.spacing = Spacing::free;
        how.lengths = static_cast<Lengths>(seed % 3);
        how.bits_per_second = seed % 4 < 2 ? 1e9 : 155e6;
        Pattern pattern = draw(how, seed);
        if (seed % 5 == 0)
            for (std::size_t n = 0; n < pattern.model.transfers.size(); ++n)
                pattern.model.transfers[n].fixed = 1e-4 * static_cast<double>(n * 7 % 11);
        const Seconds optimum = Optimum(pattern).completion();
        const Seconds least = bound(pattern).least;
        EXPECT_LE(least, optimum * (1 + 1e-9)) << "seed " << seed;
        tight += least > 0.999 * optimum;
        EXPECT_GE(work_racing_preemptive(pattern).completion, optimum * (1 - 1e-9));
    }
    EXPECT_GT(tight, 0);
}

}  // namespace eco::multicast
