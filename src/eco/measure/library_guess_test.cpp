// SPDX-License-Identifier: BSD-3-Clause
#include "eco/measure/library_guess.h"

#include <gtest/gtest.h>

namespace eco {

static const std::vector<LibraryCall> timed{
    {Operation::bcast, 16, true, 1, 2},     {Operation::bcast, 1024, true, 3, 4},
    {Operation::bcast, 16384, true, 10, 0},  // not timed
    {Operation::bcast, 16, false, 2, 5},    {Operation::gather, 1024, true, 1, 1},
};

static Seconds guessed(const LibraryCall& call) {
    return guess(call, similar_call(call, timed)).time;
}

TEST(LibraryGuess, TheLongestShorterMessageIsSimilar) {
    EXPECT_DOUBLE_EQ(guessed({Operation::bcast, 16384, true, 9}), 12);
    EXPECT_DOUBLE_EQ(guessed({Operation::bcast, 16384, true, 0}), 64);  // as the lengths
    EXPECT_DOUBLE_EQ(guessed({Operation::bcast, 16384, true, 2}), 4);   // never less
}

TEST(LibraryGuess, ScatteredRanksTakeNoLessThanRanksBesideEachOther) {
    EXPECT_DOUBLE_EQ(guessed({Operation::bcast, 1024, false, 6}), 8);
    EXPECT_DOUBLE_EQ(guessed({Operation::gather, 1024, false, 0.5}), 1);
    // Nothing of that length: the shorter message in their own order.
    EXPECT_DOUBLE_EQ(guessed({Operation::bcast, 16384, false, 4}), 10);
    // Ranks beside each other may take much less than scattered ones.
    EXPECT_EQ(similar_call({Operation::bcast, 16, true, 1}, {timed[3]}), nullptr);
}

TEST(LibraryGuess, WithoutASimilarCallTheBaselineCounts) {
    EXPECT_EQ(similar_call({Operation::scan, 16, true, 3}, timed), nullptr);
    EXPECT_DOUBLE_EQ(guessed({Operation::scan, 16, true, 3}), 3);
    EXPECT_FALSE(guess({Operation::scan, 16, true, 3}, nullptr).from_timed);
    EXPECT_TRUE(guess({Operation::bcast, 1024, true, 3}, timed.data()).from_timed);
    EXPECT_EQ(similar_call({Operation::bcast, 16, true, 3}, timed), nullptr);
}

}  // namespace eco
