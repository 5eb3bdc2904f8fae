// SPDX-License-Identifier: BSD-3-Clause
#include "eco/transport/mcast_socket.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <net/if.h>
#include <sched.h>
#include <unistd.h>

#include <cstdlib>
#include <vector>

#include "eco/base/error.h"

namespace eco {
namespace {

constexpr McastKey key{0x123456789abcdef0, 0xfedcba9876543210};

TEST(McastAddress, SurvivesTheKernelsForm) {
    for (const IpFamily family : {IpFamily::ipv4, IpFamily::ipv6}) {
        McastAddress group = mcast_group(key, family);
        EXPECT_EQ(family_of(group), family);
        EXPECT_GE(group.port, 49152);
        EXPECT_EQ(address_of(kernel_address(group).storage), group);
    }
    McastAddress near{{0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}, 7, 1234};
    EXPECT_EQ(address_of(kernel_address(near).storage), near);
}

TEST(McastAddress, GroupsAreTheOrganisations) {
    for (const std::uint64_t half : {std::uint64_t{0}, ~std::uint64_t{0}, key[0], key[1]}) {
        const McastAddress four = mcast_group({half, half}, IpFamily::ipv4);
        EXPECT_EQ(four.ip[12], 239);
        EXPECT_EQ(four.ip[13] & 0xfc, 192);
        const McastAddress six = mcast_group({half, half}, IpFamily::ipv6);
        EXPECT_EQ(six.ip[0], 0xff);
        EXPECT_EQ(six.ip[1], 0x18);
        EXPECT_GE(six.ip[12], 0x80);
    }
}

TEST(McastAddress, AnotherGroupHasTheSameFrames) {
    for (const IpFamily family : {IpFamily::ipv4, IpFamily::ipv6}) {
        const McastAddress group = mcast_group(key, family), other = same_frames(group);
        EXPECT_NE(other, group);
        EXPECT_EQ(family_of(other), family);
        EXPECT_EQ(other.port, group.port);
        const bool is_four = family == IpFamily::ipv4;
        EXPECT_TRUE(std::equal(group.ip.begin() + (is_four ? 14 : 12), group.ip.end(),
                               other.ip.begin() + (is_four ? 14 : 12)));
        if (is_four) {
            EXPECT_EQ(other.ip[12], 239);
            EXPECT_EQ(other.ip[13] & 0x7f, group.ip[13] & 0x7f);
            EXPECT_EQ(other.ip[13] & 0xfc, 64);
        }
    }
}

// IPv4 by the loopback. IPv6 has no multicasts there, so by a cable within a network namespace,
// with link-local addresses alone.
class OnOneHost : public testing::TestWithParam<IpFamily> {
protected:
    // The kernel adds the route to an own address some time after the address.
    static constexpr const char* cable =
        "(ip link set lo up && ip link add eco0 type veth peer name eco1 && ip link set eco0 up && "
        "ip link set eco1 up && ip address add fe80::ec0/64 dev eco0 nodad && "
        "for i in $(seq 500); do ip -6 route show table local | grep -q fe80::ec0 && exit; "
        "sleep 0.01; done; exit 1) 2>/dev/null";

    void SetUp() override {
        if (GetParam() == IpFamily::ipv6) {
            before_ = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
            if (before_ < 0 || unshare(CLONE_NEWNET) != 0)
                GTEST_SKIP() << "no network namespace can be made, which needs root";
            if (std::system(cable) != 0)
                GTEST_SKIP() << "the kernel has no IPv6 or no veth, or 'ip' is missing";
            by_ = mcast_interfaces(IpFamily::ipv6);
            ASSERT_FALSE(by_.empty());
            EXPECT_EQ(by_[0].name, "eco0");
            EXPECT_EQ(by_[0].mtu, 1500);
            by_.resize(1);
        } else {
            by_ = {{"lo", static_cast<int>(if_nametoindex("lo")), 65536}};
        }
        one_ = std::make_unique<McastSocket>(group_, by_, true);
        two_ = std::make_unique<McastSocket>(group_, by_, false);
    }

    void TearDown() override {
        if (before_ < 0) return;
        EXPECT_EQ(setns(before_, CLONE_NEWNET), 0);
        close(before_);
    }

    static Datagram datagram(std::uint32_t index, const std::vector<std::byte>& data) {
        Datagram made{no_header, data.data(), static_cast<Bytes>(data.size())};
        made.header.key = key;
        made.header.index = index;
        return made;
    }

    struct Came {
        std::uint32_t index;
        std::vector<std::byte> data;
        McastAddress from;
    };
    static std::vector<Came> all_of(McastSocket& socket, std::size_t wanted) {
        std::vector<Came> came;
        const auto take = [&](const McastHeader& header, std::span<const std::byte> data,
                              const McastAddress& from) {
            if (header.key == key) came.push_back({header.index, {data.begin(), data.end()}, from});
        };
        for (int turn = 0; turn < 100 && came.size() < wanted; ++turn) {
            socket.sleep(20e-3);
            while (socket.receive(32, take)) continue;
        }
        return came;
    }

    const McastAddress group_ =
        mcast_group({key[0], static_cast<std::uint64_t>(getpid())}, GetParam());
    std::vector<McastInterface> by_;
    std::unique_ptr<McastSocket> one_, two_;
    int before_ = -1;
};

TEST_P(OnOneHost, AllGetWhatOneSends) {
    const std::vector<std::byte> data(1400, std::byte{7});
    std::vector<Datagram> many;
    for (std::uint32_t n = 0; n < 20; ++n) many.push_back(datagram(n, data));
    ASSERT_EQ(one_->send(many, all_of_the_job), many.size());
    for (McastSocket* each : {one_.get(), two_.get()}) {
        const auto came = all_of(*each, many.size());
        ASSERT_EQ(came.size(), many.size());
        for (std::uint32_t n = 0; n < 20; ++n) {
            EXPECT_EQ(came[n].index, n);
            EXPECT_EQ(came[n].data, data);
            EXPECT_EQ(family_of(came[n].from), GetParam());
        }
    }
}

// Runs of one length, which leave together, with others before, between and after them.
TEST_P(OnOneHost, DatagramsOfSeveralLengthsStayApart) {
    std::vector<std::vector<std::byte>> data;
    for (const std::size_t length : {1400, 1400, 1400, 700, 700, 0, 1400, 9, 9, 9, 10, 0, 3, 1400})
        data.emplace_back(length, static_cast<std::byte>(data.size()));
    std::vector<Datagram> many;
    for (std::uint32_t n = 0; n < data.size(); ++n) many.push_back(datagram(n, data[n]));
    for (std::size_t sent = 0; sent < many.size();) {
        const std::size_t now = one_->send(std::span(many).subspan(sent), all_of_the_job);
        ASSERT_GT(now, 0U);
        // The kernel cuts the first four.
        EXPECT_TRUE(sent > 0 || now == 4) << now;
        sent += now;
    }
    for (McastSocket* each : {one_.get(), two_.get()}) {
        const auto came = all_of(*each, many.size());
        ASSERT_EQ(came.size(), many.size());
        for (std::uint32_t n = 0; n < many.size(); ++n) {
            EXPECT_EQ(came[n].index, n);
            EXPECT_EQ(came[n].data, data[n]);
        }
    }
}

// The kernel cuts no datagrams that are longer than the NIC's packets: they go one by one.
TEST_P(OnOneHost, WhatTheKernelDoesNotCutLeavesAllTheSame) {
    if (GetParam() == IpFamily::ipv4) return;  // the loopback has none that are too long
    const std::vector<std::byte> data(3000, std::byte{7});
    const std::vector<Datagram> two{datagram(0, data), datagram(1, data)};
    EXPECT_EQ(one_->send(two, all_of_the_job), 2U);
    ASSERT_EQ(all_of(*one_, 2).size(), 2U);
}

TEST_P(OnOneHost, TheSenderCanBeAnswered) {
    const std::vector<std::byte> data(8);
    const Datagram question = datagram(1, data), answer = datagram(2, data);
    one_->send({&question, 1}, all_of_the_job);
    const auto asked = all_of(*two_, 1);
    ASSERT_EQ(asked.size(), 1U);
    all_of(*one_, 1);  // its own
    EXPECT_EQ(two_->send({&answer, 1}, asked[0].from), 1U);
    const auto came = all_of(*one_, 1);
    ASSERT_EQ(came.size(), 1U);
    EXPECT_EQ(came[0].index, 2U);
}

TEST_P(OnOneHost, ListensStillAfterSayingSo) {
    one_->say_again();
    const std::vector<std::byte> data(8);
    const Datagram one = datagram(5, data);
    one_->send({&one, 1}, all_of_the_job);
    const auto came = all_of(*two_, 1);
    ASSERT_EQ(came.size(), 1U);
    EXPECT_EQ(came[0].index, 5U);
}

// A host may have more interfaces than the kernel allows groups: the first is what counts.
TEST_P(OnOneHost, OnlyTheFirstInterfaceMustJoin) {
    const McastInterface none{"none", 1 << 30, 1500};
    EXPECT_NO_THROW(McastSocket(group_, {by_[0], none}));
    EXPECT_THROW(McastSocket(group_, {none, by_[0]}), Error);
}

INSTANTIATE_TEST_SUITE_P(Families, OnOneHost, testing::Values(IpFamily::ipv4, IpFamily::ipv6),
                         [](const auto& info) {
                             return info.param == IpFamily::ipv4 ? "IPv4" : "IPv6";
                         });

}  // namespace
}  // namespace eco
