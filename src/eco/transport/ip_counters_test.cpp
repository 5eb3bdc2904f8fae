// SPDX-License-Identifier: BSD-3-Clause
#include "eco/transport/ip_counters.h"

#include <gtest/gtest.h>

namespace eco {

// 100 received: 7 fragments of 2, 80 delivered, 5 forwarded.
static constexpr const char* counters_of_four =
    "Ip: Forwarding DefaultTTL InReceives ForwDatagrams InDelivers ReasmReqds ReasmOKs\n"
    "Ip: 1 64 100 5 80 7 2\n"
    "Icmp: InMsgs InErrors\n"
    "Icmp: 3 4\n";
static constexpr const char* counters_of_six =
    "Ip6InReceives 50\nIp6InDelivers 40\nIp6OutForwDatagrams 3\nIp6ReasmReqds 0\n"
    "Ip6ReasmOKs 0\nIcmp6InMsgs 9\n";

TEST(IpCounters, UnwantedIsWhatWasReceivedAndWentNowhere) {
    EXPECT_EQ(unwanted_packets_of(counters_of_four, IpFamily::ipv4), 10);
    EXPECT_EQ(unwanted_packets_of(counters_of_six, IpFamily::ipv6), 7);
}

TEST(IpCounters, NothingIsSaidWithoutTheCounters) {
    EXPECT_FALSE(unwanted_packets_of("", IpFamily::ipv4));
    EXPECT_FALSE(unwanted_packets_of(counters_of_six, IpFamily::ipv4));
    EXPECT_FALSE(unwanted_packets_of(counters_of_four, IpFamily::ipv6));
    EXPECT_FALSE(unwanted_packets_of("Ip: InReceives InDelivers\nIp: 5\n", IpFamily::ipv4));
}

TEST(IpCounters, TheKernelHasThem) {
    const auto before = unwanted_packets(IpFamily::ipv4);
    if (!before) GTEST_SKIP() << "this kernel shows no counters in /proc/net/snmp";
    EXPECT_GE(unwanted_packets(IpFamily::ipv4).value_or(-1), *before - 64);
}

}  // namespace eco
