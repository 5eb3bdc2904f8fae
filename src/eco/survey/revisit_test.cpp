// SPDX-License-Identifier: BSD-3-Clause
#include "eco/survey/revisit.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "eco/topology/partition.h"

namespace eco {

namespace {

constexpr double us = 1e-6, tolerance = 0.2;
constexpr int hosts = 7;

// Of four-subnets, n0 to n6: a bus, and a switch whose hosts are 20 µs apart. Other programs kept
// the two processors busy; visits of 5 samples. Leasts, microseconds, and by how many times the
// medians of all 15 samples are longer.
constexpr double least[hosts][hosts] = {{0, 997, 995, 992, 2930, 3960, 3017},
                                        {0, 0, 3666, 2526, 3050, 3765, 3981},
                                        {0, 0, 0, 2514, 4822, 3439, 5763},
                                        {0, 0, 0, 0, 3471, 3073, 3445},
                                        {0, 0, 0, 0, 0, 1039, 56},
                                        {0, 0, 0, 0, 0, 0, 1587}};
constexpr double more[hosts][hosts] = {{0, 4.13, 3.01, 3.48, 0.37, 0.37, 0.87},
                                       {0, 0, 0.39, 0.58, 0.31, 0.14, 0.50},
                                       {0, 0, 0, 0.59, 0.23, 0.73, 0.18},
                                       {0, 0, 0, 0, 0.14, 0.29, 0.24},
                                       {0, 0, 0, 0, 0, 1.35, 43.87},
                                       {0, 0, 0, 0, 0, 0, 0.52}};

struct Measured {
    Timings timings{hosts};
    LeastOfVisits visits;
    Matrix cost{hosts};
};

// The visits that were not the best had the median as their least.
Measured measured(const double (&of)[hosts][hosts], const double (&times)[hosts][hosts]) {
    Measured found;
    for (int a = 0; a < hosts; ++a)
        for (int b = a + 1; b < hosts; ++b) {
            const Seconds best = of[a][b] * us, median = best * (1 + times[a][b]);
            found.timings.restore({a, b}, best, median, 15, 3);
            found.visits[{a, b}] = {best, median, median};
            found.cost.set(a, b, best);
        }
    return found;
}

bool names(const std::vector<HostPair>& pairs, HostPair pair) {
    return std::find(pairs.begin(), pairs.end(), pair) != pairs.end();
}

std::vector<HostPair> to_revisit(const Measured& all) {
    return pairs_to_revisit(all.timings, all.visits, all.cost, tolerance);
}

}  // namespace

// n5 is a subnet of its own by these times. The samples of its visits agree, so that their spread
// alone does not say that they were disturbed; other visits do.
TEST(Revisit, AHostThatMayBeAloneByDisturbedVisitsIsVisitedAgain) {
    const Measured all = measured(least, more);
    ASSERT_EQ(partition(all.cost, tolerance), (std::vector<int>{0, 0, 0, 0, 1, 2, 1}));
    const auto again = to_revisit(all);
    EXPECT_TRUE(names(again, {4, 5}));
    EXPECT_TRUE(names(again, {5, 6}));
    const auto lone = of_lone_hosts(again, all.cost, tolerance);
    EXPECT_TRUE(names(lone, {4, 5}));
    EXPECT_FALSE(names(lone, {4, 6}));
    EXPECT_FALSE(names(lone, {0, 1}));
}

// Three buses, of which others use the first: no visit yet of two of its pairs fits between their
// messages. All other pairs vary little.
TEST(Revisit, APairThatOthersDisturbIsVisitedAgainThoughMostAreNot) {
    Measured all{Timings(hosts), {}, Matrix(hosts)};
    constexpr int bus[hosts] = {0, 0, 0, 1, 1, 2, 2};
    const auto visit = [&](HostPair pair, double times) {
        const Seconds time = (bus[pair.first] == bus[pair.second] ? 950 : 1880) * us * times;
        all.timings.add(pair, std::vector<Seconds>(5, time));
        all.visits[pair].push_back(time);
        all.cost.set(pair.first, pair.second, all.timings.find(pair.first, pair.second)->least());
    };
    for (int a = 0; a < hosts; ++a)
        for (int b = a + 1; b < hosts; ++b)
            for (int time = 0; time < 8; ++time)
                visit({a, b}, b > 2 || b == 1 ? 1 + 0.005 * time : 1.5 + 0.2 * time);
    ASSERT_EQ(partition(all.cost, tolerance), (std::vector<int>{0, 0, 1, 2, 2, 3, 3}));
    EXPECT_TRUE(names(to_revisit(all), {0, 2}));
    EXPECT_TRUE(names(to_revisit(all), {1, 2}));
    visit({0, 2}, 1);
    EXPECT_FALSE(names(to_revisit(all), {3, 4}));
    EXPECT_EQ(partition(all.cost, tolerance), (std::vector<int>{0, 0, 0, 1, 1, 2, 2}));
}

// As many visits as cannot all have been disturbed.
TEST(Revisit, AHostThatStaysFarIsBelieved) {
    Measured all = measured(least, more);
    for (int visit = 0; visit < 40; ++visit)
        for (const HostPair& pair : {HostPair{4, 5}, HostPair{5, 6}})
            all.timings.add(pair, {1.6e-3, 1.7e-3, 1.8e-3, 1.8e-3, 1.9e-3});
    EXPECT_FALSE(names(to_revisit(all), {4, 5}));
    EXPECT_FALSE(names(to_revisit(all), {5, 6}));
}

// n5 a millisecond away, and nothing was disturbed.
TEST(Revisit, NothingOnAQuietNetwork) {
    double little[hosts][hosts], quiet[hosts][hosts];
    for (int a = 0; a < hosts; ++a)
        for (int b = 0; b < hosts; ++b) {
            little[a][b] = 0.02;
            quiet[a][b] = b == 5 || a == 5 ? 1000 : (a < 4) == (b < 4) ? (a < 4 ? 980 : 20) : 2000;
        }
    const Measured all = measured(quiet, little);
    EXPECT_TRUE(to_revisit(all).empty());
}

}  // namespace eco
