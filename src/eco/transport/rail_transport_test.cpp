// SPDX-License-Identifier: BSD-3-Clause
#include "eco/transport/rail_transport.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstring>
#include <future>
#include <optional>
#include <random>
#include <thread>

#include "eco/base/at.h"
#include "eco/base/error.h"
#include "eco/transport/threads_for_test.h"

namespace eco {

namespace {

// Rails between threads, on which anything may overtake anything. What leaves is read then, not
// when it is put; what has left lands only while the receiver looks.
class Wires {
public:
    Wires(int ranks, int rails, unsigned seed)
        : leaving_(at(ranks)), landing_(at(ranks)), rails_(rails), random_(seed) {}

    bool broken = false, has_descriptors = false;
    std::atomic<Bytes> registered = 0;
    int same_host = 1;  // so many ranks each

    std::unique_ptr<Rails> end_of(Rank rank) { return std::make_unique<End>(*this, rank); }
    std::uint64_t puts(int rail) const { return puts_[at(rail)]; }

private:
    struct Put {
        Rank to;
        const std::byte* from;
        std::size_t bytes;
        std::byte* where;
        RailEvent arrival, departure;
        std::vector<std::byte> content;
    };
    class Memory : public Registered {
    public:
        explicit Memory(void* data) : data_(reinterpret_cast<std::uint64_t>(data)) {}
        Target target(int rail) const override { return {data_, static_cast<std::uint64_t>(rail)}; }

    private:
        std::uint64_t data_;
    };

    class End : public Rails {
    public:
        End(Wires& wires, Rank rank) : wires_(wires), rank_(rank) {}
        int count() const override { return wires_.rails_; }
        std::string own_address() const override { return "."; }
        void connect(const std::vector<std::string>& addresses) override {
            for (Rank peer = 0; peer < static_cast<Rank>(addresses.size()); ++peer) {
                ways_.emplace_back();
                if (peer / wires_.same_host == rank_ / wires_.same_host) continue;
                for (int rail = 0; rail < wires_.rails_; ++rail)
                    ways_.back().push_back({rail, rail, 1.0 + rail});
            }
        }
        const std::vector<RailPath>& ways(Rank peer) const override { return ways_[at(peer)]; }
        std::unique_ptr<Registered> add(void* data, Bytes bytes) override {
            wires_.registered += bytes;
            return std::make_unique<Memory>(data);
        }
        bool registers_sources() const override { return true; }
        void put_notify(Rank to, int way, const void* from, const Registered* source, Target where,
                        Bytes bytes, std::uint32_t data, void* owner) override {
            const std::lock_guard lock(wires_.mutex_);
            ECO_CHECK(source && where.key == static_cast<std::uint64_t>(way) && bytes > 0);
            ++wires_.puts_[at(way)];
            wires_.leaving_[at(rank_)].push_back({to,
                                                  static_cast<const std::byte*>(from),
                                                  static_cast<std::size_t>(bytes),
                                                  reinterpret_cast<std::byte*>(where.address),
                                                  {true, data, nullptr},
                                                  {false, 0, owner},
                                                  {}});
        }
        void progress(std::vector<RailEvent>& events) override {
            const std::lock_guard lock(wires_.mutex_);
            if (wires_.broken) throw Error(Code::environment, "rail 1 is broken");
            for (auto more = wires_.random_() % 8; more > 0; --more) {
                if (auto put = wires_.any_of(wires_.leaving_[at(rank_)])) {
                    put->content.assign(put->from, put->from + put->bytes);
                    events.push_back(put->departure);
                    wires_.landing_[at(put->to)].push_back(std::move(*put));
                }
                if (const auto put = wires_.any_of(wires_.landing_[at(rank_)])) {
                    std::memcpy(put->where, put->content.data(), put->bytes);
                    events.push_back(put->arrival);
                }
            }
        }
        void check() const override {}
        bool wait_on(std::vector<pollfd>&) override { return wires_.has_descriptors; }

    private:
        Wires& wires_;
        Rank rank_;
        std::vector<std::vector<RailPath>> ways_;
    };

    std::optional<Put> any_of(std::vector<Put>& puts) {
        if (puts.empty()) return std::nullopt;
        std::swap(puts[random_() % puts.size()], puts.back());
        Put put = std::move(puts.back());
        puts.pop_back();
        return put;
    }

    std::mutex mutex_;
    std::vector<std::vector<Put>> leaving_, landing_;
    std::array<std::uint64_t, 8> puts_{};
    int rails_;
    std::mt19937 random_;
};

std::byte content(Rank from, Rank to, int tag, Bytes place) {
    return static_cast<std::byte>(from * 31 + to * 17 + tag * 7 + place * 3 + place / 251);
}

constexpr Bytes lengths[] = {0, 1, 100, 1024, 1025, 1500, 5000, 70000};

// Each with each, some messages, in an order of its own.
void exchange(Transport& transport, Rank me, int ranks, int messages, unsigned seed) {
    struct Message {
        bool sends;
        Rank peer;
        int tag;
        std::vector<std::byte> bytes;
    };
    std::vector<Message> all;
    for (Rank peer = 0; peer < ranks; ++peer)
        for (int tag = 0; tag < messages && peer != me; ++tag)
            for (const bool sends : {true, false}) {
                const Rank from = sends ? me : peer, to = sends ? peer : me;
                const auto which = static_cast<unsigned>(from * 5 + to * 3 + tag * 11) + seed;
                all.push_back({sends, peer, tag, {}});
                all.back().bytes.resize(static_cast<std::size_t>(lengths[which % 8]));
                for (std::size_t i = 0; sends && i < all.back().bytes.size(); ++i)
                    all.back().bytes[i] = content(from, to, tag, static_cast<Bytes>(i));
            }
    std::mt19937 random(seed + static_cast<unsigned>(me));
    std::shuffle(all.begin(), all.end(), random);
    std::size_t started = 0, done = 0;
    std::vector<int> ended;
    while (done < all.size()) {
        for (std::size_t more = random() % 9; more > 0 && started < all.size(); --more) {
            Message& next = all[started];
            const auto bytes = static_cast<Bytes>(next.bytes.size());
            const int id = static_cast<int>(started++);
            if (next.sends)
                transport.send(id, next.bytes.data(), bytes, next.peer, next.tag);
            else
                transport.recv(id, next.bytes.data(), bytes, next.peer, next.tag);
        }
        ended.clear();
        if (started < all.size())
            transport.poll(ended);
        else
            transport.wait(ended);
        done += ended.size();
    }
    for (const Message& message : all)
        for (std::size_t i = 0; !message.sends && i < message.bytes.size(); ++i)
            ASSERT_EQ(message.bytes[i],
                      content(message.peer, me, message.tag, static_cast<Bytes>(i)));
}

struct RailJob {
    int ranks, rails, most, same_host, messages, calls;
    Bytes longest_short = 1024;
};

// All ranks as threads; what one threw is thrown on.
void run(const RailJob& job, Wires& wires) {
    wires.same_host = job.same_host;
    ThreadsExchange exchange_inside;
    std::vector<std::unique_ptr<RailMessages>> all;
    std::vector<std::string> addresses;
    for (Rank rank = 0; rank < job.ranks; ++rank) {
        all.push_back(
            std::make_unique<RailMessages>(wires.end_of(rank), rank, job.ranks, job.longest_short));
        addresses.push_back(all.back()->own_address());
    }
    RailContext context{7, {}};
    for (Rank rank = 0; rank < job.ranks; ++rank) context.world.push_back(rank);
    std::vector<std::exception_ptr> thrown(at(job.ranks));
    std::vector<std::thread> threads;
    for (Rank rank = 0; rank < job.ranks; ++rank)
        threads.emplace_back([&, rank] {
            try {
                RailMessages& messages = *all[at(rank)];
                messages.connect(addresses);
                std::string missing;
                ASSERT_TRUE(messages.connectivity_check(60, missing)) << missing;
                const auto inside = exchange_inside.end_of(rank);
                for (int call = 0; call < job.calls; ++call) {
                    RailTransport transport(messages, context, job.most, *inside);
                    exchange(transport, rank, job.ranks, job.messages, static_cast<unsigned>(call));
                }
            } catch (...) {
                thrown[at(rank)] = std::current_exception();
            }
        });
    for (auto& thread : threads) thread.join();
    for (const auto& fault : thrown)
        if (fault) std::rethrow_exception(fault);
}

}  // namespace

TEST(RailTransport, BringsAllMessagesInAnyOrderOfTheRails) {
    for (unsigned seed = 0; seed < 6; ++seed) {
        Wires wires(5, 3, seed);
        run({5, 3, 3, 1, 40, 3}, wires);
    }
}

TEST(RailTransport, AnyLengthMayBeTheLongestShortOne) {
    for (const Bytes longest : {0, 1, 1500, 70000}) {
        Wires wires(3, 2, 7);
        run({3, 2, 2, 1, 40, 2, longest}, wires);
    }
}

TEST(RailTransport, UsesNoMoreRailsThanAsked) {
    Wires one(3, 2, 1), two(3, 2, 1);
    run({3, 2, 1, 1, 8, 1}, one);
    run({3, 2, 2, 1, 8, 1}, two);
    EXPECT_EQ(one.puts(1), 6);  // what was written for the meeting
    EXPECT_GT(two.puts(1), 20);
}

TEST(RailTransport, LeavesRanksOfOneHostToTheOther) {
    Wires wires(6, 2, 3);
    run({6, 2, 2, 2, 10, 2}, wires);
    Wires alone(4, 2, 3);
    run({4, 2, 2, 4, 10, 2}, alone);
    EXPECT_EQ(alone.puts(0) + alone.puts(1), 0);
}

TEST(RailTransport, RegistersSeventeenKilobytesTwicePerRank) {
    constexpr int ranks = 1024;
    Wires wires(ranks, 1, 1);
    const RailMessages messages(wires.end_of(0), 0, ranks, 1024);
    EXPECT_LE(wires.registered, Bytes{2} * 17000 * ranks);
    EXPECT_GE(wires.registered, Bytes{2} * 16 * 1024 * ranks);
}

// Else it sleeps on, as nothing will arrive at its own descriptors.
TEST(RailMessages, WakesAThreadForWhatAnotherHasTaken) {
    Wires wires(2, 1, 1);
    wires.has_descriptors = true;
    RailMessages mine(wires.end_of(0), 0, 2, 1024), others(wires.end_of(1), 1, 2, 1024);
    const std::vector<std::string> addresses{mine.own_address(), others.own_address()};
    mine.connect(addresses);
    others.connect(addresses);
    RailBox sleeper, taker, sender;
    const std::byte sent{7};
    std::byte got{};
    mine.recv(sleeper, 1, &got, 1, 1, 0, 5, 1);
    const auto woken =
        std::async(std::launch::async, [&] { mine.sleep_until_event(sleeper, 60'000'000); });
    others.send(sender, 2, &sent, 1, 0, 0, 5, 1);
    std::vector<int> ended;
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    const auto is_woken = [&] {
        return woken.wait_for(std::chrono::milliseconds(1)) == std::future_status::ready;
    };
    while (!is_woken() && std::chrono::steady_clock::now() < end) {
        others.progress(sender, ended);
        mine.progress(taker, ended);
    }
    EXPECT_TRUE(is_woken());
    mine.progress(sleeper, ended);
    EXPECT_NE(std::find(ended.begin(), ended.end(), 1), ended.end());
    EXPECT_EQ(got, sent);
}

// The counts of a program: what both ends say of a message's length may differ.
class OtherLengths : public testing::Test {
protected:
    OtherLengths() {
        const std::vector<std::string> addresses{sends_.own_address(), receives_.own_address()};
        sends_.connect(addresses);
        receives_.connect(addresses);
    }
    // Whether the message came; first: the sender begins.
    bool comes(Bytes sent, Bytes room, bool first) {
        const std::vector<std::byte> from(at(sent), std::byte{7});
        std::vector<std::byte> to(at(room));
        RailBox sender, receiver;
        if (first) sends_.send(sender, 1, from.data(), sent, 1, 0, 5, 1);
        receives_.recv(receiver, 2, to.data(), room, 0, 0, 5, 1);
        std::vector<int> ended;
        for (int i = 0; i < 1000; ++i) move(sender, receiver, ended);
        if (!first) sends_.send(sender, 1, from.data(), sent, 1, 0, 5, 1);
        while (ended.size() < 2) move(sender, receiver, ended);
        return std::count(to.begin(), to.end(), std::byte{7}) == sent;
    }

private:
    void move(RailBox& sender, RailBox& receiver, std::vector<int>& ended) {
        sends_.progress(sender, ended);
        receives_.progress(receiver, ended);
    }
    Wires wires_{2, 1, 1};
    RailMessages sends_{wires_.end_of(0), 0, 2, 1024}, receives_{wires_.end_of(1), 1, 2, 1024};
};

TEST_F(OtherLengths, AShortMessageMayBeShorterThanItsPlace) {
    EXPECT_TRUE(comes(100, 200, true));
    EXPECT_TRUE(comes(0, 200, false));
}

TEST_F(OtherLengths, ShortAndTooLong) { EXPECT_THROW(comes(200, 100, true), Error); }
TEST_F(OtherLengths, LateAndTooLong) { EXPECT_THROW(comes(200, 100, false), Error); }
TEST_F(OtherLengths, LongAndShorter) { EXPECT_THROW(comes(3000, 6000, true), Error); }
TEST_F(OtherLengths, LateLongAndShorter) { EXPECT_THROW(comes(3000, 6000, false), Error); }
TEST_F(OtherLengths, LongAndLonger) { EXPECT_THROW(comes(6000, 3000, false), Error); }

TEST(RailTransport, ManyLongMessagesAtOnce) {
    Wires wires(2, 2, 5);
    run({2, 2, 2, 1, 2500, 1}, wires);
}

TEST(RailTransport, ABrokenRailIsAnError) {
    Wires wires(3, 2, 1);
    wires.broken = true;
    EXPECT_THROW(run({3, 2, 2, 1, 8, 1}, wires), Error);
}

}  // namespace eco
