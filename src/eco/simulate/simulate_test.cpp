// SPDX-License-Identifier: BSD-3-Clause
#include "eco/simulate/simulate.h"

#include <gtest/gtest.h>

#include <random>

#include "eco/planners/choice_text.h"
#include "eco/selection/candidates.h"

namespace eco {

namespace {

constexpr auto bus = Medium::Kind::bus;
constexpr double none = 1e-12;  // what rounding may add to a time

// Hosts on one medium of 1 MB/s, every send 1 ms, every receive 2 ms, 10 ms on the way, no frames.
Network one_subnet(int hosts, bool shared, double rate = 1e6) {
    std::vector<std::string> names;
    for (int host = 0; host < hosts; ++host) names.push_back("n" + std::to_string(host));
    const auto count = static_cast<std::size_t>(hosts);
    std::vector<Medium> media;
    if (shared) media.push_back({0, 0, bus, rate, 0});
    Network network = assemble_network(names, {std::vector<int>(count, 0)}, media,
                                       std::vector<double>(count, rate));
    network.send.assign(count, {1e-3, 0});
    network.receive.assign(count, {2e-3, 0});
    network.fixed.assign(count, std::vector<double>(count, 10e-3));
    network.frame.payload = Bytes{1} << 40;
    return network;
}

std::vector<int> each_its_host(int ranks) {
    std::vector<int> host_of;
    for (int rank = 0; rank < ranks; ++rank) host_of.push_back(rank);
    return host_of;
}

const std::vector<Chunk> whole{0};

// One message after the other from rank to rank, of `bytes` each.
struct Exchange {
    std::vector<Builder> builders;
    explicit Exchange(int ranks) : builders(static_cast<std::size_t>(ranks), Builder(1, false)) {}
    Builder& operator[](int rank) { return builders[static_cast<std::size_t>(rank)]; }

    Timeline run(const Network& network, Bytes bytes, const Costs& costs = {}) {
        std::vector<Program> programs;
        for (Builder& builder : builders) programs.push_back(builder.finish());
        return simulate(
            network, each_its_host(static_cast<int>(programs.size())), programs,
            [bytes](Chunk, int) { return bytes; }, costs);
    }
};

}  // namespace

// A connection of 1 MB/s whose round trip takes 100 ms sends 10,000 bytes and waits, then 20,000,
// then as much as comes: a message of 40,000 bytes has left at 10, 120 and 210 ms. Another right
// behind it has 30,000 bytes of the third round left. Four messages of 10,000 bytes to four hosts
// go out at once. If all of the way holds less than 10,000 bytes nothing waits.
TEST(Simulate, AConnectionWaitsForItsFirstAcknowledgements) {
    Network network = one_subnet(5, true);
    network.send.assign(5, {});
    network.receive.assign(5, {});
    network.fixed.assign(5, std::vector<double>(5, 50e-3));
    network.first_flight = 10000;
    Exchange one(5);
    for (int message = 0; message < 2; ++message) {
        one[0].send(1, input, whole);
        one[1].recv(0, scratch(message), whole);
    }
    const Timeline slow = one.run(network, 40000);
    EXPECT_NEAR(slow.messages[0].left, 210e-3, none);
    EXPECT_NEAR(slow.messages[0].arrived, 260e-3, none);
    EXPECT_NEAR(slow.messages[1].left, 310e-3, none);
    Exchange four(5);
    for (int peer = 1; peer < 5; ++peer) {
        four[0].send(peer, input, whole);
        four[peer].recv(0, output, whole);
    }
    EXPECT_NEAR(four.run(network, 10000).time, 90e-3, none);
    network.fixed.assign(5, std::vector<double>(5, 4e-3));
    Exchange near(5);
    near[0].send(1, input, whole);
    near[1].recv(0, output, whole);
    EXPECT_NEAR(near.run(network, 40000).time, 44e-3, none);
}

// 1 ms to send, 5 ms for 5,000 bytes at 1 MB/s, 10 ms on the way, 2 ms to receive. Through a switch
// of two ports whose frame is the whole message it is taken in once more: 5 ms.
TEST(Simulate, OneMessage) {
    for (const bool shared : {true, false}) {
        Exchange exchange(2);
        exchange[0].send(1, input, whole);
        exchange[1].recv(0, output, whole);
        const Network network = one_subnet(2, shared);
        const Timeline timeline = exchange.run(network, 5000);
        EXPECT_NEAR(timeline.time, shared ? 18e-3 : 23e-3, none);
        EXPECT_NEAR(timeline.time, network.alone(0, 1, 5000), none);
        EXPECT_NEAR(timeline.tasks[0][0].end, 6e-3, none);
        const auto chain = timeline.chain();
        ASSERT_EQ(chain.size(), 4U);
        EXPECT_EQ(chain[0].what, Step::What::send);
        EXPECT_EQ(chain[1].what, Step::What::flow);
        EXPECT_EQ(chain[2].what, Step::What::delay);
        EXPECT_EQ(chain[3].what, Step::What::receive);
        EXPECT_EQ(timeline.links[0].busy, timeline.messages[0].left - timeline.messages[0].start);
    }
}

// Rank 0 sends 1,000 bytes to 1, 2 and 3 over a bus: posted at 1, 2 and 3 ms, 1 ms of bus each: no
// message meets another, and the last is there at 4 + 10 + 2.
TEST(Simulate, SendsDoNotBlock) {
    Exchange exchange(4);
    for (int to = 1; to < 4; ++to) {
        exchange[0].send(to, input, whole);
        exchange[to].recv(0, output, whole);
    }
    const Timeline timeline = exchange.run(one_subnet(4, true), 1000);
    EXPECT_NEAR(timeline.time, 16e-3, none);
    EXPECT_NEAR(timeline.tasks[0][2].work.start, 2e-3, none);
    EXPECT_NEAR(timeline.links[0].busy, 3e-3, none);
    EXPECT_NEAR(timeline.links[0].share, 3.0 / 16, 1e-9);
}

// Rank 0 sends 4,000 bytes to 1, 2 and 3 through a switch, posted at 1, 2 and 3 ms. Single frames
// begin at 1, 5 and 9 and have left at 5, 9 and 13: the last is there, a frame's time on its own
// port later, at 13 + 4 + 10 + 2. In frames of 2,000 bytes they share: at 3 ms the first has sent
// 1,500 bytes, and a third of the rate for the others takes it until 10.5.
TEST(Simulate, SingleFramesOfAHostGoOneAfterTheOther) {
    for (const Bytes payload : {4000, 2000}) {
        Exchange exchange(4);
        for (int to = 1; to < 4; ++to) {
            exchange[0].send(to, input, whole);
            exchange[to].recv(0, output, whole);
        }
        Network network = one_subnet(4, false);
        network.frame.payload = payload;
        const Timeline timeline = exchange.run(network, 4000);
        const bool single = payload == 4000;
        EXPECT_NEAR(timeline.messages[0].left, single ? 5e-3 : 10.5e-3, none);
        EXPECT_NEAR(timeline.messages[1].start, single ? 5e-3 : 2e-3, none);
        EXPECT_NEAR(timeline.messages[2].left, 13e-3, none);
        EXPECT_NEAR(timeline.time, single ? 29e-3 : 27e-3, none);
        // One send and three flows, or three sends and one flow; delay, receive.
        const auto chain = timeline.chain();
        ASSERT_EQ(chain.size(), 6U);
        EXPECT_EQ(chain[1].what, single ? Step::What::flow : Step::What::send);
        for (std::size_t step = 1; step < chain.size(); ++step)
            EXPECT_NEAR(chain[step].start, chain[step - 1].end, none);
    }
}

// Two pairs on one bus at once, 4,000 bytes each: half the bus each, 8 ms. On a switch, and frames
// that are short, each takes its 4 ms.
TEST(Simulate, ABusIsSharedASwitchIsNot) {
    for (const bool shared : {true, false}) {
        Exchange exchange(4);
        for (int from : {0, 2}) {
            exchange[from].send(from + 1, input, whole);
            exchange[from + 1].recv(from, output, whole);
        }
        Network network = one_subnet(4, shared);
        network.frame.payload = 1;
        EXPECT_NEAR(exchange.run(network, 4000).time, shared ? 21e-3 : 17e-3 + 1e-6, none);
    }
}

// A bus of 1 MB/s that lets 2,500 bytes pass at once, three messages posted at 1, 2 and 3 ms. Of
// 1,000 bytes each passes at once: the bucket is full again a millisecond later. Of 2,000 bytes the
// first does; at 2 ms there are 500 and 1,000 more in the bucket, so 500 flow until 2.5; at 3 ms,
// filled for half a millisecond, it holds 500, and 1,500 flow until 4.5.
TEST(Simulate, ABucketLetsSomePassAtOnce) {
    Network network = one_subnet(4, true);
    for (Link& link : network.links) link.burst = 2500;
    network.fixed.assign(4, std::vector<double>(4, 0));
    network.frame.payload = 1;
    for (const Bytes bytes : {1000, 2000}) {
        Exchange exchange(4);
        for (int to = 1; to < 4; ++to) {
            exchange[0].send(to, input, whole);
            exchange[to].recv(0, output, whole);
        }
        const Timeline timeline = exchange.run(network, bytes);
        const bool all = bytes == 1000;
        EXPECT_NEAR(timeline.messages[0].left, 1e-3, none);
        EXPECT_NEAR(timeline.messages[1].left, all ? 2e-3 : 2.5e-3, none);
        EXPECT_NEAR(timeline.messages[2].left, all ? 3e-3 : 4.5e-3, none);
    }
    // Alone: 2,500 of 4,000 bytes at once, the rest until 2.5; the first byte again, 2 to receive.
    Exchange one(2);
    one[0].send(1, input, whole);
    one[1].recv(0, output, whole);
    EXPECT_NEAR(one.run(network, 4000).time, 4.5e-3 + 1e-6, none);
    EXPECT_NEAR(network.alone(0, 1, 4000), 4.5e-3 + 1e-6, none);
}

// Two messages of 4,000 bytes to one rank, posted at 1 and 2 ms. In order the first is through at 5
// ms, the second at 9; with no order the second halves the first's 3,000 that are left (until 8),
// then has 1,000 of its own: 9 as well. Both arrive 10 ms later and take 2 ms each: with no order
// the second waits for that until 20.
TEST(Simulate, MessagesOfAPairKeepTheirOrderOrShareTheWire) {
    for (const bool ordered : {true, false}) {
        Exchange exchange(2);
        for (int message = 0; message < 2; ++message) {
            exchange[0].send(1, input, whole);
            exchange[1].recv(0, scratch(message), whole);
        }
        Network network = one_subnet(2, true);
        network.ordered = ordered;
        const Timeline timeline = exchange.run(network, 4000);
        EXPECT_NEAR(timeline.messages[0].left, ordered ? 5e-3 : 8e-3, none);
        EXPECT_NEAR(timeline.messages[1].left, 9e-3, none);
        EXPECT_NEAR(timeline.messages[1].start, ordered ? 5e-3 : 2e-3, none);
        EXPECT_NEAR(timeline.time, ordered ? 21e-3 : 22e-3, none);
    }
}

// Two hosts send each other a message, and when they have received it another. Libraries ask before
// a long one; that question is answered behind what the other sends on the same connection: the
// second messages of 100,000 bytes go one after the other. Short ones do not ask, and those that
// wait for nothing are asked for at once.
TEST(Simulate, LongMessagesOfTwoRanksTakeTurns) {
    const auto apart = [](Bytes bytes, bool in_step) {
        Exchange exchange(2);
        for (const int rank : {0, 1}) {
            exchange[rank].recv(1 - rank, scratch(0), whole);
            exchange[rank].send(1 - rank, input, whole);
            exchange[rank].recv(1 - rank, scratch(1), whole);
            if (!in_step) exchange[rank].wait_also_for(0);
            exchange[rank].send(1 - rank, input, whole);
        }
        const Timeline timeline = exchange.run(one_subnet(2, false), bytes);
        return std::abs(timeline.messages[1].start - timeline.messages[3].start);
    };
    EXPECT_NEAR(apart(100000, false), 100e-3, none);
    EXPECT_NEAR(apart(60000, false), 0, none);
    EXPECT_NEAR(apart(100000, true), 0, none);
}

// A window of one: the second send starts when the first message has left at 5 ms, and is posted at
// 6, through at 10.
TEST(Simulate, AWindowWaitsForTheWire) {
    Exchange exchange(2);
    exchange[0].send(1, input, whole);
    exchange[0].wait_also_for(0);
    exchange[0].send(1, input, whole);
    exchange[1].recv(0, scratch(0), whole);
    exchange[1].recv(0, scratch(1), whole);
    const Timeline timeline = exchange.run(one_subnet(2, true), 4000);
    EXPECT_NEAR(timeline.messages[1].posted, 6e-3, none);
    EXPECT_NEAR(timeline.time, 22e-3, none);
    // 1 + 4, then 1 + 4 + 10 + 2.
    EXPECT_EQ(timeline.chain().size(), 6U);
    EXPECT_EQ(timeline.chain()[2].what, Step::What::send);
}

// A pace holds long messages alone: of 1,000 bytes the second is posted at 2 ms, before the first
// is through at 5.
TEST(Simulate, APaceIsForLongMessages) {
    for (const Bytes bytes : {Bytes{1000}, Bytes{4000}}) {
        Exchange paced(2), waiting(2), free(2);
        for (Exchange* exchange : {&paced, &waiting, &free}) {
            (*exchange)[0].send(1, input, whole);
            if (exchange == &paced) (*exchange)[0].pace_by(0);
            if (exchange == &waiting) (*exchange)[0].wait_also_for(0);
            (*exchange)[0].send(1, input, whole);
            (*exchange)[1].recv(0, scratch(0), whole);
            (*exchange)[1].recv(0, scratch(1), whole);
        }
        Exchange& same = bytes < least_paced ? free : waiting;
        const Timeline timeline = paced.run(one_subnet(2, true), bytes);
        EXPECT_NEAR(timeline.time, same.run(one_subnet(2, true), bytes).time, none);
        EXPECT_NEAR(timeline.messages[1].posted, bytes < least_paced ? 2e-3 : 6e-3, none);
    }
}

// Three hosts send to one at once through a switch of 1 MB/s, 3,000 bytes: the receiver's port is
// shared, 9 ms; then 10 ms on the way, and it takes them in one after the other: 2 ms each.
TEST(Simulate, AReceiverTakesOneMessageAfterTheOther) {
    Exchange exchange(4);
    for (int from : {1, 2, 3}) {
        exchange[from].send(0, input, whole);
        exchange[0].recv(from, scratch(from), whole);
    }
    Network network = one_subnet(4, false);
    network.frame.payload = 1;
    const Timeline timeline = exchange.run(network, 3000);
    EXPECT_NEAR(timeline.time, 1e-3 + 9e-3 + 10e-3 + 1e-6 + 6e-3, none);
    EXPECT_EQ(network.name(timeline.bottleneck()), "port of n0, in");
}

// A sum of three: both arrive at 1 + 1 + 10 ms (a switch), each 2 ms to receive, 3 ms to combine
// 1,000 bytes at 3 µs a byte; the copy that comes first is done long before.
TEST(Simulate, CombiningTakesItsTime) {
    Exchange exchange(3);
    exchange[0].copy(input, output, whole);
    for (int from : {1, 2}) {
        exchange[from].send(0, input, whole);
        exchange[0].reduce(from, output, whole);
    }
    Network network = one_subnet(3, true, 1e9);
    const Timeline timeline = exchange.run(network, 1000, {1e-6, 3e-6});
    // The two share the bus: 2 µs. Then receive, receive, combine, combine.
    EXPECT_NEAR(timeline.time, 1e-3 + 2e-6 + 10e-3 + 2 * 2e-3 + 2 * 3e-3, none);
    const auto chain = timeline.chain();
    EXPECT_NEAR(chain.front().start, 0, none);
    for (std::size_t step = 1; step < chain.size(); ++step)
        EXPECT_NEAR(chain[step].start, chain[step - 1].end, none);
    EXPECT_EQ(chain.back().what, Step::What::compute);
}

// A relay on an empty network: rank 1 passes on what it gets: twice a message, 18 ms each.
TEST(Simulate, ATaskStartsWhenItsWaitsAreDone) {
    Exchange exchange(3);
    exchange[0].send(1, input, whole);
    exchange[1].recv(0, output, whole);
    exchange[1].send(2, output, whole);
    exchange[2].recv(1, output, whole);
    const Timeline timeline = exchange.run(one_subnet(3, true), 5000);
    EXPECT_NEAR(timeline.time, 36e-3, none);
    EXPECT_EQ(timeline.chain().size(), 8U);
}

// Two buses of 10 Mbit/s, frames of 1,000 bytes: 4,000 bytes from one to the other take 3.2 ms and
// 0.8 ms for the first frame's second bus; meanwhile a message inside either bus takes its half.
TEST(Simulate, AMessageBetweenBusesLoadsBoth) {
    Network network = assemble_network({"a", "b", "c", "d"}, {{0, 0, 1, 1}},
                                       {{0, 0, bus, 1.25e6, 0}, {0, 1, bus, 1.25e6, 0}}, {});
    network.frame.payload = 1000;
    Exchange exchange(4);
    exchange[0].send(2, input, whole);
    exchange[2].recv(0, output, whole);
    EXPECT_NEAR(exchange.run(network, 4000).time, 4e-3, none);

    Exchange more(4);
    for (const auto& [from, to] : {std::pair{0, 2}, {1, 0}, {3, 2}}) {
        more[from].send(to, input, whole);
        more[to].recv(from, scratch(from), whole);
    }
    const Timeline timeline = more.run(network, 4000);
    EXPECT_NEAR(timeline.time, 6.4e-3 + 0.8e-3, none);
    EXPECT_NEAR(timeline.tasks[0].back().end, 6.4e-3, none);
}

// Ranks of one host: 1 µs and 5 GB/s, no link.
TEST(Simulate, RanksOfOneHostUseNoLink) {
    Network network = one_subnet(2, true);
    Builder one(1, false), two(1, false);
    one.send(1, input, whole);
    two.recv(0, output, whole);
    const Timeline timeline = simulate(network, {0, 0}, {one.finish(), two.finish()},
                                       [](Chunk, int) { return Bytes{5000}; });
    EXPECT_NEAR(timeline.time, 1e-3 + 1e-6 + 1e-6 + 2e-3, none);
    EXPECT_EQ(timeline.bottleneck(), -1);
}

TEST(Simulate, PiecesAreCutAsTheyAreWhenTheyRun) {
    const ChunkBytes parts = equal_chunks(Operation::bcast, 10, 4);
    EXPECT_EQ(parts(0, 3) + parts(1, 3) + parts(2, 3), 10);
    const ChunkBytes blocks = equal_chunks(Operation::gather, 10, 4);
    EXPECT_EQ(blocks(3, 1), 10);
    EXPECT_EQ(blocks(9, 3), blocks(0, 3));
    // One message for all ranks together.
    const ChunkBytes shares = equal_chunks(Operation::reduce_scatter, 10, 4);
    EXPECT_EQ(shares(0, 1) + shares(1, 1) + shares(2, 1) + shares(3, 1), 10);
}

// The same twice, to the bit; every message arrives after it left, every task after its waits; the
// chain of causes is whole from 0 to the end.
TEST(Simulate, RandomSchedulesMakeSense) {
    std::mt19937 random(5);
    for (int draw = 0; draw < 60; ++draw) {
        const Hierarchy hierarchy = parse_hierarchy("((0 3) (1 5 6)) (2 4 7) 8");
        Network network = assemble_network(
            {"a", "b", "c", "d", "e", "f", "g", "h", "i"}, {{0, 0, 1, 0, 1, 0, 0, 1, 2}},
            {{0, 0, draw % 2 ? bus : Medium::Kind::switched, 1e6, 5e5}, {0, 1, bus, 2e6, 0}},
            std::vector<double>(9, 1e6));
        network.ordered = random() % 2 == 0;
        for (int host = 0; host < 9; ++host) {
            network.send[static_cast<std::size_t>(host)] = {
                1e-5 * static_cast<double>(random() % 9), 1e-9};
            network.receive[static_cast<std::size_t>(host)] = {
                1e-5 * static_cast<double>(random() % 9), 0};
        }
        const Request request{static_cast<Operation>(random() % operation_count), &hierarchy,
                              static_cast<Rank>(random() % 9), true};
        const Bytes bytes = random() % (draw % 4 == 0 ? 400000 : 50000);
        for (const Choice& choice : candidates(request, bytes)) {
            if (!can_simulate(choice)) continue;
            const Costs costs{1e-9, draw % 3 == 0 ? 1e-8 : 0};
            const auto run = [&] {
                return simulate(network, each_its_host(9), choice, request, bytes, costs);
            };
            const Timeline timeline = run();
            EXPECT_EQ(timeline.time, run().time);
            for (const MessageTimes& message : timeline.messages) {
                EXPECT_LE(message.posted, message.start);
                EXPECT_LE(message.start, message.left);
                EXPECT_LE(message.left, message.arrived);
            }
            for (const LinkTimes& link : timeline.links) {
                EXPECT_LE(link.share, 1 + 1e-9);
                EXPECT_LE(link.busy, timeline.time * (1 + 1e-9));
            }
            const auto chain = timeline.chain();
            ASSERT_FALSE(chain.empty());
            EXPECT_NEAR(chain.front().start, 0, none);
            EXPECT_NEAR(chain.back().end, timeline.time, none);
            for (std::size_t step = 1; step < chain.size(); ++step)
                ASSERT_NEAR(chain[step].start, chain[step - 1].end, none)
                    << traits(request.operation).name << " " << to_text(choice) << " step " << step;
        }
    }
}

}  // namespace eco
