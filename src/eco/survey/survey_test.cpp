// SPDX-License-Identifier: BSD-3-Clause
#include "eco/survey/survey.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "eco/survey/simulated_prober.h"

namespace eco {

namespace {

struct Drawn {
    DrawnNetwork network;
    std::vector<Hint> hints;
};

Drawn drawn(DrawSettings settings, unsigned seed) {
    std::mt19937 random(seed);
    Drawn found;
    found.network = draw_network(settings, random, found.hints);
    return found;
}

Survey surveyed(const Drawn& drawn, SimulatedProber& prober) {
    return survey(likely_orders(drawn.hints), prober, {},
                  Timings(static_cast<int>(drawn.hints.size())));
}

double visits_per_host(const Survey& found) {
    return 2.0 * static_cast<double>(found.visits) / found.timings.hosts();
}

// Eight racks of eight hosts at two sites.
std::vector<Hint> add_racks(DrawnNetwork& network) {
    std::vector<Hint> hints;
    for (int host = 0; host < 64; ++host) {
        const int rack = host / 8;
        network.hosts.push_back({{rack / 4, rack}, 1});
        hints.push_back({"n" + std::to_string(host), "", ""});
    }
    return hints;
}

}  // namespace

TEST(Survey, FewHostsHaveAllPairsTimed) {
    const Drawn network = drawn({.hosts = 12, .racks = 3}, 1);
    SimulatedProber prober(network.network, 2);
    const Survey found = surveyed(network, prober);
    EXPECT_EQ(found.visits, 66U);
    EXPECT_EQ(found.checks, 0);
    EXPECT_EQ(found.not_compared, 0);
}

TEST(Survey, FindsWhatAllPairsGiveFromFewVisits) {
    for (unsigned seed = 1; seed <= 3; ++seed) {
        const Drawn network = drawn({.hosts = 300}, seed);
        SimulatedProber prober(network.network, seed);
        const Survey found = surveyed(network, prober);
        EXPECT_EQ(found.levels, network.network.levels_of_all(0.2)) << seed;
        EXPECT_LT(visits_per_host(found), 30) << seed;
    }
}

// Busy hosts: most messages take twice as long. Second visits of what is unclear are worth it.
TEST(Survey, FewBusyHostsAreVisitedAgainUntilTheirSubnetsAreClear) {
    int right = 0;
    for (unsigned seed = 1; seed <= 50; ++seed) {
        Drawn network = drawn({.hosts = 16, .even = true, .racks = 4, .slow_hosts = 0}, seed);
        network.network.disturbance = 1;
        network.network.hiccups = 0.3;
        SimulatedProber prober(network.network, seed);
        right += surveyed(network, prober).levels.back() == network.network.racks();
    }
    EXPECT_GE(right, 48);
}

// Programs of others on the processors of the lab: three visits of ten are disturbed as a whole, so
// that their samples agree.
TEST(Survey, VisitsThatAreDisturbedAsAWholeAreNoBoundary) {
    int right = 0;
    for (unsigned seed = 1; seed <= 50; ++seed) {
        DrawnNetwork network;
        const std::vector<Hint> hints = add_racks(network);
        network.apart = {5.7e-3, 280e-6, 15e-6};
        network.busy = 0.3;
        SimulatedProber prober(network, seed);
        const Survey found = survey(likely_orders(hints), prober, {}, Timings(64));
        right += found.levels == network.levels_of_all(0.2);
    }
    EXPECT_GE(right, 49);
}

// As MPICH on racks-64: told to yield, it sleeps 50 µs in each look for a message, so that times in
// one rack differ by a factor of two, alike in all visits. Racks fell apart, and their parts were
// compared with each other.
TEST(Survey, ALibraryThatSleepsWhileItLooksMakesNoSubnets) {
    int right = 0;
    double most_visits = 0;
    for (unsigned seed = 1; seed <= 50; ++seed) {
        DrawnNetwork network;
        const std::vector<Hint> hints = add_racks(network);
        network.apart = {5.7e-3, 450e-6, 75e-6};
        network.look = 50e-6;
        SimulatedProber prober(network, seed);
        SurveySettings settings;
        settings.look = network.look;
        const Survey found = survey(likely_orders(hints), prober, settings, Timings(64));
        right += found.levels == network.levels_of_all(0.2);
        most_visits = std::max(most_visits, visits_per_host(found));
    }
    EXPECT_GE(right, 49);
    EXPECT_LT(most_visits, 30);
}

// A slow host decides them, by a hundredth of its distance; of 50, one in a cluster whose least
// edge is another slow host's.
TEST(Survey, FindsWiderLevelsThatFewPairsDecide) {
    for (const unsigned seed : {46U, 50U, 57U, 77U}) {
        const Drawn network = drawn({.hosts = 1024}, seed);
        SimulatedProber prober(network.network, seed);
        EXPECT_EQ(surveyed(network, prober).levels, network.network.levels_of_all(0.2)) << seed;
    }
}

// Its rack was compared with others in its place, as the slow host is far from all of them.
TEST(Survey, FindsTheRackThatASlowHostIsNearestTo) {
    const Drawn network = drawn({.hosts = 1024, .useless_names = true}, 4);
    SimulatedProber prober(network.network, 4);
    EXPECT_EQ(surveyed(network, prober).levels, network.network.levels_of_all(0.2));
}

// 120 racks; about as many hosts stand in the place of another. These find their racks first, and
// what they were compared with on their way saves comparing the racks.
TEST(Survey, HostsInTheWrongPlaceCompareTheRacksWhileTheyLookForTheirOwn) {
    for (const unsigned seed : {11U, 31U}) {
        const Drawn network = drawn({.hosts = 3000}, seed);
        SimulatedProber prober(network.network, seed);
        const Survey found = surveyed(network, prober);
        EXPECT_EQ(found.levels.back(), network.network.racks()) << seed;
        EXPECT_LT(visits_per_host(found), 16.5) << seed;
    }
}

// Three hosts and a slow one, of four racks: equally far from each other, and compared with their
// racks by the slow one, which is far from all.
TEST(Survey, AFewHostsThatAreOnlyEquallyFarAreNoRack) {
    const Drawn network = drawn({.hosts = 1024}, 125);
    SimulatedProber prober(network.network, 125);
    EXPECT_EQ(surveyed(network, prober).levels, network.network.levels_of_all(0.2));
}

// Large racks alone are left without a comparison: not hosts in the wrong place, nor a few of these
// that are only equally far from each other.
TEST(Survey, WhereVisitsAreShortAllHostsFindTheirRacks) {
    SurveySettings settings;
    settings.comparisons_per_host = 0.1;
    double not_compared = 0;
    for (unsigned seed = 1; seed <= 6; ++seed) {
        const Drawn network = drawn({.hosts = 1500}, seed);
        SimulatedProber prober(network.network, seed);
        const Survey found = survey(likely_orders(network.hints), prober, settings, Timings(1500));
        EXPECT_EQ(found.levels.back(), network.network.racks()) << seed;
        not_compared = std::max(not_compared, found.not_compared);
    }
    EXPECT_GT(not_compared, 0.3);
}

TEST(Survey, NamesThatSayNothingCostVisitsNotTheResult) {
    const Drawn network = drawn({.hosts = 400, .useless_names = true}, 5);
    SimulatedProber prober(network.network, 5);
    const Survey found = surveyed(network, prober);
    // The subnets; wider levels may depend on a slow host's distance by a hair.
    EXPECT_EQ(found.levels.back(), network.network.levels_of_all(0.2).back());
    EXPECT_LT(visits_per_host(found), 30);
}

TEST(Survey, WhatIsKnownIsNotTimedAgain) {
    const Drawn network = drawn({.hosts = 100}, 6);
    SimulatedProber prober(network.network, 6);
    Survey found = surveyed(network, prober);
    const auto levels = found.levels;
    const Survey again = survey(likely_orders(network.hints), prober, {}, std::move(found.timings));
    EXPECT_EQ(again.levels, levels);
    EXPECT_LT(again.visits, found.visits / 5);
}

TEST(Survey, OneSwitchIsOneSubnet) {
    const Drawn network = drawn({.hosts = 200, .racks = 1, .slow_hosts = 0}, 7);
    SimulatedProber prober(network.network, 7);
    const Survey found = surveyed(network, prober);
    EXPECT_EQ(found.levels, (Levels{std::vector<int>(network.hints.size(), 0)}));
    EXPECT_LT(visits_per_host(found), 8);
}

using Orders = std::vector<std::vector<int>>;

TEST(Hints, NumbersInNamesCountAsNumbers) {
    EXPECT_EQ(likely_orders({{"n10", "", ""}, {"n9", "", ""}, {"m3", "", ""}}),
              (Orders{{2, 1, 0}}));
    EXPECT_EQ(likely_orders({{"n2", "b.x", "7"}, {"n1", "b.y", "8"}, {"n3", "a.x", "9"}}),
              (Orders{{2, 0, 1}, {0, 1, 2}, {1, 0, 2}}));
}

TEST(Hints, HostsOfOneSpeedAreProbablyNear) {
    EXPECT_EQ(likely_orders({{"n1", "", "9", 1000},
                             {"n2", "", "8", 100},
                             {"n3", "", "7", 1000},
                             {"n4", "", "6", 100}}),
              (Orders{{3, 1, 2, 0}, {3, 2, 1, 0}, {0, 1, 2, 3}}));
    EXPECT_EQ(likely_orders({{"n2", "", "", 1000}, {"n1", "", "", 1000}, {"n3", "", "", 100}}),
              (Orders{{2, 1, 0}, {1, 0, 2}}));
}

TEST(Hints, TopologyGoesBeforeSpeedAndOneSpeedSaysNothing) {
    EXPECT_EQ(likely_orders(
                  {{"n1", "b.x", "1", 100}, {"n2", "a.x", "3", 1000}, {"n3", "b.y", "2", 1000}}),
              (Orders{{1, 0, 2}, {0, 2, 1}, {0, 1, 2}}));
    EXPECT_EQ(likely_orders({{"n2", "", "", 1000}, {"n1", "", "", 1000}}), (Orders{{1, 0}}));
    EXPECT_EQ(likely_orders({{"n2", "", "", 1000}, {"n1", "", "", 0}}), (Orders{{1, 0}}));
}

TEST(Survey, SpeedsSaveVisitsWhereNamesSayNothing) {
    DrawSettings settings{.useless_names = true, .even = true, .racks = 16};
    const Drawn without = drawn(settings, 7);
    settings.speeds = 3;
    const Drawn with = drawn(settings, 7);
    SimulatedProber some(without.network, 7), fewer(with.network, 7);
    const Survey one = surveyed(without, some), two = surveyed(with, fewer);
    EXPECT_EQ(one.levels, two.levels);
    EXPECT_LT(two.visits, one.visits);
}

TEST(DisjointParts, NoPartNamesAHostTwice) {
    std::vector<HostPair> pairs;
    for (int a = 0; a < 8; ++a)
        for (int b = a + 1; b < 8; ++b) pairs.emplace_back(a, b);
    const auto parts = disjoint_parts(pairs, 8);
    std::size_t sum = 0;
    for (const auto& part : parts) {
        std::vector<int> named(8, 0);
        for (const std::size_t pair : part)
            for (const int host : {pairs[pair].first, pairs[pair].second})
                EXPECT_EQ(named[static_cast<std::size_t>(host)]++, 0);
        sum += part.size();
    }
    EXPECT_EQ(sum, pairs.size());
    EXPECT_LE(parts.size(), 11U);
    EXPECT_EQ(disjoint_parts(pairs, 8, 1).size(), pairs.size());
}

}  // namespace eco
