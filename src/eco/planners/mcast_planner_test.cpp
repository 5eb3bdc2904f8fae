// SPDX-License-Identifier: BSD-3-Clause
// Where multicast reaches parts of the network; that every schedule is right: planner_test.cpp.
#include <gtest/gtest.h>

#include <algorithm>

#include "eco/planners/choice_text.h"
#include "eco/planners/extent.h"
#include "eco/planners/mcast_areas.h"
#include "eco/planners/planner.h"
#include "eco/schedule/verify.h"

namespace eco {

namespace {

const char* const areas = "{0 1 2} {3 4 5} {6 7 8} {9 10 11}";

Request request_on(const Hierarchy& hierarchy, Operation operation, Rank root = 0) {
    return {operation, &hierarchy, root, true};
}

std::ptrdiff_t tasks_of(const Request& request, const char* choice, Rank rank, Kind kind) {
    const Program program = plan(parse_choice(choice), request, rank);
    return std::count_if(program.tasks.begin(), program.tasks.end(),
                         [kind](const Task& task) { return task.kind == kind; });
}

TEST(MulticastInParts, TheTopShapesTheTreeBetweenThem) {
    const Hierarchy hierarchy = parse_hierarchy(areas);
    for (const Operation operation : {Operation::bcast, Operation::allreduce}) {
        const Request request = request_on(hierarchy, operation);
        const auto sends = [&](const char* choice) {
            return tasks_of(request, choice, 0, Kind::send);
        };
        EXPECT_EQ(sends("mcast:segments=2"), 2 * 3);
        EXPECT_EQ(sends("mcast:top=chain,segments=2"), 2 * 1);
        EXPECT_EQ(sends("mcast:top=binomial,segments=2"), 2 * 2);
        EXPECT_EQ(sends("mcast:top=relay,segments=2"), 2 * 1);
    }
}

// One in each area, and no message inside.
TEST(MulticastInParts, InsideEverythingIsMulticast) {
    const Hierarchy hierarchy = parse_hierarchy(areas);
    for (const char* choice : {"mcast:segments=2", "mcast:top=chain,segments=2"}) {
        const Request request = request_on(hierarchy, Operation::bcast, 4);
        std::ptrdiff_t all = 0;
        for (Rank rank = 0; rank < request.ranks(); ++rank) {
            all += tasks_of(request, choice, rank, Kind::mcast);
            for (const Task& task : plan(parse_choice(choice), request, rank).tasks)
                EXPECT_FALSE(task.kind == Kind::send && task.peer / 3 == rank / 3);
        }
        EXPECT_EQ(all, 2 * 4);
    }
}

// A segment goes on as soon as it has come, whatever those before it do.
TEST(MulticastInParts, SegmentsFollowEachOther) {
    const Hierarchy hierarchy = parse_hierarchy(areas);
    const Request request = request_on(hierarchy, Operation::bcast);
    const Program leader = plan(parse_choice("mcast:top=chain,segments=4"), request, 3);
    std::size_t passed_on = 0;
    for (const Task& task : leader.tasks)
        if (task.kind != Kind::recv) {
            EXPECT_EQ(leader.waits_of(task).size(), 1U);
            ++passed_on;
        }
    EXPECT_EQ(passed_on, 8U);
}

// Every area multicasts each block once: its own ranks theirs, its leader those of others.
TEST(MulticastInParts, BlocksOfAllComeOnceToEachArea) {
    const Hierarchy hierarchy = parse_hierarchy(areas);
    const Request request = request_on(hierarchy, Operation::allgather);
    for (const char* choice : {"mcast", "mcast:top=chain,segments=1", "mcast:top=relay"}) {
        ASSERT_EQ(verify(request, [&](Rank me) { return plan(parse_choice(choice), request, me); }),
                  "");
        for (Rank rank = 0; rank < request.ranks(); ++rank) {
            const bool leads = rank % 3 == 0;
            EXPECT_EQ(tasks_of(request, choice, rank, Kind::mcast), leads ? 1 + 9 : 1);
            EXPECT_EQ(tasks_of(request, choice, rank, Kind::recv), leads ? 9 : 0);
        }
    }
    EXPECT_EQ(tasks_of(request, "mcast", 1, Kind::send), 3);
    EXPECT_EQ(tasks_of(request, "mcast:top=chain", 1, Kind::send), 1);
    EXPECT_EQ(tasks_of(request, "mcast:top=chain", 3, Kind::send), 1 + 6);
}

// No two ranks of an area multicast at once: a rank waits for the block before its own, and the
// leader with those of others for the last one.
TEST(MulticastInParts, BlocksOfAnAreaTakeTurns) {
    const Hierarchy hierarchy = parse_hierarchy(areas);
    const Request request = request_on(hierarchy, Operation::allgather);
    for (const Rank rank : {1, 2, 3}) {
        const Program program = plan(parse_choice("mcast:top=chain"), request, rank);
        const Rank before = rank == 3 ? 5 : rank - 1;
        bool first = rank == 3;  // its own comes first of all
        for (const Task& task : program.tasks) {
            if (task.kind != Kind::mcast || std::exchange(first, false)) continue;
            const auto waits = program.waits_of(task);
            EXPECT_TRUE(std::any_of(waits.begin(), waits.end(), [&](std::int32_t wait) {
                const Task& other = program.tasks[static_cast<std::size_t>(wait)];
                return other.kind == Kind::mcast_recv && other.peer == before;
            })) << rank;
        }
    }
}

TEST(MulticastInParts, WhatComesFromOutsideComesToOneRank) {
    Hierarchy hierarchy = parse_hierarchy("({0 1 2} {3 4 5}) ({6 7 8} {9 10 11}) 12");
    hierarchy.top.parts[0].leader = 4;
    hierarchy.top.parts[0].parts[1].leader = 5;
    const Group between = between_areas(hierarchy.top);
    EXPECT_EQ(area_of(between, 3)->first(), 4);
    EXPECT_EQ(area_of(between, 2)->first(), 0);
    EXPECT_EQ(area_of(between, 12), nullptr);
    for (const Operation operation : {Operation::bcast, Operation::allgather, Operation::allreduce})
        for (const char* choice : {"mcast", "mcast:top=chain,segments=2"})
            for (const Rank root : {0, 3, 4, 7, 12}) {
                if (root > 0 && !traits(operation).rooted()) break;
                const Request request = request_on(hierarchy, operation, root);
                EXPECT_EQ(verify(request,
                                 [&](Rank me) { return plan(parse_choice(choice), request, me); }),
                          "")
                    << choice << " root " << root;
            }
}

TEST(MulticastInParts, NoProgramIsLongerThanItsExtent) {
    for (const char* text : {areas, "({0 1 2} {3 4 5} 6) ({7 8 9} {10 11}) [12 13] 14",
                             "{0 1} {2 3} {4 5} {6 7} {8 9}", "{0 1} 2 3 4 5 6 [7 8 9]"}) {
        const Hierarchy hierarchy = parse_hierarchy(text);
        const Request request = request_on(hierarchy, Operation::allgather);
        for (const char* name : {"mcast", "mcast:top=chain,segments=2", "mcast:top=balanced",
                                 "mcast:top=binomial,inner=k2", "mcast:top=relay,segments=3"}) {
            const Extent most = extent(parse_choice(name), request);
            std::size_t longest = 0;
            for (Rank rank = 0; rank < request.ranks(); ++rank) {
                const Program program = plan(parse_choice(name), request, rank);
                EXPECT_LE(static_cast<double>(program.tasks.size()), most.tasks) << name << text;
                EXPECT_LE(static_cast<double>(program.chunks.size()), most.chunks) << name << text;
                longest = std::max(longest, program.tasks.size());
            }
            EXPECT_LE(most.tasks, 5 * static_cast<double>(longest) + 64) << name << text;
        }
    }
}

}  // namespace

}  // namespace eco
