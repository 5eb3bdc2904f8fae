// SPDX-License-Identifier: BSD-3-Clause
#include "eco/transport/link_socket.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

namespace eco {
namespace {

LinkAddress loopback() { return {htonl(INADDR_LOOPBACK), htonl(0x7f000000), 8, 65536}; }

sockaddr_in at_port(in_port_t port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = port;
    return address;
}

TEST(LinkSocket, MarksWhatCameOnceAndNothingElse) {
    const LinkSocket one(loopback()), two(loopback());
    std::vector<bool> came(10);
    for (const std::uint32_t number : {3U, 3U, 7U, 10U, 4000000000U})
        EXPECT_TRUE(one.send(at_port(two.port()), number, 92));
    EXPECT_EQ(two.receive(came, 3, 20e-3), 2);
    EXPECT_TRUE(came[3] && came[7]);
    // What has come stays marked.
    EXPECT_TRUE(one.send(at_port(two.port()), 0, 1500));
    EXPECT_EQ(two.receive(came, 3, 1), 3);
}

TEST(LinkSocket, LeavesAloneWhatAStrangerSends) {
    const LinkSocket two(loopback());
    const int stranger = socket(AF_INET, SOCK_DGRAM, 0);
    ASSERT_GE(stranger, 0);
    const sockaddr_in to = at_port(two.port());
    const char word[] = "hello, who is there?";
    EXPECT_GT(
        sendto(stranger, word, sizeof word, 0, reinterpret_cast<const sockaddr*>(&to), sizeof to),
        0);
    EXPECT_EQ(sendto(stranger, word, 3, 0, reinterpret_cast<const sockaddr*>(&to), sizeof to), 3);
    close(stranger);
    std::vector<bool> came(10);
    EXPECT_EQ(two.receive(came, 1, 20e-3), 0);
}

TEST(LinkSocket, ConnectsToAListener) {
    const LinkSocket one(loopback()), two(loopback());
    ASSERT_NE(two.listener(), 0);
    EXPECT_TRUE(one.connects(loopback(), at_port(two.listener()), 1));
    // A port of datagrams alone has no listener.
    EXPECT_FALSE(
        one.connects(loopback(), at_port(two.port() == two.listener() ? 9 : two.port()), 0.2));
}

TEST(LinkSocket, SendsToWhereNobodyListens) {
    const LinkSocket one(loopback());
    in_port_t nobody = 0;
    {
        nobody = LinkSocket(loopback()).port();
    }
    // The second finds the answer to the first.
    EXPECT_TRUE(one.send(at_port(nobody), 0, 92));
    EXPECT_TRUE(one.send(at_port(nobody), 1, 92));
}

}  // namespace
}  // namespace eco
