// SPDX-License-Identifier: BSD-3-Clause
#include "eco/planners/circulant.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

#include "eco/base/at.h"
#include "eco/planners/choice_text.h"
#include "eco/planners/planner.h"
#include "eco/schedule/verify.h"

namespace eco {

namespace {

int logarithm(int ranks) {
    int rounds = 0;
    for (int reached = 1; reached < ranks; reached *= 2) ++rounds;
    return rounds;
}

// Rounds in which every rank sends one message and receives one at most, as soon as what it waits
// for is done: in the program's order, or else the first in the program that meets a receiver who
// is free in this round.
int rounds_of(const Choice& choice, const Request& request, bool in_order = true) {
    std::vector<Program> programs;
    std::vector<std::vector<int>> ended;  // by rank and task, after which round; -1: not yet
    for (Rank rank = 0; rank < request.ranks(); ++rank) {
        programs.push_back(plan(choice, request, rank));
        ended.emplace_back(programs.back().tasks.size(), -1);
    }
    const auto is_ready = [&](Rank rank, const Task& task, int round) {
        for (const auto wait : programs[at(rank)].waits_of(task))
            if (const int end = ended[at(rank)][at(wait)]; end < 0 || end >= round) return false;
        return true;
    };
    const auto is_own = [](const Task& task) {
        return task.kind == Kind::copy || task.kind == Kind::combine;
    };
    const auto is_receive = [](const Task& task) {
        return task.kind == Kind::recv || task.kind == Kind::reduce;
    };
    const auto all_done = [&] {
        return std::all_of(ended.begin(), ended.end(), [](const std::vector<int>& each) {
            return std::find(each.begin(), each.end(), -1) == each.end();
        });
    };
    int round = 0, last = 0;
    while (!all_done()) {
        ++round;
        // What a rank does alone takes no round.
        for (Rank rank = 0; rank < request.ranks(); ++rank)
            for (std::size_t t = 0; t < ended[at(rank)].size(); ++t) {
                const Task& task = programs[at(rank)].tasks[t];
                if (ended[at(rank)][t] < 0 && is_own(task) && is_ready(rank, task, round))
                    ended[at(rank)][t] = round - 1;
            }
        std::vector<char> receives(programs.size(), 0);
        int moved = 0;
        for (Rank rank = 0; rank < request.ranks(); ++rank)
            for (std::size_t t = 0; t < ended[at(rank)].size(); ++t) {
                const Task& task = programs[at(rank)].tasks[t];
                if (task.kind != Kind::send || ended[at(rank)][t] >= 0) continue;
                if (!is_ready(rank, task, round) || receives[at(task.peer)]) {
                    if (in_order) break;
                    continue;
                }
                const auto& others = programs[at(task.peer)].tasks;
                const auto other =
                    std::find_if(others.begin(), others.end(), [&](const Task& each) {
                        return is_receive(each) && each.peer == rank && each.tag == task.tag;
                    });
                const bool first = std::none_of(others.begin(), other, [&](const Task& each) {
                    return is_receive(each) &&
                           ended[at(task.peer)][static_cast<std::size_t>(&each - others.data())] <
                               0;
                });
                if (!is_ready(task.peer, *other, round) || (in_order && !first)) {
                    if (in_order) break;
                    continue;
                }
                receives[at(task.peer)] = 1;
                ended[at(rank)][t] = round;
                ended[at(task.peer)][static_cast<std::size_t>(other - others.begin())] = round;
                ++moved;
                break;
            }
        if (moved > 0) last = round;
        if (moved == 0 && round > last + 1) return -1;
    }
    return last;
}

Choice circulant(int segments) { return Choice(Family::circulant, segments); }

}  // namespace

TEST(Circulant, EachPartyGetsEachBlockAfterItsNeighbour) {
    for (int parties = 1; parties < 400; ++parties) {
        const Circulant graph(parties);
        const int dimensions = graph.dimensions();
        ASSERT_EQ(dimensions, logarithm(parties));
        std::vector<std::vector<int>> blocks;
        for (int party = 0; party < parties; ++party) blocks.push_back(graph.blocks_to(party));
        for (int party = 0; party < parties; ++party) {
            std::set<int> numbers;
            int fresh = 0;
            for (const int block : blocks[at(party)]) {
                numbers.insert((block + dimensions) % dimensions);
                fresh += block >= 0 ? 1 : 0;
            }
            if (party > 0) {
                ASSERT_EQ(static_cast<int>(numbers.size()), dimensions);
                ASSERT_EQ(fresh, 1);
            }
            for (int d = 0; d < dimensions; ++d) {
                const int to = (party + graph.skip(d)) % parties;
                if (to == 0) continue;
                const int block = blocks[at(to)][at(d)];
                if (party == 0) {
                    ASSERT_EQ(block, d);
                    continue;
                }
                // It came in an earlier phase, or earlier in this one.
                const auto& own = blocks[at(party)];
                const auto here = std::find(own.begin(), own.end(), block);
                const auto before = std::find(own.begin(), own.end(), block + dimensions);
                ASSERT_TRUE(here - own.begin() < d || before != own.end())
                    << parties << " parties, " << party << " in dimension " << d;
            }
        }
    }
}

TEST(Circulant, AnyRanksRootsAndSegments) {
    std::mt19937 random(1);
    for (int draw = 0; draw < 400; ++draw) {
        const int ranks = 2 + static_cast<int>(random() % 39);
        auto order = all_chunks(ranks);
        std::shuffle(order.begin(), order.end(), random);
        // In one group or in several.
        std::string text;
        for (const Rank rank : order)
            text += std::to_string(rank) + (draw % 2 == 0 && random() % 5 == 0 ? ") (" : " ");
        if (draw % 2 == 0) text = "(" + text + ")";
        const auto empty = text.find("()");
        if (empty != std::string::npos) text.erase(empty);
        const Hierarchy hierarchy = parse_hierarchy(text);
        using enum Operation;
        const Operation operations[] = {bcast, reduce, allreduce, allgather, reduce_scatter};
        const Operation operation = operations[random() % 5];
        const bool parts = operation == bcast || operation == reduce;
        Choice choice = circulant(static_cast<int>(random() % (parts ? 12 : 3)));
        choice.ports = static_cast<int>(random() % 2);
        const Request request{operation, &hierarchy, static_cast<Rank>(random() % at(ranks)), true};
        ASSERT_EQ(verify(request, [&](Rank me) { return plan(choice, request, me); }), "")
            << traits(operation).name << " " << to_text(choice) << " " << ranks << " ranks";
    }
}

TEST(Circulant, BroadcastAndReduceTakeTheFewestRounds) {
    for (int ranks = 2; ranks <= 40; ++ranks) {
        const Hierarchy hierarchy = flat_hierarchy(ranks);
        for (const int segments : {1, 2, 3, 7, 16, 24})
            for (const Operation operation : {Operation::bcast, Operation::reduce}) {
                const Request request{operation, &hierarchy, ranks / 3, true};
                EXPECT_EQ(rounds_of(circulant(segments), request), segments - 1 + logarithm(ranks))
                    << traits(operation).name << ", " << ranks << " ranks, " << segments;
            }
    }
}

TEST(Circulant, BlocksTakeTheFewestRounds) {
    for (int ranks = 2; ranks <= 40; ++ranks) {
        const Hierarchy hierarchy = flat_hierarchy(ranks);
        using enum Operation;
        for (const Operation operation : {allgather, reduce_scatter, allreduce})
            EXPECT_EQ(rounds_of(circulant(0), {operation, &hierarchy, 0, true}),
                      (operation == allreduce ? 2 : 1) * logarithm(ranks))
                << traits(operation).name << ", " << ranks << " ranks";
    }
}

// What the other families need beside it; the disjoint trees are as good for powers of two only.
TEST(Circulant, NoOtherFamilyTakesFewer) {
    for (int ranks = 5; ranks <= 8; ++ranks) {
        const Hierarchy hierarchy = flat_hierarchy(ranks);
        const Request request{Operation::bcast, &hierarchy, 0, true};
        for (const int segments : {1, 2, 4, 6, 12, 24}) {
            const int least = rounds_of(circulant(segments), request);
            for (const char* form : {"chain", "binomial", "k2", "disjoint"}) {
                Choice choice = parse_choice(std::string("tree:inner=") + form);
                choice.segments = segments;
                const int rounds =
                    std::min(rounds_of(choice, request), rounds_of(choice, request, false));
                EXPECT_GE(rounds, least) << ranks << " ranks, " << segments << " " << form;
                if (std::string(form) == "disjoint" && ranks == 8) {
                    EXPECT_LE(rounds, least + 2);
                }
                RecordProperty(std::to_string(ranks) + form + std::to_string(segments), rounds);
            }
        }
    }
}

}  // namespace eco
