// SPDX-License-Identifier: BSD-3-Clause
// No schedule of ours is ever simulated below the bound.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "eco/bounds/bound.h"
#include "eco/planners/choice_text.h"
#include "eco/selection/candidates.h"
#include "eco/simulate/simulate.h"
#include "eco/topology/build_hierarchy.h"
#include "eco/topology/rail_network.h"

namespace eco {

namespace {

using Random = std::mt19937;

double between(Random& random, double least, double most) {
    return least + (most - least) * static_cast<double>(random() % 10001) / 10000;
}

// Hosts in up to three levels of clusters of random sizes, numbered in no order.
Levels random_levels(int hosts, Random& random) {
    std::vector<int> order;
    for (int host = 0; host < hosts; ++host) order.push_back(host);
    std::shuffle(order.begin(), order.end(), random);
    Levels levels(1 + random() % 3, std::vector<int>(order.size(), 0));
    std::vector<int> ids(levels.size(), 0);
    for (const int host : order) {
        for (std::size_t level = 0; level < levels.size(); ++level)
            if (random() % 3 == 0) {
                for (std::size_t inner = level; inner < levels.size(); ++inner) ids[inner] += 1;
                break;
            }
        for (std::size_t level = 0; level < levels.size(); ++level)
            levels[level][static_cast<std::size_t>(host)] = ids[level];
    }
    return levels;
}

Network random_network(const Levels& levels, Random& random) {
    const std::size_t hosts = levels.front().size();
    std::vector<std::string> names;
    std::vector<double> ports;
    for (std::size_t host = 0; host < hosts; ++host) {
        names.push_back("n" + std::to_string(host));
        ports.push_back(random() % 8 ? between(random, 1e6, 2e7) : 0);
    }
    std::vector<Medium> media;
    for (std::size_t level = 0; level < levels.size(); ++level)
        for (int id = 0; id < static_cast<int>(hosts); ++id)
            if (std::count(levels[level].begin(), levels[level].end(), id) > 1 && random() % 4)
                media.push_back({static_cast<int>(level), id,
                                 random() % 2 ? Medium::Kind::bus : Medium::Kind::switched,
                                 between(random, 1e6, 1e7),
                                 random() % 2 ? between(random, 1e6, 1e7) : 0});
    Network network = assemble_network(names, levels, media, ports);
    if (random() % 3 == 0)
        for (Link& link : network.links) link.burst = random() % 4 ? between(random, 0, 2e4) : 0;
    network.ordered = random() % 3 != 0;
    if (random() % 4) network.frame = {1448, 98, 66};
    const bool free = random() % 4 == 0;  // no overheads: only links count
    const bool apart = random() % 2;      // many are near, and some by way of others
    for (std::size_t a = 0; a < hosts; ++a) {
        if (!free) {
            network.send[a] = {between(random, 1e-6, 1e-3), random() % 2 ? 1e-9 : 0};
            network.receive[a] = {between(random, 1e-6, 1e-3), random() % 2 ? 1e-9 : 0};
        }
        for (std::size_t b = 0; b < hosts; ++b) {
            const double latency =
                apart ? std::pow(10, between(random, -5.5, -1.7)) : between(random, 1e-5, 2e-2);
            network.fixed[a][b] = a == b || free ? 0 : latency;
            if (random() % 5 == 0) network.cap[a][b] = between(random, 5e5, 2e7);
        }
    }
    return network;
}

// Up to three rails, which some of the hosts lack.
MeasuredRails random_rails(std::size_t hosts, Random& random) {
    MeasuredRails measured;
    const Table none(hosts, std::vector<double>(hosts, 0));
    for (std::size_t rail = 0; rail < 1 + random() % 3; ++rail) {
        measured.rails.push_back({"", std::vector<std::string>(hosts), none, none, {}});
        const double rate = between(random, 1e6, 2e7);
        for (std::size_t a = 0; a < hosts; ++a)
            for (std::size_t b = 0; b < a; ++b) {
                if (random() % 6 == 0) continue;
                auto& bandwidth = measured.rails.back().bandwidth;
                auto& latency = measured.rails.back().latency;
                bandwidth[a][b] = bandwidth[b][a] = rate * between(random, 0.9, 1.1);
                latency[a][b] = latency[b][a] = between(random, 1e-6, 1e-3);
            }
    }
    return measured;
}

// In some clusters, or in all, where all hosts but a few have it.
MeasuredMcast random_mcast(const Levels& levels, Random& random) {
    MeasuredMcast measured{{}, 1424, {}};
    for (std::size_t host = 0; host < levels.front().size(); ++host)
        measured.interfaces.push_back(random() % 8 ? "eth0" : "");
    for (int level = -1; level < static_cast<int>(levels.size()); ++level)
        for (int cluster = 0; cluster < (level < 0 ? 1 : 3); ++cluster)
            if (random() % 2)
                measured.areas.push_back({level, cluster, between(random, 1e6, 1e7), 0});
    // In some areas a datagram costs less than a message, or it is not known what it costs.
    for (std::size_t i = 0; i < measured.areas.size(); i += 2) {
        measured.areas[i].send = 1e-8 * static_cast<double>(i + 1);
        measured.areas[i].receive = 2e-6;
    }
    return measured;
}

std::vector<Choice> more_choices() {
    std::vector<Choice> choices;
    for (const char* text : {"k2",
                             "k3",
                             "star",
                             "chain",
                             "binomial",
                             "ring",
                             "butterfly",
                             "tree:top=chain,inner=k2,segments=3",
                             "tree:top=balanced,inner=chain,segments=5,window=2",
                             "tree:top=balanced,inner=star,segments=1",
                             "exchange:inner=star",
                             "exchange:inner=chain,segments=4,window=1",
                             "exchange:inner=star,segments=5,split=1",
                             "exchange:inner=star,segments=7,split=1,rotate=all",
                             "tree:top=relay,inner=star,segments=6,rotate=all",
                             "tree:top=relay,inner=star,segments=9,rotate=groups",
                             "ring:segments=2,on=levels",
                             "butterfly:on=levels",
                             "direct",
                             "direct:window=1",
                             "direct:segments=2,window=3",
                             "ordered",
                             "ordered:segments=3",
                             "ordered:on=ranks",
                             "mcast",
                             "mcast:segments=4",
                             "mcast:inner=k2,segments=4"})
        choices.push_back(parse_choice(text));
    return choices;
}

}  // namespace

class BoundHolds : public testing::TestWithParam<int> {};

TEST_P(BoundHolds, ForEverySchedule) {
    Random random(static_cast<unsigned>(GetParam()));
    for (int draw = 0; draw < 25; ++draw) {
        const int hosts = 1 + static_cast<int>(random() % 12);
        const Levels levels = random_levels(hosts, random);
        Network network = random_network(levels, random);
        Profile profile;
        if (draw % 2) profile.mcast = random_mcast(levels, random);
        if (profile.mcast) network.mcasts = mcast_reaches(*profile.mcast, levels);
        if (draw % 3 == 1)
            network.railed.push_back(
                over_rails(network, random_rails(network.hosts.size(), random), 2));
        profile.levels = levels;
        std::vector<int> host_of;
        for (int host = 0; host < hosts; ++host) {
            profile.hosts.push_back(network.hosts[static_cast<std::size_t>(host)]);
            profile.ring.push_back(host);
            const int ranks = draw % 3 == 0 ? static_cast<int>(random() % 3) : 1;
            host_of.insert(host_of.end(), static_cast<std::size_t>(ranks), host);
        }
        if (host_of.empty()) host_of.push_back(0);
        if (random() % 2) std::shuffle(host_of.begin(), host_of.end(), random);
        Hierarchy hierarchy = build_hierarchy(profile, host_of);
        hierarchy.rails = network.rails();
        const int ranks = hierarchy.ranks();
        for (int o = 0; o < operation_count; ++o) {
            const Bytes bytes = static_cast<Bytes>(std::pow(10, random() % 6)) * (random() % 10);
            const Request request{static_cast<Operation>(o), &hierarchy,
                                  static_cast<Rank>(random() % static_cast<unsigned>(ranks)),
                                  random() % 4 != 0};
            const Bound bound =
                find_bound(network, host_of, request.operation, request.root, bytes);
            auto choices = candidates(request, bytes);
            for (Choice choice : more_choices()) {
                choices.push_back(choice);
                choice.rails = 2;
                if (network.rails() > 1) choices.push_back(choice);
            }
            for (const Choice& choice : choices) {
                if (!supports(choice, request) || !can_simulate(choice)) continue;
                const Seconds time = simulate(network, host_of, choice, request, bytes).time;
                ASSERT_GE(time, bound.time)
                    << traits(request.operation).name << " of " << bytes << " bytes, root "
                    << request.root << ", " << to_text(choice) << " on " << describe(hierarchy.top)
                    << ": " << bound.reason;
            }
        }
    }
}

// Three hosts of one cluster are far from each other, and near to one outside, which passes on what
// they need.
TEST(BoundHolds, WhereOneOutsidePassesOn) {
    constexpr double near = 1e-4, far = 1e-3;
    Network network =
        assemble_network({"a", "b", "c", "d"}, {{1, 0, 0, 0}}, {}, std::vector<double>(4, 1e8));
    network.fixed = {
        {0, near, near, near}, {near, 0, far, far}, {near, far, 0, far}, {near, far, far, 0}};
    const std::vector<int> host_of{0, 1, 2, 3};
    const Hierarchy hierarchy = flat_hierarchy(4);
    const Request request{Operation::barrier, &hierarchy, 0, true};
    const Seconds time = simulate(network, host_of, parse_choice("star"), request, 0).time;
    EXPECT_LT(time, far);
    EXPECT_GE(time, find_bound(network, host_of, Operation::barrier, 0, 0).time);
}

INSTANTIATE_TEST_SUITE_P(Seeds, BoundHolds, testing::Range(1, 9));

// If one link decides, the bound is what a good schedule takes: nothing above would be left to
// claim. A broadcast on one bus of four hosts crosses it three times.
TEST(BoundHolds, AndIsMetWhereOneLinkDecides) {
    Network network = assemble_network({"a", "b", "c", "d"}, {{0, 0, 0, 0}},
                                       {{0, 0, Medium::Kind::bus, 1e6, 0}}, {});
    network.send.assign(4, {1e-4, 0});
    network.receive.assign(4, {1e-4, 0});
    network.fixed.assign(4, std::vector<double>(4, 1e-4));
    const std::vector<int> host_of{0, 1, 2, 3};
    const Hierarchy hierarchy = flat_hierarchy(4);
    const Request request{Operation::bcast, &hierarchy, 1, true};
    const Seconds time = simulate(network, host_of, parse_choice("star"), request, 100000).time;
    const Bound bound = find_bound(network, host_of, Operation::bcast, 1, 100000);
    EXPECT_NEAR(bound.time, 0.3003, 1e-6);
    EXPECT_NEAR(time / bound.time, 1, 1e-3);
}

}  // namespace eco
