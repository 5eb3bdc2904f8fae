// SPDX-License-Identifier: BSD-3-Clause
#include "eco/transport/link_socket.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include "eco/transport/interfaces.h"

namespace eco {
namespace {

class LinkSocketOf : public testing::TestWithParam<bool> {
protected:
    static LinkAddress loopback() {
        in6_addr address = in6addr_loopback;
        if (GetParam()) inet_pton(AF_INET6, "::ffff:127.0.0.1", &address);
        const int prefix = GetParam() ? 8 : 128;
        return {address, network_of(address, prefix), prefix, 65536};
    }
    static bool send(const LinkSocket& from, in_port_t port, std::uint32_t number, int bytes) {
        return from.send(loopback().address, port, number, bytes);
    }
};

INSTANTIATE_TEST_SUITE_P(BothFamilies, LinkSocketOf, testing::Bool(),
                         [](const auto& info) { return info.param ? "IPv4" : "IPv6"; });

TEST_P(LinkSocketOf, MarksWhatCameOnceAndNothingElse) {
    const LinkSocket one(loopback()), two(loopback());
    std::vector<bool> came(10);
    for (const std::uint32_t number : {3U, 3U, 7U, 10U, 4000000000U})
        EXPECT_TRUE(send(one, two.port(), number, 92));
    EXPECT_EQ(two.receive(came, 3, 20e-3), 2);
    EXPECT_TRUE(came[3] && came[7]);
    // What has come stays marked.
    EXPECT_TRUE(send(one, two.port(), 0, 1500));
    EXPECT_EQ(two.receive(came, 3, 1), 3);
}

TEST_P(LinkSocketOf, LeavesAloneWhatAStrangerSends) {
    const LinkSocket two(loopback());
    sockaddr_storage to{};
    const socklen_t size = socket_address(loopback().address, two.port(), to);
    const int stranger = socket(to.ss_family, SOCK_DGRAM, 0);
    ASSERT_GE(stranger, 0);
    const char word[] = "hello, who is there?";
    EXPECT_GT(sendto(stranger, word, sizeof word, 0, reinterpret_cast<const sockaddr*>(&to), size),
              0);
    EXPECT_EQ(sendto(stranger, word, 3, 0, reinterpret_cast<const sockaddr*>(&to), size), 3);
    close(stranger);
    std::vector<bool> came(10);
    EXPECT_EQ(two.receive(came, 1, 20e-3), 0);
}

TEST_P(LinkSocketOf, ConnectsToAListener) {
    const LinkSocket one(loopback()), two(loopback());
    ASSERT_NE(two.listener(), 0);
    EXPECT_TRUE(one.connects(loopback(), loopback().address, two.listener(), 1));
    // A port of datagrams alone has no listener.
    EXPECT_FALSE(one.connects(loopback(), loopback().address,
                              two.port() == two.listener() ? 9 : two.port(), 0.2));
}

TEST_P(LinkSocketOf, SendsToWhereNobodyListens) {
    const LinkSocket one(loopback());
    in_port_t nobody = 0;
    {
        nobody = LinkSocket(loopback()).port();
    }
    // The second finds the answer to the first.
    EXPECT_TRUE(send(one, nobody, 0, 92));
    EXPECT_TRUE(send(one, nobody, 1, 92));
}

}  // namespace
}  // namespace eco
