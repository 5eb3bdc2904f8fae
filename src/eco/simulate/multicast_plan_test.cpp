// SPDX-License-Identifier: BSD-3-Clause
#include "eco/simulate/multicast_plan.h"

#include <gtest/gtest.h>

#include <random>

#include "eco/schedule/verify.h"
#include "eco/topology/profile.h"

namespace eco {

namespace {

// A random sparse graph's messages.
std::vector<Multicast> drawn(int ranks, int degree, Bytes bytes, unsigned seed) {
    std::mt19937 random(seed);
    std::vector<Multicast> messages;
    for (Rank source = 0; source < ranks; ++source) {
        messages.push_back({source, bytes, {}});
        for (Rank to = 0; to < ranks; ++to)
            if (to != source &&
                static_cast<int>(random() % static_cast<unsigned>(ranks - 1)) < degree)
                messages.back().destinations.push_back(to);
    }
    return messages;
}

// Buses of 10 Mbit/s with 4, 2 and 5 hosts, a switch of 100 Mbit/s with 2, one of 10 with 7.
Network campus() {
    std::vector<std::string> names;
    Levels levels{std::vector<int>{}};
    const std::vector<int> sizes{4, 2, 5, 2, 7};
    std::vector<double> ports;
    for (int subnet = 0; subnet < 5; ++subnet)
        for (int i = 0; i < sizes[static_cast<std::size_t>(subnet)]; ++i) {
            names.push_back("n" + std::to_string(names.size()));
            levels[0].push_back(subnet);
            ports.push_back(subnet == 3 ? 12.5e6 : 1.25e6);
        }
    Network network = assemble_network(names, levels,
                                       {{0, 0, Medium::Kind::bus, 1.25e6, 0},
                                        {0, 1, Medium::Kind::bus, 1.25e6, 0},
                                        {0, 2, Medium::Kind::bus, 1.25e6, 0}},
                                       ports);
    network.send.assign(20, {50e-6, 1e-9});
    network.receive.assign(20, {50e-6, 1e-9});
    network.fixed.assign(20, std::vector<double>(20, 300e-6));
    network.frame = {1448, 98, 66};
    return network;
}

std::vector<int> hosts_of_their_own(int ranks) {
    std::vector<int> host_of;
    for (int rank = 0; rank < ranks; ++rank) host_of.push_back(rank);
    return host_of;
}

}  // namespace

TEST(MulticastPlan, IsRightAndNeverSimulatesBehindEachStraight) {
    const Network network = campus();
    for (unsigned seed = 0; seed < 6; ++seed) {
        const int ranks = 12 + 4 * static_cast<int>(seed % 3);
        const auto messages =
            drawn(ranks, 2 + static_cast<int>(seed), seed % 2 ? 65536 : 1000, seed);
        const auto plan = plan_multicasts(network, hosts_of_their_own(ranks), messages);
        EXPECT_LE(plan.time, plan.direct * 1.01) << plan.name;
        const Hierarchy hierarchy = flat_hierarchy(ranks);
        const Request request{Operation::neighbor_allgather, &hierarchy, 0, true, &messages};
        EXPECT_EQ(
            verify(request, [&](Rank me) { return plan.programs[static_cast<std::size_t>(me)]; }),
            "")
            << plan.name;
    }
}

// Slow buses are crossed once on the way out, by trees that the load decides.
TEST(MulticastPlan, OnSlowBusesForwardingWins) {
    const auto plan = plan_multicasts(campus(), hosts_of_their_own(20), drawn(20, 8, 65536, 1));
    EXPECT_TRUE(plan.name.starts_with("spread:")) << plan.name;
    EXPECT_LT(plan.time * 1.4, plan.direct) << plan.name;
}

// Eight switches with hosts of one rank each.
Network switches(int ranks) {
    std::vector<std::string> names;
    std::vector<int> subnet_of;
    std::vector<Medium> media;
    for (int host = 0; host < ranks; ++host) {
        names.push_back("n" + std::to_string(host));
        subnet_of.push_back(host / (ranks / 8));
    }
    for (int subnet = 0; subnet < 8; ++subnet)
        media.push_back({0, subnet, Medium::Kind::switched, 12.5e6, 12.5e6});
    const std::vector<double> ports(names.size(), 12.5e6);
    return assemble_network(names, {subnet_of}, media, ports);
}

// Each rank plans for all, in the program's call.
TEST(MulticastPlan, TakesABoundedNumberOfSteps) {
    // Many short trees, of which each way to send them takes long to simulate; few wide ones, which
    // have many shapes.
    const auto many = drawn(256, 4, 65536, 1);
    auto wide = drawn(512, 512, 65536, 1);
    wide.resize(4);
    for (const auto& [ranks, messages] : {std::pair{256, many}, std::pair{512, wide}}) {
        const auto plan = plan_multicasts(switches(ranks), hosts_of_their_own(ranks), messages);
        EXPECT_LT(plan.work, 7'000'000) << plan.name;
        EXPECT_GT(plan.work, 1'000'000) << plan.name;
        EXPECT_LT(plan.time, plan.direct) << plan.name;
    }
}

// Of a dense graph each bus carries a message once, however many get it; of few destinations
// nothing is gained.
TEST(MulticastPlan, IpMulticastWhereItIsFaster) {
    Network network = campus();
    network.mcasts = {{std::vector<bool>(20, true), 1.2e6}};
    const auto host_of = hosts_of_their_own(20);
    const auto dense = drawn(20, 19, 16000, 1), sparse = drawn(20, 1, 16000, 1);
    const auto without = plan_multicasts(network, host_of, dense);
    EXPECT_FALSE(without.by_mcast);
    const auto with = plan_multicasts(network, host_of, dense, ByMcast::may);
    EXPECT_TRUE(with.by_mcast);
    EXPECT_EQ(with.name, "mcast");
    EXPECT_LT(2 * with.time, without.time);
    EXPECT_FALSE(plan_multicasts(network, host_of, sparse, ByMcast::may).by_mcast);
    // Reports, one from each receiver, are longer than these.
    EXPECT_FALSE(plan_multicasts(network, host_of, drawn(20, 19, 16, 1), ByMcast::may).by_mcast);
    EXPECT_TRUE(plan_multicasts(network, host_of, dense, ByMcast::must).by_mcast);
    EXPECT_FALSE(plan_multicasts(campus(), host_of, dense, ByMcast::must).by_mcast);
}

TEST(MulticastPlan, IsTheSameAgain) {
    const auto messages = drawn(20, 6, 65536, 2);
    const auto one = plan_multicasts(campus(), hosts_of_their_own(20), messages),
               two = plan_multicasts(campus(), hosts_of_their_own(20), messages);
    EXPECT_EQ(one.name, two.name);
    EXPECT_EQ(one.time, two.time);
}

}  // namespace eco
