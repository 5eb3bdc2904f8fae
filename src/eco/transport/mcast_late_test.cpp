// SPDX-License-Identifier: BSD-3-Clause
// A rank that comes to multicasts when the others have left them.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <thread>

#include "eco/transport/faulty_network_for_test.h"
#include "eco/transport/threads_for_test.h"

namespace eco {

namespace {

// Rank 0 multicasts `calls` times to 1 and 2. Rank 2 comes to the first call when the others have
// left the last one. Then `more` times, once rank 0 knows that multicasts do not reach it.
class LateRank {
public:
    explicit LateRank(const Faults& faults) : network_(3, faults, payload, 7) {
        threads_.shorter_may_come = true;
    }
    void run(int calls, Bytes bytes, int more = 0) {
        std::vector<std::thread> ranks;
        for (Rank rank = 0; rank < 3; ++rank)
            ranks.emplace_back([=, this] { be(rank, calls, bytes, more); });
        for (std::thread& rank : ranks) rank.join();
    }
    std::array<McastContext, 3> contexts;
    int tags_apart = tags;  // of a call and the next; 0: as the starts of a persistent one

private:
    static constexpr Bytes payload = 100;
    struct Ended {
        std::unique_ptr<Transport> other;
        std::unique_ptr<McastTransport> transport;
    };
    void be(Rank me, int calls, Bytes bytes, int more) {
        McastChannel channel(network_.end_of(me), McastKey{1, 2}, payload);
        channel.know(5);
        McastContext& context = contexts[at(me)];
        context.number = 5;
        context.may_leave = true;
        context.messages =
            std::make_unique<McastMessages>(threads_.end_of(me), talk_tag, talk_tag + 1, payload);
        while (me == 2 && ahead_ < 2) std::this_thread::yield();
        std::vector<Ended> behind;
        const auto make = [&](int call) {
            Ended ended = this->call(channel, context, me, call, bytes);
            if (ended.transport->has_unacknowledged()) behind.push_back(std::move(ended));
        };
        for (int call = 0; call < calls; ++call) make(call);
        ++ahead_;
        EXPECT_EQ(behind.size(), me == 0 ? at(calls) : 0);
        while (me == 0 && more > 0 && context.unreached.empty())
            McastTransport::move_left(context, channel);
        for (int call = calls; call < calls + more; ++call) make(call);
        while (McastTransport::move_left(context, channel)) std::this_thread::yield();
        behind.clear();
        EXPECT_TRUE(context.left.empty());
        while (!context.messages->is_over()) context.messages->move();
    }
    Ended call(McastChannel& channel, McastContext& context, Rank me, int call, Bytes bytes) {
        const auto rate_of = [](Rank, std::span<const Rank>) { return rate; };
        Ended made{threads_.end_of(me), nullptr};
        made.transport = std::make_unique<McastTransport>(channel, context, me, rate_of,
                                                          *made.other, call * tags_apart, tags);
        const auto content = [&](std::size_t i) {
            return static_cast<std::byte>(static_cast<unsigned char>(call + 3 * i + i / 251));
        };
        std::vector<std::byte> data(static_cast<std::size_t>(bytes));
        const Rank to[] = {1, 2};
        for (std::size_t i = 0; me == 0 && i < data.size(); ++i) data[i] = content(i);
        if (me == 0)
            made.transport->mcast(0, data.data(), bytes, to, 0);
        else
            made.transport->mcast_recv(0, data.data(), bytes, 0, 0);
        std::vector<int> ended;
        while (ended.empty()) made.transport->wait(ended);
        for (std::size_t i = 0; i < data.size(); ++i)
            if (data[i] != content(i)) {
                ADD_FAILURE() << "rank " << me << " call " << call << " at " << i;
                break;
            }
        // The program uses its memory again.
        std::fill(data.begin(), data.end(), std::byte{0xee});
        return made;
    }

    FaultyNetwork network_;
    ThreadsExchange threads_;
    std::atomic<int> ahead_ = 0;
};

}  // namespace

// Short and long messages, one and many, with and without losses: neither the sender nor who is
// there waits for who is late.
TEST(McastTransport, NobodyWaitsForWhoIsLate) {
    for (const double loss : {0.0, 0.02})
        for (const auto& [calls, bytes] : {std::pair{1, 50}, {1, 30000}, {40, 2000}, {3, 0}}) {
            Faults faults;
            faults.loss = loss;
            LateRank(faults).run(calls, bytes);
        }
}

// Both give up at the same call, which is not the next one for who is late.
TEST(McastTransport, WhoIsLateAndDeafGetsMessages) {
    Faults faults;
    faults.deaf = {2};
    LateRank job(faults);
    job.run(5, 6000);
    EXPECT_EQ(job.contexts[0].unreached, (std::map<Rank, std::uint32_t>{{2, 5}}));
    EXPECT_EQ(job.contexts[2].unreachable_senders, (std::map<Rank, std::uint32_t>{{0, 5}}));
}

// All starts of a persistent call have the same tags: its copies come in the order of the starts.
TEST(McastTransport, WhoIsLateAndDeafGetsTheStartsOfOneCallInOrder) {
    for (const int more : {1, 4}) {
        Faults faults;
        faults.deaf = {2};
        LateRank job(faults);
        job.tags_apart = 0;
        job.run(5, 6000, more);
    }
}

}  // namespace eco
