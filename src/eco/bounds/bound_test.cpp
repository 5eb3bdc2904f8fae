// SPDX-License-Identifier: BSD-3-Clause
#include "eco/bounds/bound.h"

#include <gtest/gtest.h>

#include <utility>

namespace eco {

namespace {

constexpr double rounding = 1e-8;  // relative

// Three buses of 1.25 MB/s with 3, 3 and 2 hosts; TCP's headers and acknowledgements: 16,000 bytes
// take about 13.7 ms of a bus.
Network three_segments() {
    std::vector<std::string> hosts;
    for (int host = 0; host < 8; ++host) hosts.push_back("n" + std::to_string(host));
    std::vector<Medium> media;
    for (int cluster = 0; cluster < 3; ++cluster)
        media.push_back({0, cluster, Medium::Kind::bus, 1.25e6, 0});
    Network network = assemble_network(hosts, {{0, 0, 0, 1, 1, 1, 2, 2}}, media, {});
    network.frame = {1460, 78, 0};
    return network;
}

Network one_switch(int hosts, double rate) {
    return assemble_network(std::vector<std::string>(static_cast<std::size_t>(hosts), "n"),
                            {std::vector<int>(static_cast<std::size_t>(hosts), 0)}, {},
                            std::vector<double>(static_cast<std::size_t>(hosts), rate));
}

// Of two hosts each, with 100 MB/s inside and an uplink of 1 MB/s.
Network four_sites() {
    std::vector<Medium> media;
    for (int site = 0; site < 4; ++site)
        media.push_back({0, site, Medium::Kind::switched, 1e8, 1e6});
    return assemble_network({"a", "b", "c", "d", "e", "f", "g", "h"}, {{0, 0, 1, 1, 2, 2, 3, 3}},
                            media, std::vector<double>(8, 1e8));
}

const std::vector<int> eight{0, 1, 2, 3, 4, 5, 6, 7};

}  // namespace

// Whatever the root, 16,000 bytes cross some bus three times: from n0 its two neighbours and once
// out of three; from n7 each host of a bus of three. With 78 bytes more for each of 11 frames that
// is 13.5 ms each, 40.5 in all; the paper's 41.
TEST(Bound, ThreeSegmentsNeedThreeCrossings) {
    const Network network = three_segments();
    for (Rank root = 0; root < 8; ++root)
        for (const Operation operation : {Operation::bcast, Operation::reduce}) {
            const Bound bound = find_bound(network, eight, operation, root, 16000);
            const double crossing = (16000 + 11 * 78) / 1.25e6;
            EXPECT_GE(bound.time, 3 * crossing * (1 - rounding));
            EXPECT_LE(bound.time, 3 * crossing + 0.3e-3);
            EXPECT_NEAR(bound.time, 41e-3, 1e-3);
        }
    const Bound bound = find_bound(network, eight, Operation::bcast, 0, 16000);
    EXPECT_EQ(bound.reason, "bus of n0 … n2 must carry 50574 bytes");
}

// By multicast 16,000 bytes cross each bus once, each rank's block of an allgather too, and of an
// allreduce what every host says: three here, and what comes in.
TEST(Bound, MulticastCrossesABusOnce) {
    Network network = three_segments();
    const auto crossings = [&](Operation operation) {
        const double crossing = (16000 + 11 * 78) / 1.25e6;
        return find_bound(network, eight, operation, 0, 16000).time / crossing;
    };
    const double scatter = crossings(Operation::scatter), reduce = crossings(Operation::reduce);
    const auto reach = [](std::vector<bool> holds) {
        return Network::McastReach{std::move(holds), 1.25e6};
    };
    network.mcasts = {reach({true, true, false, false, false, false, false, false})};
    EXPECT_NEAR(crossings(Operation::bcast), 3, 0.1);  // two and what is outside are not reached
    network.mcasts = {reach(std::vector<bool>(8, true))};
    EXPECT_NEAR(crossings(Operation::bcast), 1, 0.1);
    EXPECT_NEAR(crossings(Operation::allgather), 8, 0.1);
    EXPECT_NEAR(crossings(Operation::allreduce), 4, 0.1);
    EXPECT_EQ(crossings(Operation::scatter), scatter);  // nobody needs the same as another
    EXPECT_NEAR(crossings(Operation::reduce), reduce, 0.1);
}

// A bus of three in which no message is needed twice, but the two others have but one host each:
// both can get it from outside, yet somebody must send it there.
TEST(Bound, CopiesMustComeFromSomeBus) {
    std::vector<Medium> media{{0, 0, Medium::Kind::bus, 1e6, 0},
                              {0, 1, Medium::Kind::bus, 1e6, 0},
                              {0, 2, Medium::Kind::bus, 1e6, 0}};
    Network network =
        assemble_network({"a", "b", "c", "d", "e", "f"}, {{0, 0, 1, 1, 2, 2}}, media, {});
    network.frame.payload = 1 << 20;
    // Each bus: one or two in; two out between them: 1 + 2 + 2 + 2 crossings on three buses.
    const Bound bound = find_bound(network, {0, 1, 2, 3, 4, 5}, Operation::bcast, 0, 300);
    EXPECT_NEAR(bound.time, 7.0 / 3 * 300e-6, 1e-9);
    EXPECT_NE(bound.reason.find("subnets together"), std::string::npos);
}

// Into each port of a switch the message must come; out of the root's at least once.
TEST(Bound, PortsOfASwitch) {
    Network network = one_switch(4, 1e6);
    const std::vector<int> four{0, 1, 2, 3};
    const auto time = [&](Operation operation, Bytes bytes) {
        return find_bound(network, four, operation, 2, bytes).time;
    };
    EXPECT_NEAR(time(Operation::bcast, 1000), 1e-3, 1e-9);
    EXPECT_NEAR(time(Operation::scatter, 1000), 3e-3, 1e-9);
    EXPECT_NEAR(time(Operation::gather, 1000), 3e-3, 1e-9);
    EXPECT_NEAR(time(Operation::allgather, 1000), 3e-3, 1e-9);
    EXPECT_NEAR(time(Operation::alltoall, 1000), 3e-3, 1e-9);
    EXPECT_NEAR(time(Operation::reduce_scatter, 4000), 3e-3, 1e-9);
    EXPECT_NEAR(time(Operation::scan, 1000), 1e-3, 1e-9);
    // 2(n-1)/n of the message: what a ring does.
    EXPECT_NEAR(time(Operation::allreduce, 1000), 1.5e-3, 1e-9);
    EXPECT_EQ(time(Operation::barrier, 1000), 0);
}

// Out of rank order each run of a site's ranks needs another sum of those at the other one.
TEST(Bound, AScanCrossesOnceForEachRun) {
    const auto switched = Medium::Kind::switched;
    const Network network =
        assemble_network({"a", "b", "c", "d", "e", "f"}, {{0, 0, 0, 1, 1, 1}},
                         {{0, 0, switched, 1e9, 1e6}, {0, 1, switched, 1e9, 1e6}}, {});
    for (const Operation operation : {Operation::scan, Operation::exscan}) {
        const auto time = [&](const std::vector<int>& host_of) {
            return find_bound(network, host_of, operation, 0, 1000000).time;
        };
        EXPECT_NEAR(time({0, 1, 2, 3, 4, 5}), 1, 0.01);
        EXPECT_NEAR(time({0, 3, 4, 1, 2, 5}), 2, 0.01);
        EXPECT_NEAR(time({0, 3, 1, 4, 2, 5}), 3, 0.01);
        EXPECT_NEAR(time({3, 0, 1, 4, 5, 2}), 2, 0.01);
    }
}

// All of four on one bus need something of all: six messages; of two that have others outside:
// four.
TEST(Bound, SumsForAllOnABus) {
    const std::vector<Medium> media{{0, 0, Medium::Kind::bus, 1e6, 0}};
    const Network one = assemble_network({"a", "b", "c", "d"}, {{0, 0, 0, 0}}, media, {});
    EXPECT_NEAR(find_bound(one, {0, 1, 2, 3}, Operation::allreduce, 0, 1000).time, 6e-3, 1e-9);
    const Network two = assemble_network({"a", "b", "c", "d"}, {{0, 0, 1, 1}}, media, {});
    EXPECT_NEAR(find_bound(two, {0, 1, 2, 3}, Operation::allreduce, 0, 1000).time, 4e-3, 1e-9);
}

// Four sites with uplinks: half as much again as a message enters each, multicast or not.
TEST(Bound, SumsForAllEnterEachSite) {
    Network network = four_sites();
    const auto time = [&] {
        return find_bound(network, eight, Operation::allreduce, 0, 100000).time;
    };
    EXPECT_NEAR(time(), 150e-3, 1e-3);
    network.mcasts = {Network::McastReach{std::vector<bool>(8, true), 1e6}};
    EXPECT_NEAR(time(), 150e-3, 1e-3);
}

// Two sites 20 ms apart, 2 MB/s between them: 1 ms to send, 16,000 bytes in 8 ms, 20 ms, 2 ms to
// receive. All to all: four blocks each way for each host here, 16 in all.
TEST(Bound, AnUplinkAndItsLatency) {
    Network network = assemble_network(
        {"a", "b", "c", "d", "e", "f", "g", "h"}, {{0, 0, 0, 0, 1, 1, 1, 1}},
        {{0, 0, Medium::Kind::switched, 1e8, 2e6}, {0, 1, Medium::Kind::switched, 1e8, 2e6}},
        std::vector<double>(8, 1e8));
    network.send.assign(8, {1e-3, 0});
    network.receive.assign(8, {2e-3, 0});
    for (int a = 0; a < 8; ++a)
        for (int b = 0; b < 8; ++b)
            network.fixed[static_cast<std::size_t>(a)][static_cast<std::size_t>(b)] =
                (a < 4) == (b < 4) ? 1e-4 : 20e-3;
    const auto time = [&](Operation operation, Bytes bytes) {
        return find_bound(network, eight, operation, 0, bytes).time;
    };
    EXPECT_NEAR(time(Operation::bcast, 16000), 31e-3, 1e-7);
    EXPECT_NEAR(time(Operation::alltoall, 16000), 23e-3 + 16 * 8e-3, 1e-7);
    // Near ranks are told by way of the far ones' send and receive alone.
    EXPECT_NEAR(time(Operation::bcast, 0), 23e-3, 1e-7);
    EXPECT_NE(find_bound(network, eight, Operation::bcast, 0, 0).reason.find("path from"),
              std::string::npos);
}

// Four sites of two hosts with 1 MB/s each: six messages over four uplinks, though each uplink by
// itself need carry but one.
TEST(Bound, SumsForAllOverUplinks) {
    const Network network = four_sites();
    EXPECT_NEAR(find_bound(network, eight, Operation::allreduce, 0, 1000).time, 1.5e-3, 1e-8);
    EXPECT_NEAR(find_bound(network, {0, 1, 2, 3}, Operation::allreduce, 0, 1000).time, 1e-3, 1e-8);
}

// Four sites with 1 MB/s each, 10 ms apart. 1,000 bytes leave the root's three times and take 10 ms
// more: whoever passed them on would need 20. Of 16,000 those that leave in the first T - 20 ms may
// leave once, the others within 10 ms three times: T - 20 + 10/3 = 16, 32.7 ms in all.
TEST(Bound, OneOrAllByItself) {
    Network network = four_sites();
    for (std::size_t a = 0; a < 8; ++a)
        for (std::size_t b = 0; b < 8; ++b) network.fixed[a][b] = a / 2 == b / 2 ? 0 : 10e-3;
    const auto time = [&](Operation operation, Bytes bytes) {
        return find_bound(network, eight, operation, 5, bytes).time;
    };
    for (const Operation operation : {Operation::bcast, Operation::reduce, Operation::allreduce}) {
        EXPECT_NEAR(time(operation, 1000), 13e-3, 1e-8);
        EXPECT_NEAR(time(operation, 16000), 36e-3 - 10e-3 / 3, 1e-8);
    }
    // Both hosts' blocks.
    EXPECT_NEAR(time(Operation::allgather, 500), 13e-3, 1e-8);
    // Whoever scatters sends every block once.
    EXPECT_NEAR(time(Operation::scatter, 1000), 16e-3, 1e-8);
    EXPECT_NE(find_bound(network, eight, Operation::bcast, 5, 1000).reason.find("3 others"),
              std::string::npos);
}

// 1 ms to send, 1 ms to receive, 1 ms on the way: the first is told at 3 ms, the next by the root
// at 4, then at 5 by the root, at 6 by the root and by the first: five ranks need 6 ms.
TEST(Bound, RanksTellEachOtherOneAfterTheOther) {
    Network network = one_switch(5, 1e12);
    network.send.assign(5, {1e-3, 0});
    network.receive.assign(5, {1e-3, 0});
    network.fixed.assign(5, std::vector<double>(5, 1e-3));
    const std::vector<int> five{0, 1, 2, 3, 4};
    EXPECT_NEAR(find_bound(network, five, Operation::bcast, 3, 0).time, 6e-3, 1e-8);
    EXPECT_NEAR(find_bound(network, five, Operation::reduce, 3, 0).time, 6e-3, 1e-8);
    EXPECT_NEAR(find_bound(network, five, Operation::barrier, 0, 0).time, 6e-3, 1e-8);
}

// Taking in 3,000 bytes at 1 µs a byte, and sending as many.
TEST(Bound, ARankMustDoItsPart) {
    Network network = one_switch(4, 1e9);
    network.send.assign(4, {0, 1e-6});
    network.receive.assign(4, {0, 2e-6});
    const std::vector<int> four{0, 1, 2, 3};
    const Bound bound = find_bound(network, four, Operation::alltoall, 0, 1000);
    EXPECT_NEAR(bound.time, 9e-3, 1e-8);
    EXPECT_EQ(bound.reason, "rank 0 on n must send 3000 and receive 3000 bytes");
}

TEST(Bound, OfOneRankIsNothing) {
    const Network network = one_switch(2, 1e9);
    EXPECT_EQ(find_bound(network, {0}, Operation::bcast, 0, 1000).time, 0);
    EXPECT_NEAR(find_bound(network, {1, 1}, Operation::bcast, 0, 1000).time, 1e-6, 1e-12);
}

}  // namespace eco
