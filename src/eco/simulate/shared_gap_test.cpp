// SPDX-License-Identifier: BSD-3-Clause
#include "eco/simulate/shared_gap.h"

#include <gtest/gtest.h>

#include <numeric>

#include "eco/simulate/simulate.h"

namespace eco {

namespace {

constexpr int hosts = 8;

// A switch whose ports take 1 us for a byte; 100 us on the way, 10 us for sender and receiver.
Network cluster() {
    Network network =
        assemble_network(std::vector<std::string>(hosts, "n"), {std::vector<int>(hosts)}, {},
                         std::vector<double>(hosts, 1e6));
    network.send.assign(hosts, {1e-5, 0});
    network.receive.assign(hosts, {1e-5, 0});
    network.fixed.assign(hosts, std::vector<double>(hosts, 1e-4));
    return network;
}

std::vector<int> all() {
    std::vector<int> ring(hosts);
    std::iota(ring.begin(), ring.end(), 0);
    return ring;
}

Seconds star(const Network& network, Operation operation) {
    const Hierarchy hierarchy = flat_hierarchy(hosts);
    return simulate(network, all(), parse_choice("star"), {operation, &hierarchy, 0, true}, 1).time;
}

}  // namespace

TEST(SharedGap, IsFoundByTheTimeOfARing) {
    Network network = cluster();
    for (const Seconds gap : {50e-6, 100e-6, 300e-6}) {
        network.shared_gap = gap;
        const Seconds measured = ring_time(network, all(), 1);
        network.shared_gap = find_shared_gap(cluster(), all(), 1, measured);
        EXPECT_NEAR(ring_time(network, all(), 1) / measured, 1, 0.01);
        EXPECT_GE(network.shared_gap, 0.99 * gap);
    }
}

TEST(SharedGap, IsNothingWhereEachHostHasItsOwnProcessors) {
    const Seconds alone = ring_time(cluster(), all(), 1);
    EXPECT_EQ(find_shared_gap(cluster(), all(), 1, 0.5 * alone), 0);
    EXPECT_EQ(find_shared_gap(cluster(), all(), 1, 1.2 * alone), 0);
    EXPECT_GT(find_shared_gap(cluster(), all(), 1, 1.5 * alone), 0);
}

TEST(SharedGap, IsNothingWhereTwoHostsAloneTakeLongerAlike) {
    const Seconds alone = ring_time(cluster(), all(), 1);
    EXPECT_EQ(find_shared_gap(cluster(), all(), 1, 1.6 * alone, 1.5), 0);
    EXPECT_GT(find_shared_gap(cluster(), all(), 1, 2.0 * alone, 1.5), 0);
    EXPECT_GT(find_shared_gap(cluster(), all(), 1, 1.5 * alone, 0.5), 0);
    EXPECT_EQ(find_shared_gap(cluster(), all(), 1, 1.2 * alone, 0.5), 0);
}

TEST(SharedGap, IsNotOfMessagesInsideAHost) {
    Network network = cluster();
    const std::vector<int> one_host{0, 0, 0, 0};
    const Seconds without = ring_time(network, one_host, 1);
    network.shared_gap = 1e-3;
    EXPECT_EQ(ring_time(network, one_host, 1), without);
}

// A lone message finds the processors free. Seven ranks that send at once take turns of three
// quarters; the root's is the eighth, in which it takes all that has arrived.
TEST(SharedGap, MessagesWaitForEachOther) {
    Network network = cluster();
    const Seconds one_by_one = star(network, Operation::gather);
    network.shared_gap = 1e-3;
    EXPECT_NEAR(star(network, Operation::gather), 7 * 0.75e-3, 0.2e-3);
    EXPECT_GT(star(network, Operation::gather), 10 * one_by_one);
    const std::vector<int> two{0, 1};
    const Hierarchy pair = flat_hierarchy(2);
    const Request request{Operation::bcast, &pair, 0, true};
    const auto lone = [&](Seconds gap) {
        network.shared_gap = gap;
        return simulate(network, two, parse_choice("star"), request, 1).time;
    };
    EXPECT_EQ(lone(100e-6), lone(0));
}

}  // namespace eco
