// SPDX-License-Identifier: BSD-3-Clause
#include "eco/transport/nic_counters.h"

#include <gtest/gtest.h>

namespace eco {

TEST(NicCounters, OfTheBusiestInterface) {
    const std::string head =
        "Inter-|   Receive                                                |  Transmit\n"
        " face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets\n"
        "    lo: 9000000 1 0 0 0 0 0 0 9000000 1 0 0 0 0 0 0\n";
    const auto before = nic_counters_of(head + "  eth0: 1000 10 0 0 0 0 0 0 500 5 0 0 0 0 0 0\n" +
                                        " bond0:7000 10 0 0 0 0 0 0 50 5 0 0 0 0 0 0\n");
    ASSERT_EQ(before.size(), 2U);
    EXPECT_EQ(before.at("eth0").received, 1000);
    EXPECT_EQ(before.at("eth0").sent, 500);
    EXPECT_EQ(before.at("bond0").received, 7000);
    const auto after = nic_counters_of(head + "  eth0: 3000 10 0 0 0 0 0 0 900 5 0 0 0 0 0 0\n" +
                                       " bond0:7500 10 0 0 0 0 0 0 950 5 0 0 0 0 0 0\n" +
                                       "  new0:99999 10 0 0 0 0 0 0 99999 5 0 0 0 0 0 0\n");
    EXPECT_EQ(carried(before, after).received, 2000);
    EXPECT_EQ(carried(before, after).sent, 900);
    EXPECT_EQ(carried(after, before).sent, 0);
}

TEST(NicCounters, NothingOfDamagedText) {
    EXPECT_TRUE(nic_counters_of("").empty());
    EXPECT_TRUE(nic_counters_of("eth0: 1 2 3\n").empty());
    EXPECT_EQ(nic_counters_of("eth0: x 1 1 1 1 1 1 1 y 1\n").at("eth0").sent, 0);
}

}  // namespace eco
