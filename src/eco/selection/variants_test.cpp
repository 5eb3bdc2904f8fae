// SPDX-License-Identifier: BSD-3-Clause
#include "eco/selection/variants.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "eco/planners/choice_text.h"
#include "eco/planners/family.h"
#include "eco/planners/planner.h"
#include "eco/selection/candidates.h"

namespace eco {

namespace {

const char* const networks[] = {"0 1",
                                "0 1 2 3",
                                "(0 1 2) (3 4 5) (6 7)",
                                "(0 1) (2 3)",
                                "((0 1 2) (3 4)) ((5 6 7) 8)",
                                "([0 1] [2 3]) ([4 5] 6)",
                                "0 1 2 3 4 5 6",
                                "(0 1 2 3 4 5 6 7) (8 9 10 11 12)",
                                "{0 1 2} {3 4} {5 6 7}",
                                "({0 1} {2 3}) {4 5 6}"};
constexpr Bytes sizes[] = {0, 1, 16, 1024, 16384, 1 << 20};

std::set<std::string> texts(const std::vector<Choice>& choices) {
    std::set<std::string> set;
    for (const Choice& choice : choices) set.insert(to_text(choice));
    return set;
}

TEST(Variants, AllAreSupportedAndNoneComesTwice) {
    for (const char* groups : networks) {
        const Hierarchy hierarchy = parse_hierarchy(groups);
        for (int number = 0; number < operation_count; ++number)
            for (const Bytes bytes : sizes) {
                const Request request{static_cast<Operation>(number), &hierarchy};
                const auto drawn = forms(request, bytes);
                EXPECT_FALSE(drawn.empty()) << groups << traits(request.operation).name;
                EXPECT_EQ(texts(drawn).size(), drawn.size())
                    << groups << traits(request.operation).name << bytes;
                EXPECT_LE(drawn.size(), 60U);
                for (const Choice& form : drawn) {
                    const auto list = paces(form, request, bytes);
                    EXPECT_EQ(list.front(), form);
                    EXPECT_EQ(texts(list).size(), list.size());
                    for (const Choice& choice : list) {
                        EXPECT_TRUE(supports(choice, request)) << to_text(choice);
                        EXPECT_EQ(parse_choice(to_text(choice)), choice);
                    }
                }
            }
    }
}

// Trees in segments are drawn only where areas of multicasts are to be joined.
TEST(Variants, MulticastInPartsHasTreesBetweenThem) {
    const auto offered = [](const char* groups, Operation operation) {
        const Hierarchy hierarchy = parse_hierarchy(groups);
        const Request request{operation, &hierarchy};
        std::set<std::string> set;
        for (const auto& list : {forms(request, 16384), candidates(request, 16384)})
            for (const Choice& choice : list)
                if (choice.is_mcast()) set.insert(to_text(choice));
        return set;
    };
    using enum Operation;
    const std::set<std::string> one{"mcast:segments=1"};
    for (const Operation operation : {bcast, allgather, allgatherv}) {
        EXPECT_EQ(offered("{(0 1) (2 3) (4 5)}", operation), one);
        EXPECT_TRUE(offered("(0 1) (2 3) (4 5)", operation).empty());
    }
    EXPECT_TRUE(offered("{0 1} {2 3} {4 5}", bcast).contains("mcast:segments=6"));
    EXPECT_TRUE(offered("{0 1} {2 3} {4 5}", bcast).contains("mcast:top=chain,segments=6"));
    EXPECT_EQ(offered("{0 1} {2 3} {4 5}", allgather), one);
}

// The project's own families are in the rules; those that others add (docs/extending) need not be.
TEST(Variants, HaveWhatPlannerFamiliesOffer) {
    int offered = 0;
    for (const char* groups : networks) {
        const Hierarchy hierarchy = parse_hierarchy(groups);
        for (const Operation operation : operations())
            for (const Bytes bytes : sizes) {
                const Request request{operation, &hierarchy};
                const auto predicted = texts(forms(request, bytes));
                const auto timed = texts(candidates(request, bytes));
                for (const std::string& each : texts(candidates_of_families(request, bytes))) {
                    EXPECT_TRUE(predicted.contains(each)) << each;
                    EXPECT_TRUE(timed.contains(each)) << each;
                    ++offered;
                }
            }
    }
    RecordProperty("offered", offered);
}

TEST(Variants, TwoPartsHangTogetherInOneWay) {
    const Hierarchy two = parse_hierarchy("(0 1) (2 3)"), three = parse_hierarchy("(0) (1) (2)");
    EXPECT_EQ(forms({Operation::bcast, &two}, 16).size(), 1U);
    EXPECT_GT(forms({Operation::bcast, &three}, 16).size(), 2U);
}

TEST(Variants, LongMessagesMayGoOverManyConnections) {
    const Hierarchy hierarchy = parse_hierarchy("(0 1 2) (3 4 5)");
    const auto rotates = [](const Choice& choice) { return choice.rotates(); };
    const auto longer = forms({Operation::bcast, &hierarchy}, 65536);
    EXPECT_TRUE(std::any_of(longer.begin(), longer.end(), rotates));
    const auto shorter = forms({Operation::bcast, &hierarchy}, 1024);
    EXPECT_FALSE(std::any_of(shorter.begin(), shorter.end(), rotates));
}

// Between slow sites: each group passes on its own part, in segments of a frame.
// A root on a slow switch: its port would carry the message for its own group and for others.
TEST(Variants, LongMessagesMayGoFromRankToRank) {
    const Hierarchy hierarchy = parse_hierarchy("(0 1 2 3) (4 5 6 7)");
    for (const Operation operation : {Operation::bcast, Operation::reduce}) {
        const auto offered = candidates({operation, &hierarchy}, 256000);
        EXPECT_TRUE(std::any_of(offered.begin(), offered.end(), [](const Choice& choice) {
            return choice.on == On::ring && choice.inner().shape == Shape::chain;
        }));
    }
}

TEST(Variants, GroupsShareWhatIsPassedOn) {
    const Hierarchy hierarchy = parse_hierarchy("(0 1) (2 3) (4 5) (6 7)");
    for (const Operation operation : {Operation::bcast, Operation::reduce}) {
        const Request request{operation, &hierarchy};
        Choice wanted = parse_choice("tree:top=relay,inner=star,segments=6,rotate=groups");
        const auto drawn = forms(request, 16384);
        ASSERT_EQ(std::count(drawn.begin(), drawn.end(), wanted), 1);
        const auto list = paces(wanted, request, 16384);
        wanted.segments = 12;
        EXPECT_EQ(std::count(list.begin(), list.end(), wanted), 1);
    }
}

TEST(Variants, TheBaselineKnowsNothingOfGroups) {
    const Hierarchy hierarchy = parse_hierarchy("(0 1 2) (3 4 5)");
    EXPECT_EQ(texts(baseline({Operation::bcast, &hierarchy})),
              (std::set<std::string>{"tree:inner=binomial,on=ranks", "butterfly:on=ranks"}));
    for (int number = 0; number < operation_count; ++number)
        for (const Choice& choice : baseline({static_cast<Operation>(number), &hierarchy}))
            EXPECT_EQ(choice.on, On::ranks);
}

TEST(Variants, WhatIsCountedGrowsWithTheMessages) {
    const Hierarchy hierarchy = parse_hierarchy("(0 1 2) (3 4 5) (6 7)");
    for (const char* text :
         {"tree:top=star,inner=star,segments=3", "exchange:inner=star,segments=2", "ring:on=levels",
          "direct", "ordered:segments=4"}) {
        const Choice choice = parse_choice(text);
        for (int number = 0; number < operation_count; ++number) {
            const Request request{static_cast<Operation>(number), &hierarchy};
            if (!supports(choice, request)) continue;
            double sends = 0;
            for (Rank rank = 0; rank < request.ranks(); ++rank)
                for (const Task& task : plan(choice, request, rank).tasks)
                    sends += task.kind == Kind::send ? 1 : 0;
            EXPECT_GE(messages_of(choice, request), 0.5 * sends)
                << text << " " << traits(request.operation).name;
            EXPECT_LE(messages_of(choice, request), 8 * sends)
                << text << " " << traits(request.operation).name;
        }
    }
}

}  // namespace

}  // namespace eco
