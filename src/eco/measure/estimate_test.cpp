// SPDX-License-Identifier: BSD-3-Clause
#include "eco/measure/estimate.h"

#include <gtest/gtest.h>

namespace eco {

TEST(Estimate, NothingIsSaidBeforeSomethingIsKnown) {
    Estimate estimate;
    estimate.update(0.01, 3);
    EXPECT_FALSE(estimate.left());
    estimate.update(0.25, 5);
    EXPECT_DOUBLE_EQ(*estimate.left(), 15);
}

TEST(Estimate, ABudgetThatSufficesIsTheClocks) {
    Estimate estimate;
    estimate.take(60);
    estimate.update(0.99, 15);
    EXPECT_DOUBLE_EQ(estimate.done(), 0.25);
    EXPECT_DOUBLE_EQ(*estimate.left(), 45);
}

TEST(Estimate, ABudgetThatDoesNotSufficeDoesNotHideTheWork) {
    Estimate estimate;
    estimate.take(10);
    estimate.update(0.5, 20);
    EXPECT_DOUBLE_EQ(*estimate.left(), 20);
    // More to do than was thought.
    estimate.update(0.4, 24);
    EXPECT_DOUBLE_EQ(estimate.done(), 0.5);
    EXPECT_DOUBLE_EQ(*estimate.left(), 36);
}

TEST(Estimate, OnlyTheEndIsTheEnd) {
    Estimate estimate;
    estimate.take(10);
    estimate.update(0.99, 10);
    EXPECT_LT(estimate.done(), 1);
    EXPECT_DOUBLE_EQ(*estimate.left(), 1);
    estimate.update(1, 11);
    EXPECT_DOUBLE_EQ(estimate.done(), 1);
    EXPECT_DOUBLE_EQ(*estimate.left(), 0);
}

}  // namespace eco
