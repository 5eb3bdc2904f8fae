// SPDX-License-Identifier: BSD-3-Clause
#include "eco/measure/arrival_rate.h"

#include <gtest/gtest.h>

namespace eco {

TEST(ArrivalRate, OfMessagesThatComeEvenly) {
    std::vector<Seconds> arrivals;
    for (int i = 1; i <= 100; ++i) arrivals.push_back(0.01 * i);
    EXPECT_NEAR(arrival_rate(arrivals, 0.2, 0.8, 1000), 1e5, 1);
    // The last one may come before the end, the first after the begin.
    EXPECT_NEAR(arrival_rate(arrivals, 0.9, 1.05, 1000), 8.9e4, 1e3);
}

TEST(ArrivalRate, SpreadsBunches) {
    const std::vector<Seconds> arrivals{0.1, 0.1, 0.1, 0.5, 0.5, 0.5, 0.9, 0.9, 0.9};
    EXPECT_NEAR(arrival_rate(arrivals, 0.2, 0.8, 1000), 5000, 1);
}

// A rank that had no processor took four messages within 20 us: 200 MB/s on a port of 375 kB/s.
TEST(ArrivalRate, IsNotThatOfTheMemory) {
    const std::vector<Seconds> arrivals{0.17, 0.170005, 0.17001, 0.17002};
    EXPECT_LE(arrival_rate(arrivals, 0.03, 0.18, 1000), 4 * 1000 / 0.1);
    EXPECT_GT(arrival_rate(arrivals, 0.03, 0.18, 1000), 0);
}

TEST(ArrivalRate, OfNothing) {
    EXPECT_EQ(arrival_rate({}, 0, 1, 1000), 0);
    EXPECT_EQ(arrival_rate({0.5}, 0, 1, 1000), 0);
}

}  // namespace eco
