// SPDX-License-Identifier: BSD-3-Clause
#include "eco/topology/train.h"

#include <gtest/gtest.h>

namespace eco {

// A wire of 10 Mbit/s whose bucket holds two frames of 1,514 bytes.
// Frames that counted with their acknowledgements would give 3,619.
TEST(Train, ShowsABucketOfTwoFrames) {
    const double rate = 1.25e6 * 1448 / 1546;
    EXPECT_NEAR(burst_of_train(8, rate, (8 * 1472 - 3027) / 1.25e6), 3027, 1e-6);
}

TEST(Train, ShowsNothingOfAPlainWireOrOfABucketThatHoldsIt) {
    const double rate = 1.25e6 * 1448 / 1546;
    EXPECT_EQ(burst_of_train(8, rate, 7 * 1472 / 1.25e6), 0);
    EXPECT_EQ(burst_of_train(8, rate, 6.5 * 1472 / 1.25e6), 0);
    EXPECT_GT(burst_of_train(8, rate, 6.2 * 1472 / 1.25e6), 0);
    EXPECT_EQ(burst_of_train(8, rate, 1 * 1472 / 1.25e6), 0);
}

// Messages with the headers of any library still go in one frame.
TEST(Train, HasMessagesOfAFrame) {
    EXPECT_EQ(train_message, 1382);
    EXPECT_LE(train_frame, 1514);
}

}  // namespace eco
