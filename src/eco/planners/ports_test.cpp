// SPDX-License-Identifier: BSD-3-Clause
// What Qian and Afsahi's formulas say of steps and bytes, counted in the programs.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <tuple>

#include "eco/planners/choice_text.h"
#include "eco/planners/planner.h"

namespace eco {

namespace {

struct Steps {
    int count = 0;
    int blocks = 0;  // of the longest message of each step, over all steps
};

// Every message takes one step, after those that its sender waited for, as long ones do; no rank
// sends more than k in a step, nor receives more where `receives`.
Steps count(const Choice& choice, const Request& request, int k, bool receives = true) {
    std::vector<Program> programs;
    for (Rank rank = 0; rank < request.ranks(); ++rank)
        programs.push_back(plan(choice, request, rank));
    std::map<std::tuple<Rank, Rank, int>, std::size_t> sends;
    for (Rank rank = 0; rank < request.ranks(); ++rank) {
        const auto& tasks = programs[static_cast<std::size_t>(rank)].tasks;
        for (std::size_t t = 0; t < tasks.size(); ++t)
            if (tasks[t].kind == Kind::send) sends[{rank, tasks[t].peer, tasks[t].tag}] = t;
    }
    std::map<std::pair<Rank, std::size_t>, int> known;
    // The step in which a task ends; 0: before the first.
    const std::function<int(Rank, std::size_t)> step = [&](Rank rank, std::size_t t) -> int {
        const auto found = known.find({rank, t});
        if (found != known.end()) return found->second;
        const Program& program = programs[static_cast<std::size_t>(rank)];
        const Task& task = program.tasks[t];
        int last = 0;
        for (const auto wait : program.waits_of(task))
            last = std::max(last, step(rank, static_cast<std::size_t>(wait)));
        if (task.pace >= 0) last = std::max(last, step(rank, static_cast<std::size_t>(task.pace)));
        if (task.kind == Kind::send) ++last;
        if (task.kind == Kind::recv)
            last = std::max(last, step(task.peer, sends.at({task.peer, rank, task.tag})));
        return known[{rank, t}] = last;
    };
    Steps steps;
    std::map<int, int> longest;
    std::map<std::tuple<Rank, int, bool>, int> at_once;
    for (const auto& [message, t] : sends) {
        const auto [from, to, tag] = message;
        const Program& program = programs[static_cast<std::size_t>(from)];
        const int now = step(from, t);
        const auto blocks = static_cast<int>(program.chunks_of(program.tasks[t]).size());
        longest[now] = std::max(longest[now], blocks);
        EXPECT_LE(++(at_once[{from, now, true}]), k);
        if (receives) {
            EXPECT_LE(++(at_once[{to, now, false}]), k);
        }
    }
    for (const auto& [now, blocks] : longest) {
        steps.count = std::max(steps.count, now);
        steps.blocks += blocks;
    }
    return steps;
}

int rounds_up(int ranks, int base) {
    int steps = 0;
    for (long reached = 1; reached < ranks; reached *= base) ++steps;
    return steps;
}

std::string of_ports(const char* text, int k) {
    std::string choice(text);
    for (auto place = choice.find('#'); place != std::string::npos; place = choice.find('#'))
        choice.replace(place, 1, std::to_string(k));
    return choice;
}

constexpr int sizes[] = {2, 3, 4, 5, 7, 8, 9, 13, 16, 25, 27, 32, 64, 81};

}  // namespace

// Formula (1): log(k+1) N steps; (N-1)/k blocks after each other where N is a power of k+1.
TEST(Ports, SpanningBinomialTree) {
    for (const int k : {1, 2, 3, 4})
        for (const int ranks : sizes) {
            const Hierarchy hierarchy = flat_hierarchy(ranks);
            const int least = rounds_up(ranks, k + 1);
            int power = 1;
            for (int step = 0; step < least; ++step) power *= k + 1;
            for (const Operation operation : {Operation::scatter, Operation::gather})
                for (const Rank root : {0, ranks / 2}) {
                    const Choice choice =
                        parse_choice(of_ports("tree:inner=binomial#,ports=#,on=ranks", k));
                    // If ranks are missing, the leaves of a gather may come earlier.
                    const bool scatters = operation == Operation::scatter;
                    const Steps steps = count(choice, {operation, &hierarchy, root, true}, k,
                                              scatters || ranks == power);
                    EXPECT_LE(steps.count, least) << ranks << " ranks, " << k << " ports";
                    EXPECT_TRUE(!scatters || steps.count == least);
                    EXPECT_TRUE(!scatters || steps.blocks <= (power - 1) / k);
                    if (ranks == power) {
                        EXPECT_EQ(steps.blocks, (ranks - 1) / k);
                    }
                }
        }
}

// Formula (2): (N-1)/k steps of one block each.
TEST(Ports, SequentialTreeAndDirect) {
    for (const int k : {1, 2, 3, 4})
        for (const int ranks : sizes) {
            const Hierarchy hierarchy = flat_hierarchy(ranks);
            const int least = (ranks - 1 + k - 1) / k;
            const Steps scatter =
                count(parse_choice(of_ports("tree:inner=star,ports=#,on=ranks", k)),
                      {Operation::scatter, &hierarchy, 0, true}, k);
            EXPECT_EQ(scatter.count, least);
            EXPECT_EQ(scatter.blocks, least);
            const Steps alltoall = count(parse_choice(of_ports("direct:window=#", k)),
                                         {Operation::alltoall, &hierarchy, 0, true}, k);
            EXPECT_EQ(alltoall.count, least) << ranks << " ranks, " << k << " ports";
            EXPECT_EQ(alltoall.blocks, least);
        }
}

// Bruck et al. (1997): log(k+1) N steps, each message of at most N/(k+1) blocks, rounded up.
TEST(Ports, Index) {
    for (const int k : {1, 2, 3, 4})
        for (const int ranks : sizes) {
            const Hierarchy hierarchy = flat_hierarchy(ranks);
            const Steps steps = count(parse_choice(of_ports("index:ports=#", k)),
                                      {Operation::alltoall, &hierarchy, 0, true}, k);
            const int least = rounds_up(ranks, k + 1);
            EXPECT_EQ(steps.count, least) << ranks << " ranks, " << k << " ports";
            int power = 1;
            for (int step = 0; step < least; ++step) power *= k + 1;
            EXPECT_LE(steps.blocks, least * (power / (k + 1)));
        }
}

}  // namespace eco
