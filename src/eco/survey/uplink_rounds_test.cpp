// SPDX-License-Identifier: BSD-3-Clause
#include "eco/survey/uplink_rounds.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "eco/base/at.h"

namespace eco {

namespace {

std::vector<int> clusters_of(const std::vector<int>& sizes) {
    std::vector<int> found;
    for (std::size_t c = 0; c < sizes.size(); ++c)
        found.insert(found.end(), at(sizes[c]), static_cast<int>(c));
    return found;
}

bool is_in(const std::vector<int>& some, int id) {
    return std::find(some.begin(), some.end(), id) != some.end();
}

// The same round with rates, where the uplinks of what it tests carry so much, by cluster.
std::vector<StreamRate> with_rates(const std::vector<int>& cluster, const UplinkRound& round,
                                   const std::vector<double>& carries) {
    std::vector<StreamRate> streams = round.streams;
    const auto share = [&](bool out, int id) {
        const auto count = std::count_if(streams.begin(), streams.end(), [&](const auto& each) {
            return cluster[at(out ? each.from : each.to)] == id;
        });
        return carries[at(id)] / static_cast<double>(count);
    };
    for (StreamRate& each : streams) {
        const int from = cluster[at(each.from)], to = cluster[at(each.to)];
        each.rate = is_in(round.out, from) ? share(true, from) : share(false, to);
    }
    return streams;
}

// Rounds until a test is done.
int count_rounds(const std::vector<int>& sizes, const std::vector<double>& carries) {
    const auto cluster = clusters_of(sizes);
    std::mt19937 random(1);
    UplinkTest test(cluster);
    while (!test.is_done()) test.take(with_rates(cluster, test.next(random), carries), {});
    return static_cast<int>(test.rounds().size());
}

}  // namespace

TEST(UplinkRounds, AreFewerWhereAllCarryAlike) {
    EXPECT_EQ(count_rounds({4, 4, 4, 4}, {2, 2.1, 2, 2}), 4);
    EXPECT_EQ(count_rounds({4, 4, 4, 4}, {2, 2, 1, 2}), 8);
    EXPECT_EQ(count_rounds({4, 4, 4, 4}, {0, 1, 1, 1}), 8);
    EXPECT_EQ(count_rounds({4, 4, 4, 4}, {0, 0, 0, 0}), 8);
    // What leaves one of two enters the other; half of three's would leave one untested one way.
    EXPECT_EQ(count_rounds({4, 4}, {1, 1}), 4);
    EXPECT_EQ(count_rounds({4, 4, 4}, {1, 1, 1}), 6);
    EXPECT_EQ(count_rounds(std::vector<int>(20, 8), std::vector<double>(20, 1)), 16);
}

// Two clusters of four with links side by side: what leaves the first is a half in the rounds
// named.
TEST(UplinkRounds, AreRunAgainWhereOneCarriedLess) {
    const auto cluster = clusters_of({4, 4});
    const auto count = [&](const std::vector<int>& halves, const StreamRounds& drawn) {
        std::mt19937 random(1);
        UplinkTest test(cluster);
        for (int number = 0; !test.is_done(); ++number) {
            const UplinkRound round = test.next(random);
            const double carries = is_in(round.out, 0) && is_in(halves, number) ? 1 : 2;
            test.take(with_rates(cluster, round, {carries, carries}), drawn);
        }
        double sum = 0;
        for (const auto& streams : tested_alike(cluster, test.rounds(), 0, UplinkDirection::out))
            sum = std::max(sum, carried(cluster, streams, 0, UplinkDirection::out));
        return std::pair(test.rounds().size(), sum);
    };
    EXPECT_EQ(count({}, {}), (std::pair<std::size_t, double>(4, 2)));
    EXPECT_EQ(count({3}, {}), (std::pair<std::size_t, double>(5, 2)));
    EXPECT_EQ(count({0, 4}, {}), (std::pair<std::size_t, double>(6, 2)));
    // Nothing says that both were slow, but what was drawn before.
    EXPECT_EQ(count({0, 3}, {}), (std::pair<std::size_t, double>(4, 1)));
    EXPECT_EQ(count({0, 3}, {{{0, 4, 1}, {1, 5, 1}}}), (std::pair<std::size_t, double>(6, 2)));
    // A way that never carries so much again.
    EXPECT_EQ(count({0, 3}, {{{0, 4, 2}, {1, 5, 2}}}).first, 6U);
}

// Each cluster of two or more once each way at least, all its vertices if there are ends enough;
// nobody sends or receives two streams.
TEST(UplinkRounds, TestEachClusterBothWays) {
    std::mt19937 random(1);
    for (const std::vector<int>& sizes : {std::vector{4, 4},
                                          {3, 5},
                                          {2, 1, 1},
                                          {4, 4, 4},
                                          {4, 4, 4, 4},
                                          {2, 3, 4, 5, 6, 1},
                                          std::vector<int>(20, 8),
                                          {40, 8, 8, 8}}) {
        const auto cluster = clusters_of(sizes);
        std::vector<int> out(sizes.size(), 0), in = out;
        for (int number = 0; number < count_uplink_rounds(cluster); ++number) {
            const UplinkRound round = uplink_round(cluster, number, random);
            std::map<int, int> sent, got;
            for (const StreamRate& each : round.streams) {
                EXPECT_NE(cluster[at(each.from)], cluster[at(each.to)]);
                EXPECT_EQ(++sent[each.from], 1);
                EXPECT_EQ(++got[each.to], 1);
            }
            const auto size = [&](const std::vector<int>& ids) {
                int sum = 0;
                for (const int id : ids) sum += sizes[at(id)];
                return sum;
            };
            const auto count = [&](const std::map<int, int>& some, const std::vector<int>& ids) {
                return std::count_if(some.begin(), some.end(), [&](const auto& each) {
                    return std::find(ids.begin(), ids.end(), cluster[at(each.first)]) != ids.end();
                });
            };
            // Of two clusters what leaves one enters the other.
            const bool both = sizes.size() == 2 && round.out.size() == 1 && round.in.size() == 1;
            const int all = static_cast<int>(cluster.size());
            const int ends = all - size(round.out) - (both ? 0 : size(round.in));
            EXPECT_EQ(count(sent, round.out), std::min(size(round.out), ends));
            EXPECT_EQ(count(got, round.in),
                      std::min(size(round.in), both ? size(round.out) : ends));
            for (const int id : round.out) ++out[at(id)];
            for (const int id : round.in) ++in[at(id)];
        }
        for (std::size_t c = 0; c < sizes.size(); ++c) {
            EXPECT_EQ(out[c] > 0, sizes[c] > 1) << c;
            EXPECT_EQ(in[c] > 0, sizes[c] > 1) << c;
        }
    }
}

// So that none is full that is not tested.
TEST(UplinkRounds, SpreadStreamsOverTheOthers) {
    std::mt19937 random(1);
    const auto found = streams_between({{0, 1, 2, 3}}, {{4, 5, 6, 7}, {8, 9, 10, 11}}, random);
    ASSERT_EQ(found.size(), 4U);
    EXPECT_EQ(std::count_if(found.begin(), found.end(),
                            [](const StreamRate& each) { return each.to < 8; }),
              2);
}

}  // namespace eco
