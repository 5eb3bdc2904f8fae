// SPDX-License-Identifier: BSD-3-Clause
// How often schedules cross each level of the network, against the least that the operation allows
// (Karonis, sections 2 and 3.1).
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "eco/planners/choice_text.h"
#include "eco/planners/planner.h"
#include "eco/schedule/verify.h"

namespace eco {

namespace {

// The depth at which two ranks part: 0 between the parts of the widest group.
int level_between(const Group& group, Rank a, Rank b) {
    for (const Group& part : group.parts)
        if (part.holds(a) && part.holds(b)) return 1 + level_between(part, a, b);
    return 0;
}

int least_crossings(const Group& group, int level) {
    if (group.is_rank()) return 0;
    if (level == 0) return static_cast<int>(group.parts.size()) - 1;
    int sum = 0;
    for (const Group& part : group.parts) sum += least_crossings(part, level - 1);
    return sum;
}

class Schedule {
public:
    Schedule(const std::string& choice, const Request& request)
        : request_(request), ranks_(request.ranks()) {
        const Choice parsed = parse_choice(choice);
        for (Rank rank = 0; rank < ranks_; ++rank) programs_.push_back(plan(parsed, request, rank));
        EXPECT_EQ(verify(request, [&](Rank rank) { return program(rank); }), "");
        for (Rank rank = 0; rank < ranks_; ++rank)
            for (std::size_t t = 0; t < program(rank).tasks.size(); ++t) {
                const Task& task = program(rank).tasks[t];
                if (task.kind == Kind::send) sends_[{rank, task.peer, task.tag}] = t;
            }
    }

    std::map<int, int> messages_by_level() const {
        std::map<int, int> count;
        for (const auto& [key, task] : sends_) ++count[level(std::get<0>(key), std::get<1>(key))];
        return count;
    }

    std::map<std::pair<Rank, Rank>, int> messages_between_ranks() const {
        std::map<std::pair<Rank, Rank>, int> count;
        for (const auto& [key, task] : sends_) ++count[{std::get<0>(key), std::get<1>(key)}];
        return count;
    }

    // Sent over the widest level.
    int most_crossings_of_a_rank() const {
        std::map<Rank, int> count;
        int most = 0;
        for (const auto& [key, task] : sends_)
            if (level(std::get<0>(key), std::get<1>(key)) == 0)
                most = std::max(most, ++count[std::get<0>(key)]);
        return most;
    }

    // Most crossings of the level that wait for each other.
    int longest_chain(int of_level) {
        int longest = 0;
        for (Rank rank = 0; rank < ranks_; ++rank)
            for (std::size_t t = 0; t < program(rank).tasks.size(); ++t)
                longest = std::max(longest, chain(rank, t, of_level));
        return longest;
    }

private:
    const Program& program(Rank rank) const { return programs_[static_cast<std::size_t>(rank)]; }
    int level(Rank a, Rank b) const { return level_between(request_.hierarchy->top, a, b); }

    int chain(Rank rank, std::size_t number, int of_level) {
        const auto known = chains_.find({rank, number});
        if (known != chains_.end()) return known->second;
        const Task& task = program(rank).tasks[number];
        int longest = 0;
        for (const auto wait : program(rank).waits_of(task))
            longest = std::max(longest, chain(rank, static_cast<std::size_t>(wait), of_level));
        if (task.kind == Kind::recv || task.kind == Kind::reduce)
            longest = std::max(longest,
                               chain(task.peer, sends_.at({task.peer, rank, task.tag}), of_level) +
                                   (level(task.peer, rank) == of_level ? 1 : 0));
        return chains_[{rank, number}] = longest;
    }

    const Request& request_;
    int ranks_;
    std::vector<Program> programs_;
    std::map<std::tuple<Rank, Rank, std::int32_t>, std::size_t> sends_;
    std::map<std::pair<Rank, std::size_t>, int> chains_;
};

// Three sites; machines, hosts and lone ranks in them, ranks in no order.
const char* const grid = "((0 9 4) (7 2) (12 1)) ((3 14) (5 6 13)) (8 (10 11) 15)";

}  // namespace

TEST(Crossings, TreesCrossEachLevelAsOftenAsTheyMust) {
    const Hierarchy hierarchy = parse_hierarchy(grid);
    using enum Operation;
    for (const Operation operation : {bcast, reduce, scatter, gather})
        for (const char* choice : {"tree:top=star,inner=star", "tree:top=balanced,inner=binomial",
                                   "tree:top=chain,inner=chain"})
            for (Rank root = 0; root < hierarchy.ranks(); ++root) {
                const Request request{operation, &hierarchy, root, true};
                const auto found = Schedule(choice, request).messages_by_level();
                for (const auto& [level, messages] : found)
                    EXPECT_EQ(messages, least_crossings(hierarchy.top, level))
                        << choice << " root " << root << " level " << level;
            }
}

// A root that does not lead its groups costs no further hop (Karonis, Fig. 5).
TEST(Crossings, EveryRootSendsOverTheWidestLevelItself) {
    const Hierarchy hierarchy = parse_hierarchy(grid);
    for (Rank root = 0; root < hierarchy.ranks(); ++root) {
        const Request request{Operation::bcast, &hierarchy, root, true};
        const Program program = plan(parse_choice("tree:top=star,inner=star"), request, root);
        EXPECT_EQ(level_between(hierarchy.top, root, program.tasks.front().peer), 0);
        EXPECT_EQ(Schedule("tree:top=star,inner=star", request).longest_chain(0), 1);
    }
}

// Ranks that are scattered over two racks: one pipeline through both, from or to any root; where a
// leader hands the message to its own rack and to the other, its link carries it twice.
TEST(Crossings, AChainInRingOrderUsesEachLinkOnce) {
    const Hierarchy hierarchy = parse_hierarchy("(0 2 5 7) (1 3 4 6)");
    const auto most_of_a_rank = [&](const Request& request, const std::string& choice) {
        std::map<Rank, int> sent, got;
        for (const auto& [pair, count] : Schedule(choice, request).messages_between_ranks()) {
            sent[pair.first] += count;
            got[pair.second] += count;
        }
        int most = 0;
        for (const auto& all : {sent, got})
            for (const auto& [rank, count] : all) most = std::max(most, count);
        return most;
    };
    for (const Operation operation : {Operation::bcast, Operation::reduce})
        for (Rank root = 0; root < hierarchy.ranks(); ++root) {
            const Request request{operation, &hierarchy, root, true};
            const std::string ring = "tree:inner=chain,segments=3,on=ring";
            EXPECT_EQ(most_of_a_rank(request, ring), 3);
            EXPECT_LE(Schedule(ring, request).messages_by_level()[0], 2 * 3);
            EXPECT_EQ(most_of_a_rank(request, "tree:top=star,inner=chain,segments=3"), 2 * 3);
            // In rank order each link as well, but the racks' cable many times.
            EXPECT_GT(
                Schedule("tree:inner=chain,segments=3,on=ranks", request).messages_by_level()[0],
                2 * 3);
        }
    EXPECT_FALSE(supports(parse_choice("tree:inner=chain,on=ring"),
                          Request{Operation::reduce, &hierarchy, 0, false}));
}

TEST(Crossings, AnExchangeCrossesTheWidestLevelOnceEachWayAtOnce) {
    const Hierarchy hierarchy = parse_hierarchy(grid);
    for (const Operation operation : {Operation::barrier, Operation::allreduce}) {
        const Request request{operation, &hierarchy, 0, true};
        Schedule exchange("exchange:inner=star", request);
        EXPECT_EQ(exchange.messages_by_level()[0], 3 * 2);
        EXPECT_EQ(exchange.longest_chain(0), 1);
        Schedule tree("tree:top=star,inner=star,segments=1", request);
        EXPECT_EQ(tree.longest_chain(0), 2);
    }
}

// In rank order and out of it.
TEST(Crossings, AScanByLeadersCrossesTheWidestLevelOnce) {
    for (const char* groups : {grid, "(0 1 2 3) (4 5 6) (7 8)"}) {
        const Hierarchy hierarchy = parse_hierarchy(groups);
        for (const Operation operation : {Operation::scan, Operation::exscan}) {
            const Request request{operation, &hierarchy, 0, true};
            EXPECT_EQ(Schedule("exchange:inner=star", request).longest_chain(0), 1);
            EXPECT_GT(Schedule("ordered", request).longest_chain(0), 1);
        }
    }
}

// What lies between two runs of another group crosses to it as one sum: of ranks 0 and 2 to the
// group of 3. In rank order of an operator that does not commute they stay apart.
TEST(Crossings, AScanSendsOneSumForEachGap) {
    const Hierarchy hierarchy = parse_hierarchy("(0 2 5 7) (1 4) (3 6)");
    for (const Operation operation : {Operation::scan, Operation::exscan})
        for (const bool commutative : {true, false}) {
            const Request request{operation, &hierarchy, 0, commutative};
            EXPECT_EQ(Schedule("exchange:inner=star", request).messages_by_level()[0],
                      commutative ? 4 + 3 + 4 : 4 + 3 + 5);
        }
}

TEST(Crossings, SharesSendLessOverEachLink) {
    const Hierarchy hierarchy = parse_hierarchy("(0 1) (2 3) (4 5) (6 7)");
    const Request request{Operation::allreduce, &hierarchy, 0, true};
    // Of 8 parts: each leader sends 6 of the others' and its own two to three leaders.
    EXPECT_EQ(Schedule("exchange:inner=star,segments=8,split=1", request).messages_by_level()[0],
              4 * (6 + 2 * 3));
    EXPECT_EQ(Schedule("exchange:inner=star,segments=8", request).messages_by_level()[0],
              4 * 3 * 8);
}

TEST(Crossings, AllToAllSendsOneMessageBetweenEachPairOfSites) {
    const Hierarchy hierarchy = parse_hierarchy(grid);
    const Request request{Operation::alltoall, &hierarchy, 0, true};
    Schedule exchange("exchange:inner=star", request);
    EXPECT_EQ(exchange.messages_by_level()[0], 3 * 2);
    EXPECT_EQ(exchange.longest_chain(0), 1);
    Schedule carried("exchange:inner=star,carriers=1", request);
    EXPECT_EQ(carried.messages_by_level()[0], 3 * 2);
    EXPECT_EQ(carried.longest_chain(0), 1);
    EXPECT_EQ(Schedule("direct", request).messages_by_level()[0], 2 * (7 * 5 + 7 * 4 + 5 * 4));
}

// Sites of 7, 5 and 4 ranks: each pair of sites has as many messages as carriers, all of which are
// of different ranks, each at both its ends.
TEST(Crossings, CarriersSpreadAllToAllOverTheRanksAtBothEnds) {
    const Hierarchy hierarchy = parse_hierarchy(grid);
    const Request request{Operation::alltoall, &hierarchy, 0, true};
    for (const auto& [choice, each] :
         std::map<std::string, std::vector<int>>{{"exchange:inner=star,carriers=1", {1, 1, 1}},
                                                 {"exchange:inner=star,carriers=3", {3, 3, 3}},
                                                 {"exchange:inner=star,carriers=64", {5, 4, 4}}}) {
        Schedule carried(choice, request);
        EXPECT_EQ(carried.messages_by_level()[0], 2 * (each[0] + each[1] + each[2])) << choice;
        EXPECT_EQ(carried.longest_chain(0), 1) << choice;
        for (const auto& [pair, messages] : carried.messages_between_ranks())
            if (level_between(hierarchy.top, pair.first, pair.second) == 0) {
                EXPECT_EQ(messages, 1) << choice;
            }
        EXPECT_LE(carried.most_crossings_of_a_rank(), choice.ends_with("=1") ? 1 : 2) << choice;
    }
}

// Half of four segments by way of another group, the rest in one message to each.
TEST(Crossings, WhatGoesStraightIsOneMessageToEachGroup) {
    const Hierarchy hierarchy = parse_hierarchy("(0 1) (2 3) (4 5)");
    using Between = std::map<std::pair<Rank, Rank>, int>;
    const auto between = [&](Operation operation, const std::string& more) {
        const std::string choice = "tree:top=relay,inner=star,segments=4,rotate=" + more;
        Between wide;
        for (const auto& [pair, count] :
             Schedule(choice, {operation, &hierarchy, 0, true}).messages_between_ranks())
            if (level_between(hierarchy.top, pair.first, pair.second) == 0) wide[pair] = count;
        return wide;
    };
    using enum Operation;
    EXPECT_EQ(between(bcast, "groups"),
              (Between{{{0, 2}, 2}, {{0, 4}, 2}, {{2, 4}, 2}, {{4, 2}, 2}}));
    EXPECT_EQ(between(bcast, "groups,straight=50"),
              (Between{{{0, 2}, 2}, {{0, 4}, 2}, {{2, 4}, 1}, {{4, 2}, 1}}));
    EXPECT_EQ(between(reduce, "groups,straight=50"),
              (Between{{{2, 0}, 2}, {{4, 0}, 2}, {{2, 4}, 1}, {{4, 2}, 1}}));
    EXPECT_EQ(between(bcast, "groups,straight=100"), (Between{{{0, 2}, 1}, {{0, 4}, 1}}));
    // Each block has other leaders; those of one group go straight, of the others by the next
    // group.
    const auto chain = [&](const std::string& choice) {
        return Schedule(choice, {allgather, &hierarchy, 0, true}).longest_chain(0);
    };
    EXPECT_EQ(chain("tree:top=relay,inner=star,rotate=all"), 2);
    EXPECT_EQ(chain("tree:top=relay,inner=star,rotate=all,straight=34"), 2);
    EXPECT_EQ(chain("tree:top=relay,inner=star,rotate=all,straight=100"), 1);
}

// Every chunk crosses once, those of one block each over a connection of its own.
TEST(Crossings, CarriersSpreadScatterAndGatherOverConnections) {
    const Hierarchy hierarchy = parse_hierarchy(grid);
    using enum Operation;
    for (const Operation operation : {scatter, scatterv, gather, gatherv})
        for (Rank root = 0; root < hierarchy.ranks(); ++root) {
            const Request request{operation, &hierarchy, root, true};
            Schedule carried("exchange:inner=star,segments=4,carriers=4", request);
            int far = 0;
            for (Rank rank = 0; rank < hierarchy.ranks(); ++rank)
                far += level_between(hierarchy.top, root, rank) == 0;
            EXPECT_EQ(carried.messages_by_level()[0], 4 * far);
            EXPECT_EQ(carried.longest_chain(0), 1);
            for (const auto& [pair, messages] : carried.messages_between_ranks())
                if (level_between(hierarchy.top, pair.first, pair.second) == 0) {
                    EXPECT_EQ(messages, 1);
                }
        }
}

}  // namespace eco
