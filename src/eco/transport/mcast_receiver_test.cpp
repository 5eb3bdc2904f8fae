// SPDX-License-Identifier: BSD-3-Clause
// What receivers take for lost and what senders send again, where datagrams take long or overtake
// each other because others fill the links.
#include "eco/transport/mcast_receiver.h"

#include <gtest/gtest.h>

#include <array>
#include <thread>

#include "eco/transport/mcast_sender.h"

namespace eco {

namespace {

constexpr Bytes payload = 100;
constexpr std::uint32_t count = 20;
constexpr double slow = 1e4;  // a datagram takes 17 ms

class Nowhere : public Datagrams {
public:
    std::size_t send(std::span<const Datagram> datagrams, const McastAddress&) override {
        return datagrams.size();
    }
    bool receive(std::size_t, const Take&) override { return false; }
    void sleep(Seconds) override {}
};

// How long it was: more, where others have the processor.
Seconds pass(Seconds seconds) {
    const auto began = std::chrono::steady_clock::now();
    std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
}

// Silence after which a receiver asks.
constexpr Seconds asks_after = 0.1;

class Receives : public ::testing::Test {
protected:
    Receives() { receiver.add(0, sender, 0, memory.data(), std::ssize(memory), slow); }
    void come(std::uint32_t index, McastKind kind = McastKind::data) {
        McastHeader header;
        header.sender = sender;
        header.index = index;
        header.kind = kind;
        receiver.take(header, std::span(memory).subspan(index * payload, payload));
    }
    std::vector<McastRange> asked_for() {
        std::vector<McastRange> all;
        for (const auto& due : receiver.due())
            for (const auto& said : {due.message, due.datagram})
                if (said) all.insert(all.end(), said->missing.begin(), said->missing.end());
        return all;
    }

    static constexpr Rank sender = 1;
    std::array<std::byte, count * payload> memory{};
    McastChannel channel{std::make_unique<Nowhere>(), McastKey{1, 2}, payload};
    McastReceiver receiver{channel, 0, true};
};

}  // namespace

TEST_F(Receives, WhatWasSentAgainShowsNoGap) {
    come(0);
    come(1);
    come(7, McastKind::again);
    const Seconds passed = pass(4e-3);
    const bool asks = !asked_for().empty();
    EXPECT_TRUE(!asks || passed > asks_after / 2) << passed;
    come(9);
    pass(4e-3);
    EXPECT_EQ(asked_for(), (std::vector<McastRange>{{0, 2, 7}, {0, 8, 9}}));
}

TEST_F(Receives, AReminderShowsAGap) {
    come(0);
    come(count - 1, McastKind::reminder);
    pass(4e-3);
    EXPECT_EQ(asked_for(), (std::vector<McastRange>{{0, 1, count - 1}}));
}

// While this process looks for them. Silence as long as before is not asked about.
TEST_F(Receives, PausesThatWereNoLossesAreWaitedFor) {
    come(0);
    pass(50e-3);
    channel.receive();
    come(1);
    EXPECT_GE(channel.pause(), 50e-3);
    const Seconds passed = pass(20e-3);
    const bool asks = !asked_for().empty();
    EXPECT_TRUE(!asks || passed > asks_after / 2) << passed;
    pass(0.1 + 2 * (channel.pause() - 50e-3));
    EXPECT_EQ(asked_for(), (std::vector<McastRange>{{0, 2, count}}));
}

TEST_F(Receives, AProcessThatDidNotLookSawNoPause) {
    channel.receive();
    come(0);
    pass(50e-3);
    come(1);
    EXPECT_LT(channel.pause(), 1e-3);
}

TEST_F(Receives, PausesAroundALossAreNone) {
    come(0);
    pass(50e-3);
    channel.receive();
    come(2);
    EXPECT_LT(channel.pause(), 1e-3);
}

TEST_F(Receives, PausesAreForgotten) {
    channel.note_pause(100);
    EXPECT_LT(channel.pause(), 1);
    for (int call = 0; call < 100; ++call) {
        class : public McastChannel::Listener {
            void take(const McastHeader&, std::span<const std::byte>) override {}
        } nobody;
        channel.attach({5, static_cast<std::uint32_t>(call)}, nobody);
        channel.detach({5, static_cast<std::uint32_t>(call)});
    }
    EXPECT_LT(channel.pause(), 2e-3);
}

// A question may take longer than the multicast that comes after it. Who asks again after an answer
// has waited for all that left before it.
TEST_F(Receives, AQuestionMayBeOld) {
    McastSender sends(channel, {5, 0}, sender, false, [](Rank) { return std::nullopt; });
    const std::array<Rank, 1> to{0};
    sends.add(0, 0, memory.data(), std::ssize(memory), to, 1e9);
    for (Seconds wait = 0; sends.has_unsent();) sends.send(wait);
    McastStatus status;
    status.asks = true;
    status.missing = {{0, 0, count}};
    McastAnswer soon, later;
    pass(10e-3);
    EXPECT_TRUE(sends.take(0, status, soon));
    EXPECT_TRUE(soon.pieces.empty());
    pass(10e-3);
    EXPECT_TRUE(sends.take(0, status, later));
    EXPECT_EQ(later.pieces.size(), count);
}

}  // namespace eco
