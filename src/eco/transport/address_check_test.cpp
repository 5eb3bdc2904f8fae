// SPDX-License-Identifier: BSD-3-Clause
#include "eco/transport/address_check.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>

#include <set>

#include "eco/transport/interfaces.h"

namespace eco {
namespace {

// Of each network that an AddressTries has a try in, the peers.
std::vector<std::pair<std::string, std::size_t>> pairs(const AddressTries& found) {
    std::vector<std::pair<std::string, std::size_t>> all;
    for (const AddressTry& each : found.tries)
        all.emplace_back(each.routed ? "routed" : text_of(each.own.network), each.peer);
    return all;
}
using Pairs = std::vector<std::pair<std::string, std::size_t>>;

TEST(AddressCheck, WhatItWritesItReads) {
    const std::string text = "n0=4711+10.9.0.1/16+fd00::1/64,n1=0";
    const auto hosts = hosts_of(text);
    ASSERT_EQ(hosts.size(), 2U);
    EXPECT_EQ(hosts[0].port, 4711);
    EXPECT_EQ(to_text(hosts[0]) + "," + to_text(hosts[1]), text);
    EXPECT_TRUE(is_ipv4(hosts[0].addresses.at(0).address));
    EXPECT_EQ(text_of(hosts[0].addresses[0].network), "10.9.0.0");
    // What is no address is left out, as is what is no host.
    EXPECT_EQ(hosts_of("x,n0=7+10.9.0.1+10.9.0/16+1.2.3.4/33+10.9.0.2/16").at(0).addresses.size(),
              1U);
}

TEST(AddressCheck, TriesEachNetworkThatTwoHostsShare) {
    const auto hosts =
        hosts_of("n0=1+10.9.0.1/16+10.77.0.1/24,n1=1+10.9.0.2/16+10.77.0.2/24,n2=1+10.9.0.3/16");
    EXPECT_EQ(pairs(address_tries(hosts, 0)),
              (Pairs{{"10.9.0.0", 1}, {"10.9.0.0", 2}, {"10.77.0.0", 1}}));
    EXPECT_EQ(pairs(address_tries(hosts, 2)), (Pairs{{"10.9.0.0", 0}, {"10.9.0.0", 1}}));
}

TEST(AddressCheck, AnAddressThatSeveralHostsHaveJoinsNone) {
    const auto hosts = hosts_of("n0=1+172.17.0.1/16+10.9.0.1/16,n1=1+172.17.0.1/16+10.9.0.2/16");
    const AddressTries found = address_tries(hosts, 0);
    EXPECT_EQ(pairs(found), (Pairs{{"10.9.0.0", 1}}));
    ASSERT_EQ(found.twice.size(), 1U);
    EXPECT_EQ(text_of(found.twice[0].address), "172.17.0.1");
}

TEST(AddressCheck, RoutersAreTriedWhereHostsShareNoNetwork) {
    const auto hosts = hosts_of("n0=1+10.9.0.1/32,n1=1+10.9.0.2/32,n2=1+fd00::1/64,n3=1");
    EXPECT_EQ(pairs(address_tries(hosts, 0)), (Pairs{{"routed", 1}}));
    EXPECT_TRUE(address_tries(hosts, 3).tries.empty());
}

TEST(AddressCheck, OfManyHostsEachIsTriedWithSome) {
    std::string text;
    for (int host = 0; host < 100; ++host)
        text += "h" + std::to_string(host) + "=1+10.9.0." + std::to_string(host + 1) + "/16,";
    const auto hosts = hosts_of(text);
    std::set<std::size_t> tried;
    for (const AddressTry& each : address_tries(hosts, 98).tries) tried.insert(each.peer);
    EXPECT_EQ(tried, (std::set<std::size_t>{99, 0, 2, 6, 14, 30, 62}));
}

TEST(AddressCheck, ConnectsWhereSomebodyListens) {
    const Listener listener;
    ASSERT_NE(listener.port(), 0);
    in_port_t nobody = 0;
    {
        nobody = Listener().port();
    }
    const auto hosts = hosts_of("n0=0+127.0.0.1/8+::1/128,n1=" + std::to_string(listener.port()) +
                                ",n2=" + std::to_string(nobody) + ",n3=0");
    const LinkAddress four = hosts[0].addresses.at(0), six = hosts[0].addresses.at(1);
    std::vector<AddressTry> tries{{1, four, four, false, false},
                                  {1, six, six, false, false},
                                  {2, four, four, false, false},
                                  {3, four, four, false, false}};
    connect_all(tries, hosts, 0.7);
    EXPECT_TRUE(tries[0].connects);
    EXPECT_TRUE(tries[1].connects);
    EXPECT_FALSE(tries[2].connects);
    EXPECT_FALSE(tries[3].connects);
}

TEST(AddressCheck, APortHasOneListener) {
    const Listener first;
    EXPECT_EQ(Listener(first.port()).port(), 0);
}

}  // namespace
}  // namespace eco
