// SPDX-License-Identifier: BSD-3-Clause
#include "eco/planners/extent.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <new>

#include "eco/planners/choice_text.h"
#include "eco/planners/planner.h"
#include "eco/selection/candidates.h"
#include "eco/selection/variants.h"

static std::size_t allocated = 0;  // bytes, by all of the test's program

[[gnu::noinline]] void* operator new(std::size_t bytes) {
    allocated += bytes;
    if (void* memory = std::malloc(bytes ? bytes : 1)) return memory;
    throw std::bad_alloc();
}
// Sanitizers have this one too, and would see memory of theirs freed by what is here.
[[gnu::noinline]] void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
    allocated += bytes;
    return std::malloc(bytes ? bytes : 1);
}
// Not into the callers, where the compiler would take free() for a mistake.
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace eco {

template <typename Work>
static std::size_t allocated_by(const Work& work) {
    const std::size_t before = allocated;
    work();
    return allocated - before;
}

// `sites` of `clusters` of `hosts`, a rank each; ranks go round the clusters, so that none are
// near.
static Hierarchy grid_of(int sites, int clusters, int hosts) {
    std::string text;
    const int all = sites * clusters;
    for (int cluster = 0; cluster < all; ++cluster) {
        if (cluster % clusters == 0) text += cluster == 0 ? "(" : ") (";
        text += " (";
        for (int host = 0; host < hosts; ++host) text += std::to_string(host * all + cluster) + " ";
        text += ")";
    }
    return parse_hierarchy(text + ")");
}

static std::vector<Choice> choices_for(const Request& request) {
    std::vector<Choice> choices = baseline(request);
    for (const Bytes bytes : {Bytes{-1}, Bytes{16}, Bytes{1024}, Bytes{16384}, Bytes{4} << 20})
        for (const auto& list : {candidates(request, bytes), forms(request, bytes)})
            for (const Choice& choice : list)
                if (std::find(choices.begin(), choices.end(), choice) == choices.end())
                    choices.push_back(choice);
    std::erase_if(choices, [&](const Choice& choice) { return !supports(choice, request); });
    return choices;
}

static Extent longest(const Choice& choice, const Request& request,
                      const std::vector<Rank>& ranks) {
    Extent found;
    for (const Rank rank : ranks) {
        const Program program = plan(choice, request, rank);
        found.tasks = std::max(found.tasks, static_cast<double>(program.tasks.size()));
        found.chunks = std::max(found.chunks, static_cast<double>(program.chunks.size()));
    }
    return found;
}

TEST(ExtentOfAChoice, NoProgramIsLonger) {
    for (const char* text :
         {"0 1", "(0 1) (2 3)", "(0 1 2) (3 4 5) (6 7)", "[0 1 2] (3 4) 5",
          "((0 9) (4 7)) ((2 12) (1 3) 14) (5 6 13 8 10) [11 15]",
          "0 1 2 3 4 5 6 7 8 9 10 11 12 13 14", "(0 2 4 6 8 10) (1 3 5 7 9 11)"}) {
        const Hierarchy hierarchy = parse_hierarchy(text);
        for (int number = 0; number < operation_count; ++number) {
            const Request request{static_cast<Operation>(number), &hierarchy, 1};
            for (const Choice& choice : choices_for(request)) {
                const Extent most = extent(choice, request);
                const Extent found = longest(choice, request, hierarchy.ring);
                EXPECT_GE(most.tasks, found.tasks)
                    << to_text(choice) << " on " << text << " " << traits(request.operation).name;
                EXPECT_GE(most.chunks, found.chunks)
                    << to_text(choice) << " on " << text << " " << traits(request.operation).name;
            }
        }
    }
}

static bool is_native(const Choice& choice) { return choice.is_native(); }

// What is left of 1,024 ranks' choices is short for each rank, and there is some for every
// operation.
TEST(ExtentOfAChoice, AThousandRanksPlanAndHoldLittle) {
    for (const Hierarchy& hierarchy : {grid_of(4, 8, 32), grid_of(2, 8, 64), flat_hierarchy(1024)})
        for (int number = 0; number < operation_count; ++number) {
            const Request request{static_cast<Operation>(number), &hierarchy, 1};
            for (const Bytes bytes : {Bytes{-1}, Bytes{16}, Bytes{16384}})
                EXPECT_FALSE(is_native(candidates(request, bytes).front()))
                    << traits(request.operation).name << " " << bytes;
            const auto choices = choices_for(request);
            for (const Choice& choice : choices) {
                const Extent found = longest(choice, request, {0, 1, 2, 511, 1023});
                EXPECT_LE(found.tasks, most_tasks) << to_text(choice);
                EXPECT_LE(found.chunks, most_chunks) << to_text(choice);
            }
        }
}

TEST(ExtentOfAChoice, NativeAloneWhereAllElseIsTooLong) {
    const Hierarchy flat = flat_hierarchy(10000);
    const auto list = candidates({Operation::alltoall, &flat}, 16);
    EXPECT_EQ(list.size(), 1U);
    EXPECT_TRUE(is_native(list.front()));
}

TEST(ExtentOfAChoice, WhatOneLeaderWouldCarryForAThousandIsNoChoice) {
    const Hierarchy many = grid_of(4, 8, 32), some = grid_of(2, 2, 16);
    const Choice leaders = parse_choice("exchange:inner=star");
    EXPECT_TRUE(supports(leaders, {Operation::alltoall, &some}));
    EXPECT_FALSE(supports(leaders, {Operation::alltoall, &many}));
    EXPECT_TRUE(supports(leaders, {Operation::allgather, &many}));
    // A message for each block, to each of a thousand.
    const Hierarchy flat = flat_hierarchy(1024);
    EXPECT_FALSE(
        supports(parse_choice("tree:inner=star,segments=1"), {Operation::allgather, &flat}));
    EXPECT_TRUE(supports(parse_choice("tree:inner=star,segments=1"), {Operation::bcast, &flat}));
}

// If every segment has a tree of its own a rank keeps its own edges, not the trees.
TEST(ExtentOfAChoice, ARankPlansItsOwnPartAlone) {
    const Hierarchy hierarchy = grid_of(4, 8, 32);
    for (const char* text : {"tree:top=star,inner=chain,segments=64,rotate=all",
                             "tree:top=relay,inner=star,segments=64,rotate=all"}) {
        const Request request{Operation::bcast, &hierarchy};
        const Choice choice = parse_choice(text);
        EXPECT_LT(allocated_by([&] { plan(choice, request, 1023); }), 500'000U) << text;
    }
}

static void set_inter_cluster_costs(Group& group, int& number) {
    if (group.is_rank()) return;
    const double each = 1 + 0.01 * ++number;
    group.inter_cluster_cost = InterClusterCost{0, 0, {each * 1e-5, 1e-9}, {each * 1e-4, 1e-8}};
    for (Group& part : group.parts) set_inter_cluster_costs(part, number);
}

// Subnets that each were measured a little different from the others.
TEST(ExtentOfAChoice, ShapesOfAThousandRanksAreFoundWithLittleMemory) {
    Hierarchy hierarchy = grid_of(4, 8, 32);
    int number = 0;
    set_inter_cluster_costs(hierarchy.top, number);
    const Request request{Operation::barrier, &hierarchy};
    EXPECT_LT(allocated_by([&] { candidates(request, 16); }), 1'000'000U);
}

// So that nothing is refused that would do.
TEST(ExtentOfAChoice, TheLongestIsNotFarBelow) {
    const Hierarchy hierarchy = grid_of(2, 4, 8);
    for (int number = 0; number < operation_count; ++number) {
        const Request request{static_cast<Operation>(number), &hierarchy, 1};
        for (const Choice& choice : choices_for(request)) {
            const Extent most = extent(choice, request);
            const Extent found = longest(choice, request, hierarchy.ring);
            EXPECT_LE(most.tasks, 5 * found.tasks + 64)
                << to_text(choice) << " " << traits(request.operation).name;
            EXPECT_LE(most.chunks, 5 * found.chunks + 64)
                << to_text(choice) << " " << traits(request.operation).name;
        }
    }
}

}  // namespace eco
