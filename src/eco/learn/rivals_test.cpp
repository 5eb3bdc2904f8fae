// SPDX-License-Identifier: BSD-3-Clause
#include "eco/learn/rivals.h"

#include <gtest/gtest.h>

#include "eco/planners/choice_text.h"

namespace eco {

namespace {

using Start = ClassLearner::Start;
const char* const tree = "tree:top=star,inner=star,segments=1";

class RivalsOf : public testing::Test {
protected:
    RivalsOf() {
        profile_.hosts = {"a", "b", "c", "d"};
        profile_.levels = {{0, 0, 1, 1}};
        profile_.ring = {0, 1, 2, 3};
    }
    void time(Bytes bytes, const char* choice, Seconds native, Seconds eco) {
        profile_.tuning.push_back({"openmpi 5", std::string(traits(operation_).name), "near", bytes,
                                   choice, native, eco, 0, 1, false});
    }
    void predict(Bytes bytes, const char* choice, Seconds native, Seconds eco) {
        profile_.tuning.push_back({any_library, std::string(traits(operation_).name), "near", bytes,
                                   choice, native, eco, 0, 1, true});
    }
    Rivals find(Bytes bytes, bool may_vary = true) {
        const Chooser chooser(profile_, settings_, "openmpi 5");
        return find_rivals(chooser, learned_, {operation_, &hierarchy_}, bytes, may_vary);
    }
    void learn(Bytes bytes, std::vector<LearnedArm> arms) {
        learned_.push_back({"openmpi 5", std::string(traits(operation_).name), "near", false, 4,
                            bytes, "", std::move(arms)});
    }
    Operation operation_ = Operation::bcast;
    Profile profile_;
    Settings settings_;
    std::vector<LearnedClass> learned_;
    Hierarchy hierarchy_ = parse_hierarchy("(0 1) (2 3)");
};

}  // namespace

TEST_F(RivalsOf, WhatWasTimedClearlyIsSure) {
    time(1024, tree, 2, 1);
    const Rivals rivals = find(1024);
    EXPECT_EQ(rivals.start, Start::sure);
    EXPECT_EQ(to_text(rivals.choices[0]), tree);
    EXPECT_EQ(to_text(rivals.choices[1]), "native");
    EXPECT_TRUE(rivals.worth_learning);
}

// What is unsure is compared with the library first, if no job did that.
TEST_F(RivalsOf, TheLibraryIsComparedFirstWhereNobodyDid) {
    time(1024, tree, 1.02, 1);
    const Rivals rivals = find(1024);
    EXPECT_EQ(rivals.start, Start::unsure);
    ASSERT_EQ(rivals.library, 1U);
    EXPECT_EQ(to_text(rivals.choices[1]), "native");
    predict(1024, "tree:top=balanced,inner=star,segments=1", 2, 1);
    learn(1024, {{tree, 4, 1}, {"native", 4, 2}});
    const Rivals later = find(1024);
    EXPECT_EQ(later.start, Start::unsure);
    EXPECT_EQ(later.library, no_arm);
    EXPECT_EQ(later.preferred, 0U);
}

// A plan is compared with the library until both are known; what another graph's took says nothing.
TEST_F(RivalsOf, APlanIsComparedWithTheLibrary) {
    LearnedClass named{"openmpi 5", "neighbor_allgather", "near", false, 4, 1024, "", {}};
    named.graph = "a";
    const Beginning first = begin_plan(learned_, named, "spread", true);
    EXPECT_EQ(first.preferred, 0U);
    EXPECT_EQ(first.library, 1U);
    EXPECT_EQ(first.start, Start::unsure);
    EXPECT_EQ(begin_plan(learned_, named, "spread", false).preferred, 1U);
    learned_.push_back(named);
    learned_.back().graph = "b";
    learned_.back().arms = {{"spread", 4, 2}, {"native", 4, 1}};
    EXPECT_EQ(begin_plan(learned_, named, "spread", true).preferred, 0U);
    learned_.back().graph = "a";
    const Beginning known = begin_plan(learned_, named, "spread", true);
    EXPECT_EQ(known.preferred, 1U);
    EXPECT_EQ(known.start, Start::sure);
    EXPECT_EQ(known.expected, 1);
    // Another version of ECO makes another plan.
    EXPECT_EQ(begin_plan(learned_, named, "best", true).start, Start::unsure);
}

// A budget that left no time for predictions: the multicast is tried, not the trees alone.
TEST_F(RivalsOf, WhereNothingWasPredictedTheMulticastIsTried) {
    profile_.tuning.push_back({"openmpi 5", "bcast", "near", 1024, "native", 0, 0, 0, 1, true});
    EXPECT_EQ(find(1024).choices.size(), 2U);
    hierarchy_.top.mcast_rate = 1e6;
    const Rivals rivals = find(1024);
    ASSERT_EQ(rivals.choices.size(), 3U);
    EXPECT_EQ(to_text(rivals.choices[2]), "mcast:segments=1");
    predict(1024, tree, 2, 1);
    EXPECT_EQ(find(1024).choices.size(), 2U);
}

// A network may stop passing multicasts on, and then a tree is faster than the library.
TEST_F(RivalsOf, AMulticastHasARivalThatIsNone) {
    hierarchy_.top.mcast_rate = 1e6;
    time(1024, "mcast:segments=1", 2, 1);
    predict(1024, "mcast:segments=1", 2, 1);
    const Rivals rivals = find(1024);
    ASSERT_EQ(rivals.choices.size(), 3U);
    EXPECT_EQ(to_text(rivals.choices[1]), "native");
    EXPECT_FALSE(rivals.choices[2].is_native() || rivals.choices[2].is_mcast());
}

TEST_F(RivalsOf, WhatWasTimedFarAwayOrNarrowlyIsNot) {
    time(1024, tree, 2, 1);
    EXPECT_EQ(find(16384).start, Start::unsure);
    profile_.tuning.clear();
    time(1024, tree, 2, 1.95);
    EXPECT_EQ(find(1024).start, Start::unsure);
}

TEST_F(RivalsOf, APredictionIsTriedAgainstTheLibrary) {
    predict(1024, tree, 2, 1);
    const Rivals rivals = find(1024);
    EXPECT_EQ(rivals.start, Start::unsure);
    EXPECT_EQ(rivals.choices.size(), 2U);
}

// Of this library: it was timed, and the prediction was sure.
TEST_F(RivalsOf, ASurePredictionRunsUntilItTakesAsLongAsTheLibrary) {
    predict(1024, tree, 2, 1);
    profile_.tuning.back().mpi = "openmpi 5";
    const Rivals rivals = find(1024);
    EXPECT_EQ(rivals.start, Start::likely);
    EXPECT_EQ(to_text(rivals.choices[rivals.preferred]), tree);
    EXPECT_DOUBLE_EQ(rivals.expected, 1);
    learn(1024, {{tree, 6, 1.2}});
    EXPECT_EQ(find(1024).start, Start::sure);
    learned_.back().arms = {{tree, 6, 1.2}, {"native", 6, 1.1}};
    EXPECT_EQ(to_text(find(1024).choices[find(1024).preferred]), "native");
    learned_.clear();
    profile_.tuning.back().native = 1.04;
    EXPECT_DOUBLE_EQ(find(1024).expected, 0.8);
}

// What it takes besides its bytes stays, so the check does not fail for being shorter.
TEST_F(RivalsOf, AShorterMessageIsExpectedToTakeAsLong) {
    predict(16, tree, 1.5, 1);
    profile_.tuning.back().mpi = "openmpi 5";
    EXPECT_DOUBLE_EQ(find(8).expected, 1);
}

TEST_F(RivalsOf, NothingIsTriedWhereASettingNamesTheChoice) {
    predict(1024, tree, 2, 1);
    settings_.choice = "native";
    EXPECT_FALSE(find(1024).worth_learning);
}

TEST_F(RivalsOf, OnOneSubnetOnlyWhatWasTimedIsTried) {
    profile_.levels = {{0, 0, 0, 0}};
    hierarchy_ = parse_hierarchy("(0 1 2 3)");
    time(1024, "native", 1, 1);
    EXPECT_TRUE(find(1024).worth_learning);
    profile_.tuning.back().operation = "gather";
    EXPECT_FALSE(find(1024).worth_learning);
}

TEST_F(RivalsOf, WhatEarlierJobsFoundDecides) {
    predict(1024, tree, 2, 1);
    learn(1024, {{"native", 8, 1.0}, {tree, 8, 1.5}});
    const Rivals rivals = find(1024);
    EXPECT_EQ(rivals.start, Start::sure);
    EXPECT_EQ(to_text(rivals.choices[rivals.preferred]), "native");
}

// Six runs of a check, with nothing to compare them with, do not outweigh what was tuned; three
// times what it should take does.
TEST_F(RivalsOf, ACheckLeavesWhatIsSureSure) {
    time(1024, tree, 2, 1);
    learn(1024, {{tree, 6, 1.1}});
    EXPECT_EQ(find(1024).start, Start::sure);
    EXPECT_EQ(to_text(find(1024).choices[find(1024).preferred]), tree);
    learned_.clear();
    learn(1024, {{tree, 6, 3.0}});
    EXPECT_EQ(find(1024).start, Start::unsure);
}

// What jobs learned must not change the bits of sums: neither the library nor another tree runs,
// however much faster it was; what adds up in the same order may.
TEST_F(RivalsOf, OnlyTheSameEvaluationOrderMayReplaceASum) {
    operation_ = Operation::allreduce;
    predict(1024, tree, 2, 1);
    const std::string k2 = to_text(parse_choice("k2"));
    learn(1024, {{tree, 12, 1.5}, {"native", 12, 0.5}, {k2, 12, 0.1}});
    EXPECT_EQ(to_text(find(1024).choices[find(1024).preferred]), k2);
    EXPECT_FALSE(find(1024, false).worth_learning);
    EXPECT_EQ(find(1024, false).choices, std::vector{parse_choice(tree)});
    learned_.front().arms.push_back({"tree:top=star,inner=star,segments=4", 12, 1});
    const Rivals rivals = find(1024, false);
    ASSERT_EQ(rivals.choices.size(), 2U);
    EXPECT_EQ(rivals.preferred, 1U);
    EXPECT_EQ(rivals.library, no_arm);
}

// Where the library adds up, nothing else has its order.
TEST_F(RivalsOf, ASumOfTheLibraryStaysItsOwn) {
    operation_ = Operation::allreduce;
    profile_.tuning.push_back(
        {"openmpi 5", "allreduce", "near", 1024, "native", 1, 1.1, 0, 1, false});
    predict(1024, tree, 2, 1);
    EXPECT_TRUE(find(1024).worth_learning);
    EXPECT_FALSE(find(1024, false).worth_learning);
    EXPECT_TRUE(find(1024, false).choices.front().is_native());
}

// A network may stop passing multicasts on: the same sum without.
TEST_F(RivalsOf, AMulticastSumIsComparedWithItsTree) {
    operation_ = Operation::allreduce;
    hierarchy_.top.mcast_rate = 1e6;
    time(1024, "mcast:segments=2", 2, 1);
    const Rivals rivals = find(1024, false);
    ASSERT_EQ(rivals.choices.size(), 2U);
    EXPECT_EQ(rivals.choices[1].family(), Family::tree);
    EXPECT_EQ(rivals.choices[1].segments, 2);
}

TEST_F(RivalsOf, WhatThisEcoDoesNotKnowIsLeftOut) {
    predict(1024, tree, 2, 1);
    learn(1024, {{"quantum:entangled=1", 12, 0.1}});
    const Rivals rivals = find(1024);
    for (const Choice& choice : rivals.choices) EXPECT_TRUE(to_text(choice) != "quantum");
    EXPECT_EQ(rivals.start, Start::unsure);
}

// Of calls whose size not all ranks know, long ones must not overflow a queue on their way, and
// short ones wait for no window.
TEST_F(RivalsOf, AllToAllsOfUnknownSizeAreTriedWithAWindow) {
    const auto tried = [&](Operation operation, Bytes bytes) {
        profile_.tuning = {{"openmpi 5", std::string(traits(operation).name), "near", bytes,
                            "native", 1, 1, 0, 1, false}};
        const Chooser chooser(profile_, settings_, "openmpi 5");
        const Rivals rivals = find_rivals(chooser, {}, {operation, &hierarchy_}, bytes, true);
        return to_text(rivals.choices.back());
    };
    EXPECT_EQ(tried(Operation::alltoallv, -1), "direct:window=4");
    EXPECT_EQ(tried(Operation::alltoallw, -1), "direct:window=4");
    EXPECT_EQ(tried(Operation::alltoall, 16000).find("window"), std::string::npos);
}

// Whatever tuning says of blocking calls, they are compared once; and not with what cannot run.
TEST_F(RivalsOf, NonBlockingCallsLearnFromTheirOwnTimes) {
    time(1024, tree, 2, 1);
    learn(1024, {{tree, 12, 3}, {"native", 12, 1}});
    const Choice usual = parse_choice("k3");
    const auto find_them = [&](bool may_run_trees) {
        const Chooser chooser(profile_, settings_, "openmpi 5");
        return find_nonblocking_rivals(
            chooser, learned_, {Operation::bcast, &hierarchy_}, 1024, true, usual,
            [&](const Choice& choice) { return may_run_trees || choice.is_native(); });
    };
    EXPECT_EQ(find_them(true).choices, (std::vector{usual, Choice{}, parse_choice(tree)}));
    EXPECT_EQ(find_them(true).start, Start::unsure);
    EXPECT_EQ(find_them(false).choices, (std::vector{usual, Choice{}}));
    learned_.back().operation = "ibcast";
    learned_.back().arms.push_back({to_text(usual), 12, 2});
    EXPECT_EQ(find_them(true).start, Start::sure);
    EXPECT_EQ(find_them(true).preferred, 1U);
}

}  // namespace eco
