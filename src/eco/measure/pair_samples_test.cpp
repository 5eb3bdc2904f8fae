// SPDX-License-Identifier: BSD-3-Clause
#include "eco/measure/pair_samples.h"

#include <gtest/gtest.h>

namespace eco {

namespace {

using SizeList = std::vector<std::size_t>;

// Hosts 0 and 1 beside each other; 2 and 3 at another site.
class PairSamplesTest : public testing::Test {
protected:
    PairSamplesTest() {
        profile_.hosts = {"a", "b", "c", "d"};
        profile_.sizes = {1, 1024, 16384};
        profile_.partition_bytes = 1024;
        profile_.round_trips = 5;
    }
    static void add(PairSamples& samples, HostPair pair, Seconds way) {
        for (auto& timings : samples.by_size()) timings.add(pair, {way});
    }

    Profile profile_;
};

}  // namespace

TEST_F(PairSamplesTest, WhatIsVeryFarIsVisitedOnce) {
    PairSamples samples(profile_);
    add(samples, {0, 1}, 50e-6);
    add(samples, {0, 2}, 9.9e-3);
    add(samples, {0, 3}, 10.1e-3);
    EXPECT_EQ(samples.sizes_of(0)({1, 2}), (SizeList{0, 1, 2}));
    EXPECT_EQ(samples.sizes_of(1)({0, 1}), (SizeList{0, 1}));
    EXPECT_EQ(samples.sizes_of(1)({0, 2}), (SizeList{0, 1}));
    EXPECT_EQ(samples.sizes_of(1)({0, 3}), SizeList{});
    EXPECT_EQ(samples.time_of_another_visit({0, 3}), 0);
    EXPECT_GT(samples.time_of_another_visit({0, 2}), 0);
}

TEST_F(PairSamplesTest, WaysToAThirdHostTellWhatMustBeVeryFar) {
    PairSamples samples(profile_);
    add(samples, {0, 1}, 50e-6);
    add(samples, {0, 2}, 31e-3);
    EXPECT_TRUE(samples.must_be_very_far({1, 2}));
    EXPECT_TRUE(samples.can_be_at_once({1, 2}));
    EXPECT_FALSE(samples.can_be_at_once({0, 2})) << "timed";
    EXPECT_FALSE(samples.is_very_far({1, 2})) << "not timed";
    add(samples, {0, 3}, 31.1e-3);
    EXPECT_FALSE(samples.must_be_very_far({2, 3})) << "both are: perhaps beside each other";
    EXPECT_TRUE(samples.is_very_far({0, 3}));
}

}  // namespace eco
