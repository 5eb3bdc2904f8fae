// SPDX-License-Identifier: BSD-3-Clause
#include "eco/simulate/shared_gap.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "eco/base/at.h"
#include "eco/planners/choice_text.h"
#include "eco/simulate/simulate.h"

namespace eco {

namespace {

constexpr int hosts = 8;

// A switch whose ports take 1 us for a byte; 10 us for sender and receiver.
Network cluster(Seconds on_the_way = 1e-4) {
    Network network =
        assemble_network(std::vector<std::string>(hosts, "n"), {std::vector<int>(hosts)}, {},
                         std::vector<double>(hosts, 1e6));
    network.send.assign(hosts, {1e-5, 0});
    network.receive.assign(hosts, {1e-5, 0});
    network.fixed.assign(hosts, std::vector<double>(hosts, on_the_way));
    return network;
}

std::vector<int> all() {
    std::vector<int> ring(hosts);
    std::iota(ring.begin(), ring.end(), 0);
    return ring;
}

GapRings rings() { return gap_rings(cluster(), all()); }

Seconds collective(const Network& network, Operation operation, const char* choice) {
    const Hierarchy hierarchy = flat_hierarchy(hosts);
    const Request request{operation, &hierarchy, 0, true};
    return simulate(network, all(), parse_choice(choice), request, 1).time;
}

// As if a network were measured that is so, each ring five times.
StepTimes measured(const Network& network, const GapRings& of) {
    return {std::vector(5, step_time(network, of.all)),
            {std::vector(5, step_time(network, of.halves[0])),
             std::vector(5, step_time(network, of.halves[1]))},
            std::vector(5, half_round_trip(network, of.two))};
}

StepTimes measured(Seconds gap) {
    Network network = cluster();
    network.shared_gap = gap;
    return measured(network, rings());
}

// So many times as long as measured without a gap.
StepTimes longer(double of_all, double of_half, double of_two) {
    StepTimes steps = measured(0);
    for (Seconds& step : steps.all) step *= of_all;
    for (std::vector<Seconds>& half : steps.halves)
        for (Seconds& step : half) step *= of_half;
    for (Seconds& step : steps.two) step *= of_two;
    return steps;
}

SharedGap found(const StepTimes& steps) { return find_shared_gap(cluster(), rings(), steps); }

}  // namespace

TEST(SharedGap, IsFoundByTheTimeOfARing) {
    for (const Seconds gap : {40e-6, 60e-6, 90e-6}) {
        EXPECT_GE(found(measured(gap)).gap, 0.99 * gap);
        EXPECT_LE(found(measured(gap)).gap, 1.1 * gap);
        EXPECT_EQ(found(measured(gap)).unclear, "");
    }
}

TEST(SharedGap, IsNothingWhereEachHostHasItsOwnProcessors) {
    for (const double all_longer : {0.9, 1.2}) {
        EXPECT_EQ(found(longer(all_longer, 1, 1)).gap, 0);
        EXPECT_EQ(found(longer(all_longer, 1, 1)).unclear, "");
    }
    EXPECT_GT(found(longer(2, 1, 1)).gap, 0);
}

TEST(SharedGap, IsNothingWhereHalfOfTheHostsTakeAboutAsLong) {
    EXPECT_EQ(found(longer(3, 2.5, 1)).gap, 0);
    EXPECT_EQ(found(longer(3, 2.5, 1)).unclear, "");
    EXPECT_GT(found(longer(3, 1.5, 1)).gap, 0);
}

// Slow hosts that are neighbours make one half as slow as all.
TEST(SharedGap, IsNothingWhereOneHalfTakesAboutAsLong) {
    StepTimes steps = longer(3, 1.2, 1);
    EXPECT_GT(found(steps).gap, 0);
    for (Seconds& step : steps.halves[1]) step *= 2.5;
    EXPECT_EQ(found(steps).gap, 0);
    EXPECT_EQ(found(steps).unclear, "");
}

// What is predicted without a gap hides part of what processors take: more of it in a half.
TEST(SharedGap, IsFoundByWhatRingsTakeLongerThanPredicted) {
    const StepTimes steps = longer(1.5, 1.25, 1);
    EXPECT_GT(found(steps).gap, 0);
}

TEST(SharedGap, LeavesOutWhatTwoHostsAloneTakeLonger) {
    EXPECT_EQ(found(longer(1.6, 1.5, 1.5)).gap, 0);
    const Seconds gap = found(measured(60e-6)).gap;
    StepTimes steps = measured(60e-6);
    for (std::vector<Seconds>* times : {&steps.all, &steps.halves[0], &steps.halves[1], &steps.two})
        for (Seconds& step : *times) step *= 1.5;
    EXPECT_NEAR(found(steps).gap, gap, 0.01 * gap);
}

TEST(SharedGap, IsUnclearIfPairsTookLongerWhenTheyWereTimed) {
    EXPECT_NE(found(longer(1, 1, 0.7)).unclear, "");
    EXPECT_EQ(found(longer(1, 1, 0.8)).unclear, "");
    EXPECT_GT(found(longer(2, 1, 0.7)).gap, 0);
}

// A ring's times vary by themselves, those of two hosts only if something else runs.
TEST(SharedGap, IsOfTheMediansWhereTwoHostsWereNotDisturbed) {
    StepTimes steps = measured(60e-6);
    const Seconds gap = found(steps).gap;
    for (std::vector<Seconds>* times :
         {&steps.all, &steps.halves[0], &steps.halves[1], &steps.two}) {
        times->front() *= 5;
        times->back() *= times == &steps.two ? 1 : 0.7;
    }
    EXPECT_TRUE(settled(steps));
    EXPECT_EQ(found(steps).gap, gap);
    StepTimes disturbed = steps;
    disturbed.two[1] *= 1.3;
    disturbed.two[2] *= 1.3;
    EXPECT_FALSE(settled(disturbed));
    EXPECT_EQ(found(disturbed).gap, 0);
    EXPECT_NE(found(disturbed).unclear, "");
    steps.two.pop_back();
    EXPECT_FALSE(settled(steps));
}

TEST(SharedGap, IsNoLongerThanMostMessagesAreOnTheirWay) {
    const Seconds longest = longest_shared_gap(cluster(), all());
    EXPECT_GT(longest, 0.9e-4);
    EXPECT_LT(longest, 1e-4);
    Network network = cluster();
    network.fixed[2][3] = network.fixed[5][6] = 0.5e-4;
    EXPECT_EQ(longest_shared_gap(network, all()), longest);
    EXPECT_NEAR(longest_shared_gap(cluster(0.5e-4), all()), 0.5 * longest, 0.05 * longest);
    const double most = hosts * longest / step_time(cluster(), all());
    EXPECT_NEAR(found(longer(1.1 * most, 0.5 * most, 1)).gap, longest, 0.01 * longest);
    EXPECT_NEAR(found(longer(1.4 * most, 0.5 * most, 1)).gap, longest, 0.01 * longest);
    EXPECT_EQ(found(longer(1.7 * most, 0.5 * most, 1)).gap, 0);
    EXPECT_NE(found(longer(1.7 * most, 0.5 * most, 1)).unclear, "");
}

// Two hosts on a fast switch, beside six whose messages take a hundred times as long.
TEST(SharedGap, IsFoundWhereSomeMessagesAreOnTheirWayForAMomentOnly) {
    Network network = cluster();
    network.fixed[2][3] = network.fixed[3][2] = 1e-6;
    const GapRings of = gap_rings(network, all());
    network.shared_gap = 60e-6;
    const StepTimes steps = measured(network, of);
    const SharedGap found = find_shared_gap(network, of, steps);
    EXPECT_GE(found.gap, 0.99 * 60e-6);
    EXPECT_LE(found.gap, 1.1 * 60e-6);
    EXPECT_EQ(found.unclear, "");
}

// Where messages are on their way for a moment only, as a gap is no longer than that; and where one
// way takes as long as all turns together.
TEST(SharedGap, IsNotLookedForWhereItCouldNotShow) {
    EXPECT_TRUE(could_show_gap(cluster(), rings()));
    Network network = cluster();
    network.fixed[2][3] = 1e-6;
    EXPECT_TRUE(could_show_gap(network, gap_rings(network, all())));
    EXPECT_FALSE(could_show_gap(cluster(1e-6), gap_rings(cluster(1e-6), all())));
    network = cluster();
    network.fixed[3][4] = network.fixed[4][3] = 10e-3;
    EXPECT_FALSE(could_show_gap(network, gap_rings(network, all())));
    EXPECT_EQ(gap_rings(network, all()).two, (std::vector<int>{3, 4}));
}

// Each host's own steps are timed: those after the far one get their messages late, and in time
// order. Hosts with processors of their own, one of which is far, have no gap.
TEST(SharedGap, OneHostThatIsFarIsPredictedToMakeStepsLonger) {
    Network network = cluster();
    const Seconds near = step_time(network, all());
    for (int other = 0; other < hosts; ++other)
        if (other != 3) network.fixed[3][at(other)] = network.fixed[at(other)][3] = 5e-3;
    EXPECT_GT(step_time(network, all()), 2 * near);
}

TEST(SharedGap, IsMeasuredBySomeOfManyHosts) {
    EXPECT_EQ(rings().all, all());
    EXPECT_EQ(rings().halves[0], (std::vector<int>{0, 1, 2, 3}));
    EXPECT_EQ(rings().halves[1], (std::vector<int>{4, 5, 6, 7}));
    EXPECT_EQ(halves_of_gap_ring({5, 6, 7})[0], (std::vector<int>{5, 6}));
    EXPECT_EQ(halves_of_gap_ring({5, 6, 7})[1], (std::vector<int>{6, 7}));
    EXPECT_EQ(halves_of_gap_ring({5, 6, 7, 8, 9})[1], (std::vector<int>{8, 9}));
    EXPECT_EQ(hosts_in_gap_ring(24), 24U);
    EXPECT_EQ(hosts_in_gap_ring(25), 13U);
    EXPECT_EQ(hosts_in_gap_ring(128), 22U);
}

// Of a message that is handled in the turn of the one before a quarter counts, so that each message
// of a ring takes one gap in all. The host that is timed may have had its first turns two earlier.
TEST(SharedGap, IsTakenOnceByEachMessageOfARing) {
    Network network = cluster(2e-3);
    network.shared_gap = 1e-3;
    EXPECT_GE(step_time(network, all()), hosts * 0.999e-3);
    EXPECT_LE(step_time(network, all()), (hosts + 2.001 / steps_timed) * 1e-3);
    const double messages = hosts * (hosts - 1);
    EXPECT_NEAR(collective(network, Operation::allgather, "ring"), messages * 1e-3,
                0.15 * messages * 1e-3);
}

TEST(SharedGap, IsNotOfMessagesInsideAHost) {
    Network network = cluster();
    const std::vector<int> one_host{0, 0, 0, 0};
    const Seconds without = step_time(network, one_host);
    network.shared_gap = 1e-3;
    EXPECT_EQ(step_time(network, one_host), without);
}

// Seven ranks that send at once take turns of three quarters. The root's is the eighth, in which it
// takes the five messages that have arrived, four of them for a quarter; the last two wait for its
// end.
TEST(SharedGap, MessagesWaitForEachOther) {
    Network network = cluster(2e-3);
    const Seconds one_by_one = collective(network, Operation::gather, "star");
    network.shared_gap = 1e-3;
    const Seconds in_turns = collective(network, Operation::gather, "star");
    EXPECT_NEAR(in_turns, 8 * 0.75e-3 + 4 * 0.25e-3, 0.1e-3);
    EXPECT_GT(in_turns, 3 * one_by_one);
}

// A message takes no more processor time than it is on its way.
TEST(SharedGap, AMessageAloneTakesAsLongAsWithoutIt) {
    Network network = cluster();
    network.fixed[0][1] = network.fixed[1][0] = 1e-6;
    const Hierarchy pair = flat_hierarchy(2);
    const Request request{Operation::bcast, &pair, 0, true};
    for (const std::vector<int>& two : {std::vector{0, 1}, std::vector{2, 3}}) {
        const auto lone = [&](Seconds gap) {
            network.shared_gap = gap;
            return simulate(network, two, parse_choice("star"), request, 1).time;
        };
        EXPECT_EQ(lone(1e-3), lone(0));
    }
}

// A copy needs no turn of the processors and gives none: four sends at once take turns.
TEST(SharedGap, MessagesWaitAfterACopyToo) {
    Network network = cluster(2e-3);
    network.shared_gap = 1e-3;
    const std::vector<Chunk> whole{0};
    std::vector<Program> programs;
    for (int rank = 0; rank < hosts; ++rank) {
        Builder builder(1, false);
        if (rank < 4) {
            builder.copy(input, scratch(0), whole);
            builder.send(rank + 4, scratch(0), whole);
        } else {
            builder.recv(rank - 4, output, whole);
        }
        programs.push_back(builder.finish());
    }
    const Timeline timeline =
        simulate(network, all(), programs, [](Chunk, int) { return Bytes{1}; });
    Seconds last = 0;
    for (const MessageTimes& message : timeline.messages) last = std::max(last, message.posted);
    EXPECT_NEAR(last, 3 * 0.75e-3, 0.05e-3);
}

}  // namespace eco
