// SPDX-License-Identifier: BSD-3-Clause
#include "eco/topology/train.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace eco {

namespace {

constexpr int frames = 8;
constexpr double wire = 1.25e6, rate = wire * 1448 / 1546;

// Of a train on a wire of 10 Mbit/s whose bucket holds so many bytes and whose messages are of so
// many on it.
double shown(double bucket, double message = train_frame) {
    const auto arrival = [&](int number) {
        return std::max(0.0, (number + 1) * message - bucket) / wire;
    };
    const int middle = frames - last_of_train(frames);
    const Seconds took = arrival(frames - 1) - arrival(0);
    const Seconds apart =
        (arrival(frames - 1) - arrival(middle)) / static_cast<double>(frames - 1 - middle);
    return burst_of_train(frames, rate, took, apart);
}

}  // namespace

TEST(Train, ShowsABucketOfTwoFramesOrMore) {
    EXPECT_NEAR(shown(3027), 3027, 1e-6);
    EXPECT_NEAR(shown(4.9 * train_frame), 4.9 * train_frame, 1e-6);
}

// With headers of 114 bytes, as MPICH's messages have, a train takes longer: by the rate alone no
// more than a frame would have passed at once.
TEST(Train, ShowsABucketWhateverALibraryAdds) {
    EXPECT_NEAR(shown(3027, 1562) / train_frame, 3027.0 / 1562, 1e-6);
}

TEST(Train, ShowsNothingOfAPlainWireOrOfABucketThatHoldsIt) {
    EXPECT_EQ(shown(0), 0);
    EXPECT_EQ(shown(train_frame), 0);
    EXPECT_EQ(shown(1.5 * train_frame), 0);
    EXPECT_GT(shown(1.8 * train_frame), 0);
    EXPECT_EQ(shown(6 * train_frame), 0);
    EXPECT_EQ(shown(8 * train_frame), 0);
}

// Where the receiver took the first message late.
TEST(Train, ShowsNothingWhereOnlyTheFirstMessageWasLate) {
    const Seconds frame = train_on_wire(1) / wire;
    EXPECT_EQ(burst_of_train(frames, rate, 6.5 * frame, frame), 0);
}

// Messages with the headers of any library still go in one frame.
TEST(Train, HasMessagesOfAFrame) {
    EXPECT_EQ(train_message, 1382);
    EXPECT_LE(train_frame, 1514);
}

}  // namespace eco
