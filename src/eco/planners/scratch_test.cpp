// SPDX-License-Identifier: BSD-3-Clause
#include "eco/planners/scratch.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "eco/planners/choice_text.h"
#include "eco/planners/planner.h"
#include "eco/selection/candidates.h"
#include "eco/selection/variants.h"

namespace eco {

// What one rank's program takes, in message sizes, with all blocks of one length: as run/prepared
// and run/execution lay it out, and as if nothing were freed before the end.
class Taken {
public:
    Taken(const Request& request, const Program& program)
        : request_(request), program_(program), blocks_(traits(request.operation).blocks) {
        std::set<std::pair<Buffer, Chunk>> slots;
        for (const Task& task : program.tasks)
            for (const Buffer buffer : {task.from, task.to})
                for (const Chunk chunk : program.chunks_of(task))
                    if (buffer >= scratch(0)) slots.insert({buffer, chunk});
        for (const auto& slot : slots) places_.emplace(slot, static_cast<int>(places_.size()));
        chunks_ = static_cast<double>(slots.size());
        for (const Task& task : program.tasks) add_copies(task);
    }
    double messages() const {
        const bool of_all = traits(request_.operation).rules == Rules::sum_blocks;
        return (chunks_ + longest_combined_) / program_.segments / (of_all ? request_.ranks() : 1);
    }

private:
    void add_copies(const Task& task) {
        const auto count = static_cast<double>(program_.chunks_of(task).size());
        if (task.kind == Kind::combine && !task.earlier)
            longest_combined_ = std::max(longest_combined_, count);
        const bool sends = task.kind == Kind::send || task.kind == Kind::mcast;
        const bool receives = task.kind == Kind::recv || task.kind == Kind::mcast_recv;
        if (task.kind == Kind::reduce || (sends && !in_a_row(task.from, task)) ||
            (receives && !in_a_row(task.to, task)))
            chunks_ += count;
    }
    bool in_a_row(Buffer buffer, const Task& task) const {
        const auto chunks = program_.chunks_of(task);
        return std::adjacent_find(chunks.begin(), chunks.end(), [&](Chunk a, Chunk b) {
                   return place(buffer, a) + 1 != place(buffer, b);
               }) == chunks.end();
    }
    int place(Buffer buffer, Chunk chunk) const {
        if (buffer >= scratch(0)) return places_.at({buffer, chunk});
        if (blocks_ != Blocks::per_pair) return chunk;
        const int segments = program_.segments, block = chunk / segments;
        const int at = buffer == input ? block % request_.ranks() : block / request_.ranks();
        return at * segments + chunk % segments;
    }

    const Request& request_;
    const Program& program_;
    Blocks blocks_;
    std::map<std::pair<Buffer, Chunk>, int> places_;
    double chunks_ = 0, longest_combined_ = 0;
};

static double most_taken(const Choice& choice, Request request) {
    double most = 0;
    const int roots = traits(request.operation).rooted() ? request.ranks() : 1;
    for (request.root = 0; request.root < roots; ++request.root)
        for (const Rank rank : request.hierarchy->ring) {
            const Program program = plan(choice, request, rank);
            most = std::max(most, Taken(request, program).messages());
        }
    return most;
}

static std::vector<Choice> choices_to_weigh(const Request& request) {
    std::vector<Choice> choices = baseline(request);
    const auto add = [&](const Choice& choice) {
        if (supports(choice, request) &&
            std::find(choices.begin(), choices.end(), choice) == choices.end())
            choices.push_back(choice);
    };
    for (const Bytes bytes : {Bytes{-1}, Bytes{1024}, Bytes{65536}})
        for (const auto& list : {candidates(request, bytes), forms(request, bytes)})
            for (const Choice& choice : list) add(choice);
    for (const char* text : {"tree:inner=chain",
                             "tree:top=k2,inner=k2",
                             "tree:top=star/chain/k2,inner=binomial",
                             "tree:top=relay,inner=chain,segments=7,rotate=all,straight=40",
                             "tree:top=relay,inner=star,segments=4,rotate=groups",
                             "tree:inner=disjoint,segments=6",
                             "exchange:inner=star",
                             "exchange:inner=k2,segments=6,split=1,rotate=all",
                             "exchange:inner=chain,segments=7,split=1,straight=40",
                             "exchange:inner=star,carriers=1",
                             "exchange:inner=star,carriers=3",
                             "exchange:inner=star,segments=3,carriers=2",
                             "ring",
                             "butterfly",
                             "circulant",
                             "circulant:segments=3",
                             "index",
                             "index:ports=3",
                             "ordered",
                             "ordered:segments=3",
                             "exchange:top=binomial,inner=native,segments=2",
                             "mcast:segments=2",
                             "tree:top=chain,inner=native,segments=2",
                             "mcast:top=chain,inner=k2"})
        add(parse_choice(text));
    return choices;
}

// About the longest that is taken unasked.
static Bytes longest_taken(const Request& request) {
    Bytes bytes = 1;
    while (may_always_take(request, 2 * bytes)) bytes *= 2;
    return bytes;
}

// A choice is refused by it on all ranks alike, so it must hold for each of them.
TEST(ScratchOfAChoice, NoRankTakesMore) {
    for (const char* text :
         {"0 1", "0 1 2", "(0 1) (2 3)", "(0 1 2) (3 4 5) (6 7)", "[0 1 2] (3 4) 5",
          "((0 9) (4 7)) ((2 12) (1 3)) (5 6 8 10) [11 13]", "{0 1 2 (3 4)}", "(0 2 4 6) (1 3 5 7)",
          "0 1 2 3 4 5 6 7 8", "(0 1 2 3 4 5 6) 7"}) {
        const Hierarchy hierarchy = parse_hierarchy(text);
        for (int number = 0; number < operation_count; ++number)
            for (const bool commutative : {true, false}) {
                const Request request{static_cast<Operation>(number), &hierarchy, 0, commutative};
                const auto& asked = traits(request.operation);
                if ((!commutative && !asked.reduces()) || asked.rules == Rules::signal) continue;
                for (const Choice& choice : choices_to_weigh(request)) {
                    const double taken = most_taken(choice, request);
                    const double most = scratch_per_byte(choice, request);
                    EXPECT_GE(most, taken - 1e-9)
                        << to_text(choice) << " on " << text << " " << asked.name;
                    EXPECT_LE(most * static_cast<double>(longest_taken(request)),
                              static_cast<double>(hierarchy.most_scratch))
                        << to_text(choice) << " on " << text << " " << asked.name;
                    // So that little is refused that would do.
                    EXPECT_LE(most, 5 * taken + 4 * request.ranks())
                        << to_text(choice) << " on " << text << " " << asked.name;
                }
            }
    }
}

TEST(ScratchOfAChoice, WhatTakesMoreThanARankHasIsNotSupported) {
    Hierarchy hierarchy = parse_hierarchy("(0 1 2) (3 4 5) (6 7)");
    const Request request{Operation::alltoall, &hierarchy};
    const Choice leaders = parse_choice("exchange:inner=star"), direct = parse_choice("direct");
    const Bytes most = Bytes{256} << 20;
    EXPECT_EQ(hierarchy.most_scratch, most);
    EXPECT_TRUE(supports(leaders, request, 1 << 20));
    EXPECT_FALSE(supports(leaders, request, 16 << 20));
    EXPECT_TRUE(supports(direct, request, most));
    // A size that not all ranks know.
    EXPECT_TRUE(supports(leaders, request, -1));
    hierarchy.most_scratch = 1 << 20;
    EXPECT_FALSE(supports(leaders, request, 1 << 20));
    for (const Choice& choice : candidates(request, 1 << 20))
        EXPECT_TRUE(choice.is_native() || scratch_per_byte(choice, request) <= 1)
            << to_text(choice);
}

}  // namespace eco
