// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "check_schedule.h"
#include "drawn_for_test.h"
#include "eco/multicast/optimum_for_test.h"
#include "eco/multicast/pattern_bound.h"
#include "eco/multicast/work_racing_preemptive.h"
#include "paper_heuristics.h"
#include "planners.h"

namespace eco::multicast {

TEST(Heuristics, EveryScheduleIsRightAndNotBelowTheBound) {
    for (const auto& [ranks, sources] : {std::pair{2, 1}, {2, 2}, {3, 2}, {5, 5}, {8, 3}, {17, 17}})
        for (std::uint64_t seed = 0; seed < 54; ++seed) {
            const Pattern pattern = drawn(seed, ranks, sources);
            const Seconds least = bound(pattern).least;
            for (const Planner& heuristic : planners()) {
                const Schedule schedule = heuristic.plan(pattern);
                EXPECT_EQ(verify(pattern, schedule), "") << heuristic.name << ", seed " << seed;
                EXPECT_GE(schedule.completion, least * (1 - 1e-9)) << heuristic.name;
            }
        }
}

TEST(Heuristics, MoreThan64MessagesAndSeveralOfOneSource) {
    Pattern pattern = drawn(3, 70, 70);
    pattern.messages.push_back(pattern.messages[4]);
    for (const Planner& heuristic : planners())
        EXPECT_EQ(verify(pattern, heuristic.plan(pattern)), "") << heuristic.name;
}

TEST(Heuristics, NothingToSend) {
    const Pattern none = hand_pattern(3, {1, 0}, {1, 0}, {1, 0}, {});
    const Pattern nobody = hand_pattern(1, {1, 0}, {1, 0}, {1, 0}, {{0, 5, {}}});
    for (const Planner& heuristic : planners()) {
        EXPECT_EQ(heuristic.plan(none).completion, 0) << heuristic.name;
        EXPECT_EQ(verify(nobody, heuristic.plan(nobody)), "") << heuristic.name;
    }
    EXPECT_EQ(bound(none).least, 0);
}

// Send 1, transfer 2, receive 1, rank 0 to ranks 1 to 3. Rank 0 sends at 0, 1 and 2; they arrive at
// 3, 4 and 5; rank 1 has it at 4 and could deliver by 8 at the earliest. So all come from rank 0.
TEST(Heuristics, ABroadcastWorkedByHand) {
    const Pattern pattern = hand_pattern(4, {1, 0}, {2, 0}, {1, 0}, {{0, 5, {1, 2, 3}}});
    for (const Planner& heuristic : planners())
        EXPECT_DOUBLE_EQ(heuristic.plan(pattern).completion, 6) << heuristic.name;
}

// The two edges of rank 0 cost 4 and 9, that from 1 to 2 costs 4: fastest edge first relays over
// rank 1 and ends at 8. Alone, 0 to 2 takes 1 + 7 + 1 after the send to 1: 10.
TEST(Heuristics, FastestEdgeFirstTakesTheCheapestEdge) {
    Pattern pattern = hand_pattern(3, {1, 0}, {2, 0}, {1, 0}, {{0, 5, {1, 2}}});
    pattern.model.transfers[2] = {7, 0};
    EXPECT_DOUBLE_EQ(fastest_edge_first(pattern).completion, 8);
}

// Ranks 0 and 1 each have a message for the other and for rank 2 (send 1, transfer 9, receive 1).
// Appending, rank 0 first waits for what it receives, until 11, before its second send, which then
// arrives at 21; preempting it sends at 1 already, both messages are at rank 2 by 11 and received
// by 13 at most.
TEST(Heuristics, PreemptingDoesNotWaitForWhatIsStillUnderWay) {
    const Pattern pattern =
        hand_pattern(3, {1, 0}, {9, 0}, {1, 0}, {{0, 5, {1, 2}}, {1, 5, {0, 2}}});
    EXPECT_DOUBLE_EQ(work_racing_preemptive(pattern).completion, 13);
    EXPECT_GT(work_racing(pattern).completion, 13);
}

TEST(Heuristics, TheFastestOfEqualVirtualTimesReceivesFirst) {
    Pattern pattern = hand_pattern(3, {1, 0}, {2, 0}, {4, 0}, {{0, 5, {1, 2}}});
    pattern.model.receive[2] = {1, 0};
    for (const auto plan : {work_racing, work_racing_preemptive})
        EXPECT_EQ(plan(pattern).ranks[0][0].peer, 2);
}

}  // namespace eco::multicast
