// SPDX-License-Identifier: BSD-3-Clause
// The whole protocol over networks that lose, double and overtake, each rank a thread.
#include "eco/transport/mcast_transport.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <set>
#include <thread>

#include "eco/base/error.h"
#include "eco/transport/faulty_network_for_test.h"
#include "eco/transport/threads_for_test.h"

namespace eco {

namespace {

// Ranks that multicast to all others in turn, `calls` times.
class Job {
public:
    Job(int ranks, const Faults& faults, Bytes payload = 100,
        Seconds forgotten_after = McastChannel::until_forgotten)
        : ranks_(ranks), network_(ranks, faults, payload, 7) {
        threads_.shorter_may_come = true;
        for (Rank rank = 0; rank < ranks; ++rank) {
            channels_.push_back(std::make_unique<McastChannel>(
                network_.end_of(rank), McastKey{1, 2}, payload, forgotten_after));
            channels_.back()->know(5);
            has_unreachable_.emplace_back();
            contexts_.emplace_back().number = 5;
            contexts_.back().messages = std::make_unique<McastMessages>(
                threads_.end_of(rank), talk_tag, talk_tag + 1, payload);
        }
    }

    // From now on calls are moved on as by the library's progress.
    void poll() { polls_ = true; }

    // late: this rank enters each call so much later than the others.
    void run(int calls, Bytes bytes, Rank late = -1, Seconds by = 0) {
        std::vector<std::thread> threads;
        for (Rank rank = 0; rank < ranks_; ++rank)
            threads.emplace_back([=, this] {
                for (int call = 0; call < calls; ++call) {
                    if (rank == late)
                        std::this_thread::sleep_for(std::chrono::duration<double>(by));
                    this->call(rank, call, bytes);
                }
                McastMessages& messages = *contexts_[at(rank)].messages;
                while (!messages.is_over()) messages.move();
            });
        for (std::thread& thread : threads) thread.join();
    }
    const McastContext& context(Rank rank) const { return contexts_[at(rank)]; }
    const McastChannel& channel(Rank rank) const { return *channels_[at(rank)]; }
    // Per call, whether it says that some got messages one by one.
    const std::vector<bool>& has_unreachable(Rank rank) const { return has_unreachable_[at(rank)]; }
    // Of all ranks, the first time, after a run.
    std::int64_t datagrams() const { return network_.sent(); }

private:
    static std::byte content(Rank root, int call, Bytes i) {
        return static_cast<std::byte>(
            static_cast<unsigned char>(17 * root + 5 * call + 3 * i + i / 251));
    }

    // An allgather: each rank's message is its first one.
    void call(Rank me, int call, Bytes bytes) {
        const auto other = threads_.end_of(me);
        const auto rate_of = [](Rank, std::span<const Rank>) { return rate; };
        McastTransport transport(*channels_[at(me)], contexts_[at(me)], me, rate_of, *other,
                                 call * tags, tags);
        std::vector<std::vector<std::byte>> messages(at(ranks_));
        std::vector<Rank> others;
        for (Rank root = 0; root < ranks_; ++root) {
            messages[at(root)].resize(static_cast<std::size_t>(bytes));
            if (root != me) {
                others.push_back(root);
                transport.mcast_recv(root, messages[at(root)].data(), bytes, root, 0);
            }
        }
        for (Bytes i = 0; i < bytes; ++i)
            messages[at(me)][static_cast<std::size_t>(i)] = content(me, call, i);
        transport.mcast(me, messages[at(me)].data(), bytes, others, 0);
        std::vector<int> ended;
        while (ended.size() < at(ranks_)) {
            if (!polls_) {
                transport.wait(ended);
                continue;
            }
            {
                const OwnMcastTurn turn(contexts_[at(me)]);
                if (turn) transport.poll(ended);
            }
            std::this_thread::yield();
        }
        std::sort(ended.begin(), ended.end());
        std::vector<int> all(at(ranks_));
        std::iota(all.begin(), all.end(), 0);
        EXPECT_EQ(ended, all);
        has_unreachable_[at(me)].push_back(transport.has_unreachable());
        for (Rank root = 0; root < ranks_; ++root)
            for (Bytes i = 0; i < bytes; ++i)
                ASSERT_EQ(messages[at(root)][static_cast<std::size_t>(i)], content(root, call, i))
                    << "rank " << me << " call " << call << " of " << root << " at " << i;
    }

    int ranks_;
    bool polls_ = false;
    FaultyNetwork network_;
    ThreadsExchange threads_;
    std::vector<std::unique_ptr<McastChannel>> channels_;
    std::deque<McastContext> contexts_;
    std::vector<std::vector<bool>> has_unreachable_;
};

std::set<Rank> ranks_of(const std::map<Rank, std::uint32_t>& from_calls) {
    std::set<Rank> ranks;
    for (const auto& [rank, call] : from_calls) ranks.insert(rank);
    return ranks;
}

}  // namespace

TEST(McastTransport, ArrivesAtAll) {
    for (const Bytes bytes : {0, 1, 100, 101, 5000}) Job(4, {}).run(5, bytes);
}

TEST(McastTransport, WhatIsLostIsSentAgain) {
    for (const double loss : {0.01, 0.05, 0.4}) {
        Faults faults;
        faults.loss = loss;
        Job(3, faults).run(20, 3000);
    }
}

TEST(McastTransport, BurstsOfLossesAreMended) {
    Faults faults;
    faults.loss = 0.02;
    faults.lost_consecutively = 20;
    Job(3, faults).run(10, 6000);
}

TEST(McastTransport, DoubledAndOvertakingDatagramsDoNoHarm) {
    Faults faults;
    faults.twice = 0.3;
    faults.late = 0.3;
    faults.loss = 0.02;
    Job(3, faults).run(20, 3000);
}

TEST(McastTransport, StrangersAreNotHeard) {
    Faults faults;
    faults.strangers = true;
    Job(3, faults).run(10, 3000);
}

// More than a socket holds: the sender waits for who is not in the call.
TEST(McastTransport, ALateReceiverLosesNothing) { Job(3, {}).run(2, 30000, 1, 0.3); }

// Where nothing arrives each call ends all the same, and soon nobody tries any more.
TEST(McastTransport, WithoutMulticastMessagesGoOneByOne) {
    Faults faults;
    faults.deaf = {2};
    Job job(3, faults);
    job.run(8, 3000);
    EXPECT_EQ(ranks_of(job.context(0).unreached), std::set<Rank>{2});
    EXPECT_EQ(ranks_of(job.context(1).unreached), std::set<Rank>{2});
    EXPECT_EQ(ranks_of(job.context(2).unreachable_senders), (std::set<Rank>{0, 1}));
    EXPECT_TRUE(job.context(2).unreached.empty());
    // All ranks notice it in the same call, also the two that reach each other.
    EXPECT_FALSE(job.has_unreachable(0).front());
    EXPECT_TRUE(job.has_unreachable(0).back());
    for (const Rank rank : {1, 2}) EXPECT_EQ(job.has_unreachable(rank), job.has_unreachable(0));
}

// Together more than in one call that is given up for; but some came meanwhile.
TEST(McastTransport, OnlyConsecutiveLossesAreGivenUpFor) {
    Faults faults;
    faults.every_other_call = true;
    Job job(2, faults);
    job.run(8, 1000);
    for (const Rank rank : {0, 1}) EXPECT_TRUE(job.context(rank).unreached.empty());
}

// The long message too is not begged for piece by piece: some dozens, then the rest at once.
TEST(McastTransport, TheRestOfALongMessageComesAtOnce) {
    Faults faults;
    faults.deaf = {1};
    Job job(2, faults);
    job.run(1, 10000000);
    EXPECT_EQ(ranks_of(job.context(0).unreached), std::set<Rank>{1});
    // Of rank 0's 100,000, no more than what left before it gave up.
    EXPECT_LT(job.datagrams(), 100000 + 1000);
}

// Nothing comes after it that would show the gap.
TEST(McastTransport, WhatLeftLastIsSentAgain) {
    Faults faults;
    faults.only_what_left_last = true;
    for (const Bytes bytes : {50, 150, 2050}) Job(3, faults).run(10, bytes);
}

// Losses by chance are no reason to send slower; many are.
TEST(McastTransport, OnlyManyLossesSlowTheSenderDown) {
    for (const double loss : {0.01, 0.4}) {
        Faults faults;
        faults.loss = loss;
        Job job(3, faults);
        job.run(40, 3000);
        EXPECT_EQ(job.channel(0).share() < 1, loss > 0.1) << loss;
    }
}

namespace {

// What two ranks of a job say when one of them multicasts so many bytes and the other takes
// so many.
std::string mismatch(Bytes sent, Bytes taken) {
    FaultyNetwork network(2, {}, 100, 7);
    ThreadsExchange threads;
    threads.shorter_may_come = true;
    std::array<McastContext, 2> contexts;
    std::string said;
    std::atomic<bool> over = false;
    const auto rank = [&](Rank me) {
        McastChannel channel(network.end_of(me), McastKey{1, 2}, 100);
        channel.know(5);
        McastContext& context = contexts[at(me)];
        context.number = 5;
        context.messages =
            std::make_unique<McastMessages>(threads.end_of(me), talk_tag, talk_tag + 1, 100);
        const auto other = threads.end_of(me);
        const auto rate_of = [](Rank, std::span<const Rank>) { return rate; };
        McastTransport transport(channel, context, me, rate_of, *other, 0, tags);
        std::vector<std::byte> data(static_cast<std::size_t>(std::max(sent, taken)));
        const Rank to = 1;
        if (me == 0)
            transport.mcast(0, data.data(), sent, std::span(&to, 1), 0);
        else
            transport.mcast_recv(0, data.data(), taken, 0, 0);
        std::vector<int> ended;
        try {
            while (ended.empty() && !over) transport.poll(ended);
        } catch (const Error& error) {
            said = error.what();
        }
        over = true;
    };
    std::thread sender(rank, 0), receiver(rank, 1);
    sender.join();
    receiver.join();
    return said;
}

}  // namespace

// Natively a longer one fails as well; nobody waits forever.
TEST(McastTransport, AMessageOfAnotherLengthIsAnError) {
    for (const auto& [sent, taken] : {std::pair<Bytes, Bytes>{0, 50}, {50, 0}, {250, 50}})
        EXPECT_NE(mismatch(sent, taken).find("another length"), std::string::npos)
            << sent << " " << taken;
}

TEST(McastTransport, IsMovedOnWithoutWaiting) {
    for (const double loss : {0.0, 0.05}) {
        Faults faults;
        faults.loss = loss;
        faults.late = 0.1;
        Job job(4, faults);
        job.poll();
        for (const Bytes bytes : {0, 1, 5000}) job.run(5, bytes);
    }
}

// Progress that is entered from within a step of the same thread's does nothing.
TEST(McastTurn, IsTriedByProgress) {
    McastContext context;
    {
        const McastTurn outer(context);
        EXPECT_FALSE(OwnMcastTurn(context));
    }
    const OwnMcastTurn own(context);
    EXPECT_TRUE(own);
    {
        const McastTurn of_a_step(context);
    }
    EXPECT_FALSE(McastTurn::try_take(context));
}

// What a switch forgot is no reason to give multicast up.
TEST(McastTransport, AfterAPauseNobodyGivesUp) {
    Faults faults;
    faults.deaf = {1};
    Job job(2, faults, 100, 0);
    job.run(4, 3000);
    EXPECT_TRUE(job.context(0).unreached.empty());
}

// As many as `ECO_TEST_CALLS` says; by itself few.
TEST(McastTransport, ManyCallsWithLosses) {
    const char* asked = std::getenv("ECO_TEST_CALLS");
    Faults faults;
    faults.loss = 0.01;
    Job(4, faults).run(asked ? std::atoi(asked) : 300, 1200);
}

}  // namespace eco
