// SPDX-License-Identifier: BSD-3-Clause
#include "eco/base/recent.h"

#include <gtest/gtest.h>

#include <memory>

namespace eco {

TEST(Recent, ForgetsWhatWasUsedLongestAgo) {
    Recent<int, int> recent(3);
    for (int key = 0; key < 3; ++key) recent.put(key, 10 * key);
    ASSERT_TRUE(recent.find(0));
    recent.put(3, 30);
    EXPECT_EQ(recent.find(1), nullptr);
    for (const int key : {0, 2, 3}) {
        ASSERT_TRUE(recent.find(key));
        EXPECT_EQ(*recent.find(key), 10 * key);
    }
}

TEST(Recent, NeverHoldsMore) {
    Recent<int, std::shared_ptr<int>> recent(4);
    const auto one = std::make_shared<int>(1);
    for (int key = 0; key < 1000; ++key) {
        recent.put(key, one);
        EXPECT_LE(recent.size(), 4U);
    }
    EXPECT_EQ(one.use_count(), 5);
    recent.clear();
    EXPECT_EQ(one.use_count(), 1);
}

TEST(Recent, NeverHoldsMoreBytes) {
    Recent<int, int> recent(1000, 100);
    for (int key = 0; key < 50; ++key) {
        recent.put(key, key, 10);
        EXPECT_LE(recent.bytes(), 100U);
    }
    EXPECT_EQ(recent.size(), 10U);
    recent.put(50, 50, 95);  // in place of all but the last
    EXPECT_EQ(recent.size(), 2U);
    EXPECT_TRUE(recent.find(49));
    recent.put(51, 51, 1000);  // too large, and the one before may be in use
    EXPECT_TRUE(recent.find(49));
    EXPECT_TRUE(recent.find(51));
    recent.put(52, 52, 1);
    recent.put(53, 53, 1);
    EXPECT_EQ(recent.find(51), nullptr);
    EXPECT_EQ(recent.bytes(), 2U);
    recent.clear();
    EXPECT_EQ(recent.bytes(), 0U);
}

TEST(Recent, WhatWasFoundStaysWhereItIsWhileOneMoreComes) {
    Recent<int, int> recent(1);  // taken as 2
    recent.put(1, 1);
    const int* found = recent.find(1);
    recent.put(2, 2);
    EXPECT_EQ(recent.find(1), found);
}

}  // namespace eco
