// SPDX-License-Identifier: BSD-3-Clause
#include "eco/transport/mcast_channel.h"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <thread>

namespace eco {

namespace {

struct Counting : Datagrams {
    explicit Counting(int& times) : said(times) {}
    std::size_t send(std::span<const Datagram> datagrams, const McastAddress&) override {
        return datagrams.size();
    }
    bool receive(std::size_t, const Take&) override { return false; }
    void sleep(Seconds) override {}
    void say_again() override { ++said; }
    int& said;
};

struct NobodyListens : McastChannel::Listener {
    void take(const McastHeader&, std::span<const std::byte>) override {}
};

}  // namespace

// A socket has room for bytes, not for datagrams.
TEST(McastChannel, TheWindowFitsASocket) {
    for (const Bytes payload : {100, 1424, 8924}) {
        int said = 0;
        const McastChannel channel(std::make_unique<Counting>(said), McastKey{}, payload);
        EXPECT_LE(channel.window() * (payload + channel.frame()), 212992) << payload;
        EXPECT_GE(channel.window(), 4) << payload;
    }
}

// Calls that follow each other say so now and then; after a pause the first one does.
TEST(McastChannel, SaysAgainThatItListens) {
    int said = 0;
    const auto sleep = [](Seconds time) {
        std::this_thread::sleep_for(std::chrono::duration<double>(time));
    };
    McastChannel channel(std::make_unique<Counting>(said), McastKey{}, 100, 1);
    NobodyListens nobody;
    EXPECT_FALSE(channel.attach({5, 0}, nobody));
    EXPECT_EQ(said, 0);
    sleep(1.1);
    EXPECT_TRUE(channel.attach({5, 1}, nobody));
    EXPECT_EQ(said, 1);
    EXPECT_FALSE(channel.attach({5, 2}, nobody));
    EXPECT_EQ(said, 1);
}

// More than the sender keeps: it waits, as any sender of a long message does.
TEST(McastChannel, KeepsSoMuchForThoseWhoAreLate) {
    McastChannel channel(nullptr, McastKey{}, 1424);
    EXPECT_TRUE(channel.keep(16 << 20));
    EXPECT_FALSE(channel.keep(1));
    EXPECT_TRUE(channel.keep(-(16 << 20)));
    EXPECT_TRUE(channel.keep(1));
}

}  // namespace eco
