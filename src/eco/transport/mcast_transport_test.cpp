// SPDX-License-Identifier: BSD-3-Clause
// The whole protocol over networks that lose, double and overtake, each rank a thread.
#include "eco/transport/mcast_transport.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <numeric>
#include <random>
#include <thread>

#include "eco/base/error.h"
#include "eco/transport/threads.h"

namespace eco {

namespace {

std::size_t at(int index) { return static_cast<std::size_t>(index); }

struct Faults {
    double loss = 0;  // of the datagrams, each receiver by itself
    double twice = 0;
    double late = 0;  // that let the next ones overtake them
    int lost_in_a_row = 1;
    std::vector<Rank> deaf;            // nothing reaches them
    bool every_other_call = false;     // is lost as a whole
    bool only_what_left_last = false;  // lost: of each message, the first time
    bool strangers = false;            // others' datagrams, and cut ones, come too
};

// All get what one sends, the sender too, as by a socket with loopback.
class Ether {
public:
    // most_bytes: of a datagram.
    Ether(int ranks, const Faults& faults, Bytes most_bytes, unsigned seed)
        : arrived_(at(ranks)),
          losing_(at(ranks)),
          faults_(faults),
          most_bytes_(most_bytes),
          random_(seed) {}

    std::int64_t sent() const { return sent_; }

    std::unique_ptr<Datagrams> end_of(Rank rank) { return std::make_unique<End>(*this, rank); }

private:
    struct Copy {
        McastHeader header;
        std::vector<std::byte> data;
        McastAddress from;
    };
    class End : public Datagrams {
    public:
        End(Ether& ether, Rank rank) : ether_(ether), rank_(rank) {}
        std::size_t send(std::span<const Datagram> datagrams, McastAddress to) override {
            const std::lock_guard lock(ether_.mutex_);
            for (const Datagram& each : datagrams) ether_.spread(each, rank_, to);
            return datagrams.size();
        }
        bool receive(std::size_t most, const Take& take) override {
            std::deque<Copy> now;
            {
                const std::lock_guard lock(ether_.mutex_);
                auto& mine = ether_.arrived_[at(rank_)];
                while (!mine.empty() && now.size() < most) {
                    now.push_back(std::move(mine.front()));
                    mine.pop_front();
                }
            }
            for (const Copy& copy : now) take(copy.header, copy.data, copy.from);
            return !now.empty();
        }
        void sleep(Seconds longest) override {
            std::this_thread::sleep_for(std::chrono::duration<double>(std::min(longest, 1e-4)));
        }

    private:
        Ether& ether_;
        Rank rank_;
    };

    bool chance(double part) { return std::uniform_real_distribution<>()(random_) < part; }

    static McastAddress address_of(Rank rank) { return static_cast<McastAddress>(rank) + 1; }

    void spread(const Datagram& each, Rank from, McastAddress only) {
        if (each.header.kind == McastKind::data) ++sent_;
        for (Rank to = 0; to < static_cast<Rank>(arrived_.size()); ++to) {
            if (only != all_of_the_job && only != address_of(to)) continue;
            if (std::find(faults_.deaf.begin(), faults_.deaf.end(), to) != faults_.deaf.end())
                continue;
            const bool first_time = each.header.kind == McastKind::data;
            if (faults_.every_other_call && each.header.call % 2 == 0) continue;
            if (faults_.only_what_left_last && first_time && each.bytes < most_bytes_) continue;
            if (losing_[at(to)] == 0 && chance(faults_.loss))
                losing_[at(to)] = faults_.lost_in_a_row;
            if (losing_[at(to)] > 0) {
                --losing_[at(to)];
                continue;
            }
            Copy copy{each.header, {each.data, each.data + each.bytes}, address_of(from)};
            auto& queue = arrived_[at(to)];
            if (faults_.strangers) {
                Copy other = copy;
                other.header.key[0] ^= 1;
                for (std::byte& byte : other.data) byte = std::byte{0xff};
                queue.push_back(other);
                other = copy;
                other.data.resize(other.data.size() / 2);
                queue.push_back(other);
                other = copy;
                other.header.index += 1000;
                queue.push_back(other);
            }
            if (chance(faults_.twice)) queue.push_back(copy);
            if (!queue.empty() && chance(faults_.late))
                queue.push_front(std::move(copy));
            else
                queue.push_back(std::move(copy));
        }
    }

    std::vector<std::deque<Copy>> arrived_;
    std::vector<int> losing_;
    const Faults faults_;
    const Bytes most_bytes_;
    std::int64_t sent_ = 0;
    std::mt19937 random_;
    std::mutex mutex_;
};

constexpr double rate = 1e8;
constexpr int tags = 64, talk_tag = 1 << 30;

// Ranks that multicast to all others in turn, `calls` times.
class Job {
public:
    Job(int ranks, const Faults& faults, Bytes payload = 100,
        Seconds forgotten_after = McastChannel::until_forgotten)
        : ranks_(ranks), ether_(ranks, faults, payload, 7) {
        threads_.shorter_may_come = true;
        for (Rank rank = 0; rank < ranks; ++rank) {
            channels_.push_back(std::make_unique<McastChannel>(ether_.end_of(rank), McastKey{1, 2},
                                                               payload, forgotten_after));
            channels_.back()->know(5);
            contexts_.emplace_back().number = 5;
            contexts_.back().talk =
                std::make_unique<McastTalk>(threads_.end_of(rank), talk_tag, talk_tag + 1, payload);
        }
    }

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
                McastTalk& talk = *contexts_[at(rank)].talk;
                while (!talk.is_over()) talk.move();
            });
        for (std::thread& thread : threads) thread.join();
    }
    const McastContext& context(Rank rank) const { return contexts_[at(rank)]; }
    const McastChannel& channel(Rank rank) const { return *channels_[at(rank)]; }
    // Of all ranks, the first time, after a run.
    std::int64_t datagrams() const { return ether_.sent(); }

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
        while (ended.size() < at(ranks_)) transport.wait(ended);
        std::sort(ended.begin(), ended.end());
        std::vector<int> all(at(ranks_));
        std::iota(all.begin(), all.end(), 0);
        EXPECT_EQ(ended, all);
        for (Rank root = 0; root < ranks_; ++root)
            for (Bytes i = 0; i < bytes; ++i)
                ASSERT_EQ(messages[at(root)][static_cast<std::size_t>(i)], content(root, call, i))
                    << "rank " << me << " call " << call << " of " << root << " at " << i;
    }

    int ranks_;
    Ether ether_;
    ThreadsExchange threads_;
    std::vector<std::unique_ptr<McastChannel>> channels_;
    std::deque<McastContext> contexts_;
};

}  // namespace

namespace {

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
    faults.lost_in_a_row = 20;
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
    EXPECT_EQ(ranks_of(job.context(2).unheard), (std::set<Rank>{0, 1}));
    EXPECT_TRUE(job.context(2).unreached.empty());
}

// Together more than in one call that is given up for; but some came meanwhile.
TEST(McastTransport, OnlyWhatIsLostInARowIsGivenUp) {
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

// A socket has room for bytes, not for datagrams.
TEST(McastChannel, TheWindowFitsASocket) {
    for (const Bytes payload : {100, 1424, 8924}) {
        const McastChannel channel(nullptr, McastKey{}, payload);
        EXPECT_LE(channel.window() * (payload + mcast_frame), 212992) << payload;
        EXPECT_GE(channel.window(), 4) << payload;
    }
}

namespace {

// What two ranks of a job say when one of them multicasts so many bytes and the other takes
// so many.
std::string mismatch(Bytes sent, Bytes taken) {
    Ether ether(2, {}, 100, 7);
    ThreadsExchange threads;
    threads.shorter_may_come = true;
    std::array<McastContext, 2> contexts;
    std::string said;
    std::atomic<bool> over = false;
    const auto rank = [&](Rank me) {
        McastChannel channel(ether.end_of(me), McastKey{1, 2}, 100);
        channel.know(5);
        McastContext& context = contexts[at(me)];
        context.number = 5;
        context.talk = std::make_unique<McastTalk>(threads.end_of(me), talk_tag, talk_tag + 1, 100);
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

// Natively a longer one fails as well; nobody waits for ever.
TEST(McastTransport, AMessageOfAnotherLengthIsAnError) {
    for (const auto& [sent, taken] : {std::pair<Bytes, Bytes>{0, 50}, {50, 0}, {250, 50}})
        EXPECT_NE(mismatch(sent, taken).find("another length"), std::string::npos)
            << sent << " " << taken;
}

namespace {

// Rank 0 multicasts `calls` times to 1 and 2. Rank 2 comes to the first call when the others have
// left the last one.
class LateRank {
public:
    explicit LateRank(const Faults& faults) : ether_(3, faults, payload, 7) {
        threads_.shorter_may_come = true;
    }
    void run(int calls, Bytes bytes) {
        std::vector<std::thread> ranks;
        for (Rank rank = 0; rank < 3; ++rank)
            ranks.emplace_back([=, this] { be(rank, calls, bytes); });
        for (std::thread& rank : ranks) rank.join();
    }
    std::array<McastContext, 3> contexts;

private:
    static constexpr Bytes payload = 100;
    struct Ended {
        std::unique_ptr<Transport> other;
        std::unique_ptr<McastTransport> transport;
    };
    void be(Rank me, int calls, Bytes bytes) {
        McastChannel channel(ether_.end_of(me), McastKey{1, 2}, payload);
        channel.know(5);
        McastContext& context = contexts[at(me)];
        context.number = 5;
        context.may_leave = true;
        context.talk =
            std::make_unique<McastTalk>(threads_.end_of(me), talk_tag, talk_tag + 1, payload);
        while (me == 2 && ahead_ < 2) std::this_thread::yield();
        std::vector<Ended> behind;
        for (int call = 0; call < calls; ++call) {
            Ended ended = this->call(channel, context, me, call, bytes);
            if (ended.transport->is_behind()) behind.push_back(std::move(ended));
        }
        ++ahead_;
        EXPECT_EQ(behind.size(), me == 0 ? at(calls) : 0);
        while (McastTransport::move_left(context, channel)) std::this_thread::yield();
        behind.clear();
        EXPECT_TRUE(context.left.empty());
        while (!context.talk->is_over()) context.talk->move();
    }
    Ended call(McastChannel& channel, McastContext& context, Rank me, int call, Bytes bytes) {
        const auto rate_of = [](Rank, std::span<const Rank>) { return rate; };
        Ended made{threads_.end_of(me), nullptr};
        made.transport = std::make_unique<McastTransport>(channel, context, me, rate_of,
                                                          *made.other, call * tags, tags);
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

    Ether ether_;
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
    EXPECT_EQ(job.contexts[2].unheard, (std::map<Rank, std::uint32_t>{{0, 5}}));
}

namespace {

struct Counting : Datagrams {
    explicit Counting(int& times) : said(times) {}
    std::size_t send(std::span<const Datagram> datagrams, McastAddress) override {
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

// Calls that follow each other say so now and then; after a pause the first one does.
TEST(McastChannel, SaysAgainThatItListens) {
    int said = 0;
    const auto sleep = [](Seconds time) {
        std::this_thread::sleep_for(std::chrono::duration<double>(time));
    };
    McastChannel channel(std::make_unique<Counting>(said), McastKey{}, 100, 0.1);
    NobodyListens nobody;
    EXPECT_FALSE(channel.attach({5, 0}, nobody));
    EXPECT_EQ(said, 0);
    sleep(0.12);
    EXPECT_TRUE(channel.attach({5, 1}, nobody));
    EXPECT_EQ(said, 1);
    EXPECT_FALSE(channel.attach({5, 2}, nobody));
    EXPECT_EQ(said, 1);
}

// What a switch forgot is no reason to give multicast up.
TEST(McastTransport, AfterAPauseNobodyGivesUp) {
    Faults faults;
    faults.deaf = {1};
    Job job(2, faults, 100, 0);
    job.run(4, 3000);
    EXPECT_TRUE(job.context(0).unreached.empty());
}

// More than the sender keeps: it waits, as any sender of a long message does.
TEST(McastChannel, KeepsSoMuchForThoseWhoAreLate) {
    McastChannel channel(nullptr, McastKey{}, 1424);
    EXPECT_TRUE(channel.keep(16 << 20));
    EXPECT_FALSE(channel.keep(1));
    EXPECT_TRUE(channel.keep(-(16 << 20)));
    EXPECT_TRUE(channel.keep(1));
}

// As many as `ECO_TEST_CALLS` says; by itself few.
TEST(McastTransport, ManyCallsWithLosses) {
    const char* asked = std::getenv("ECO_TEST_CALLS");
    Faults faults;
    faults.loss = 0.01;
    Job(4, faults).run(asked ? std::atoi(asked) : 300, 1200);
}

}  // namespace eco
