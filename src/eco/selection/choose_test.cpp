// SPDX-License-Identifier: BSD-3-Clause
#include "eco/selection/choose.h"

#include <gtest/gtest.h>

#include "eco/planners/choice_text.h"

namespace eco {

class Choose : public testing::Test {
protected:
    Choose() {
        profile_.hosts = {"a", "b", "c", "d"};
        profile_.levels = {{0, 0, 1, 1}};
        profile_.ring = {0, 1, 2, 3};
        const char* tree = "tree:top=star,inner=star,segments=1";
        profile_.tuning = {{"openmpi 5", "bcast", "near", 16, "native", 1, 2, 0, 1, false},
                           {"openmpi 5", "bcast", "near", 16384, tree, 2, 1, 0, 1, false},
                           {"openmpi 5", "bcast", "scattered", 16, tree, 2, 1, 0, 1, false},
                           {"openmpi 5", "gatherv", "near", -1, "native", 1, 2, 0, 1, false}};
    }
    void predict(Bytes bytes, const char* choice, double gain, int ranks_per_host = 1) {
        profile_.tuning.push_back(
            {any_library, "bcast", "near", bytes, choice, gain, 1, 0, ranks_per_host, true});
    }
    std::string chosen(Operation operation, Bytes bytes, const char* groups = "(0 1) (2 3)",
                       const char* library = "openmpi 5") {
        const Hierarchy hierarchy = parse_hierarchy(groups);
        Chooser chooser(profile_, settings_, library);
        return to_text(chooser.choose({operation, &hierarchy, 0, commutative_}, bytes));
    }
    Profile profile_;
    Settings settings_;
    bool commutative_ = true;
};

TEST_F(Choose, TheNearestSizeOfTheSameLayout) {
    EXPECT_EQ(chosen(Operation::bcast, 16), "native");
    EXPECT_EQ(chosen(Operation::bcast, 400), "native");
    EXPECT_EQ(chosen(Operation::bcast, 4000), "tree:top=star,inner=star,segments=1");
    EXPECT_EQ(chosen(Operation::bcast, 16, "(0 2) (1 3)"), "tree:top=star,inner=star,segments=1");
}

// Of two sizes as far away the first, on every machine: logarithms are rounded here so that the
// other one seems nearer.
TEST_F(Choose, SizesAsFarAwayAreATie) {
    for (const Bytes least : {5, 7}) {
        const Bytes factor = least == 5 ? 3 : 2;
        profile_.tuning = {
            {"openmpi 5", "bcast", "near", least, "k2", 2, 1, 0, 1, false},
            {"openmpi 5", "bcast", "near", least * factor * factor, "k3", 2, 1, 0, 1, false}};
        EXPECT_EQ(chosen(Operation::bcast, least * factor), "tree:inner=k2,on=ranks");
        EXPECT_EQ(chosen(Operation::bcast, least * factor + 1), "tree:inner=k3,on=ranks");
    }
}

// Entries of calls that do not block are for these alone, where they are as near as those of the
// blocking call.
TEST_F(Choose, CallsThatDoNotBlockHaveEntriesOfTheirOwn) {
    const auto nonblocking = [this](Operation operation, Bytes bytes,
                                    const char* groups = "(0 1) (2 3)") {
        const Hierarchy hierarchy = parse_hierarchy(groups);
        Chooser chooser(profile_, settings_, "openmpi 5");
        const auto choice = chooser.choose_nonblocking({operation, &hierarchy, 0, true}, bytes);
        return choice ? to_text(*choice) : "as blocking";
    };
    EXPECT_EQ(nonblocking(Operation::bcast, 16), "as blocking");
    const auto before = chosen(Operation::bcast, 16384);
    profile_.tuning.push_back({"openmpi 5", "ibcast", "near", 16384, "k2", 2, 1, 0, 1, false});
    profile_.tuning.push_back({"openmpi 5", "iscan", "near", 1024, "native", 1, 2, 0, 1, false});
    EXPECT_EQ(chosen(Operation::bcast, 16384), before);
    EXPECT_EQ(nonblocking(Operation::bcast, 16384), "tree:inner=k2,on=ranks");
    EXPECT_EQ(nonblocking(Operation::scan, 1024), "native");
    // The blocking call was timed at this size, or in this layout.
    EXPECT_EQ(nonblocking(Operation::bcast, 16), "as blocking");
    EXPECT_EQ(nonblocking(Operation::bcast, 16, "(0 2) (1 3)"), "as blocking");
    settings_.choice = "native";
    EXPECT_EQ(nonblocking(Operation::bcast, 16384), "as blocking");
}

// Entries of one kind with this version of the library do not hide those of the other kind.
TEST_F(Choose, TunedCallsThatDoNotBlockHideNoBlockingOnes) {
    const auto before = chosen(Operation::bcast, 16384, "(0 1) (2 3)", "openmpi 6");
    profile_.tuning.push_back({"openmpi 6", "ibcast", "near", 16384, "k2", 2, 1, 0, 1, false});
    EXPECT_EQ(chosen(Operation::bcast, 16384, "(0 1) (2 3)", "openmpi 6"), before);
    EXPECT_NE(before, "native");
}

TEST_F(Choose, SegmentsKeepTheirLength) {
    profile_.tuning = {{"openmpi 5", "bcast", "near", 16384, "tree:top=star,inner=star,segments=6",
                        2, 1, 0, 1, false}};
    EXPECT_EQ(chosen(Operation::bcast, 8192), "tree:top=star,inner=star,segments=3");
    EXPECT_EQ(chosen(Operation::bcast, 65536), "tree:top=star,inner=star,segments=24");
    EXPECT_EQ(chosen(Operation::bcast, 1 << 20), "tree:top=star,inner=star,segments=64");
    EXPECT_EQ(chosen(Operation::bcast, 1), "tree:top=star,inner=star,segments=1");
}

TEST_F(Choose, NativeWhereNothingWasTimed) {
    EXPECT_EQ(chosen(Operation::allreduce, 16), "native");
    EXPECT_EQ(chosen(Operation::gatherv, -1), "native");
    EXPECT_EQ(chosen(Operation::bcast, 16384, "0 1 2"), "native");  // inside one subnet
}

TEST_F(Choose, AnotherLibrarysTuningSaysNothing) {
    EXPECT_NE(chosen(Operation::bcast, 16, "(0 1) (2 3)", "mpich 5"), "native");
    EXPECT_EQ(chosen(Operation::gather, 16, "(0 1) (2 3)", "mpich 5"), "native");
}

TEST_F(Choose, AnotherVersionsTuningCountsUntilThereIsThisOnes) {
    EXPECT_EQ(chosen(Operation::bcast, 16, "(0 1) (2 3)", "openmpi 6"), "native");
    profile_.tuning.push_back({"openmpi 6", "bcast", "near", 16, "k2", 2, 1, 0, 1, false});
    EXPECT_EQ(chosen(Operation::bcast, 16, "(0 1) (2 3)", "openmpi 6"), "tree:inner=k2,on=ranks");
    EXPECT_EQ(chosen(Operation::bcast, 16), "native");
}

TEST_F(Choose, WhatWasTimedOutranksWhatWasPredicted) {
    predict(16, "k2", 9);
    predict(16384, "k3", 9);
    EXPECT_EQ(chosen(Operation::bcast, 16), "native");
    EXPECT_EQ(chosen(Operation::bcast, 16384), "tree:top=star,inner=star,segments=1");
    EXPECT_EQ(chosen(Operation::bcast, 16, "(0 1) (2 3)", "mpich 5"), "tree:inner=k2,on=ranks");
    predict(32768, "k5", 9);
    EXPECT_EQ(chosen(Operation::bcast, 32768), "tree:top=star,inner=star,segments=1");
    // Far from what was timed prediction says which schedule, timing whether.
    predict(65536, "k4", 1);
    EXPECT_EQ(chosen(Operation::bcast, 65536), "tree:inner=k4,on=ranks");
    profile_.tuning[1].choice = "native";
    EXPECT_EQ(chosen(Operation::bcast, 65536), "native");
}

TEST_F(Choose, OfMessagesMuchLongerThanWhatWasTimedAClearPredictionCounts) {
    predict(1 << 20, "k4", 9);
    EXPECT_EQ(chosen(Operation::bcast, 1 << 20), "tree:inner=k4,on=ranks");
    profile_.tuning[1].choice = "native";
    EXPECT_EQ(chosen(Operation::bcast, 1 << 20), "tree:inner=k4,on=ranks");
    EXPECT_EQ(chosen(Operation::bcast, 4 << 20), "tree:inner=k4,on=ranks");
    EXPECT_EQ(chosen(Operation::bcast, 32768), "native");
    profile_.tuning.back().native = 1.1;
    EXPECT_EQ(chosen(Operation::bcast, 1 << 20), "native");
    profile_.tuning.pop_back();
    EXPECT_EQ(chosen(Operation::bcast, 1 << 20), "native");
}

// Nothing was timed of communicators inside one subnet of several: programs find out.
TEST_F(Choose, InsideASubnetTheLibraryHasRivals) {
    Hierarchy hierarchy = parse_hierarchy("{0 1 2 3 4}");
    const Chooser chooser(profile_, settings_, "openmpi 5");
    const Knowledge known = chooser.knowledge({Operation::bcast, &hierarchy, 0, true}, 16384);
    EXPECT_TRUE(known.choice.is_native());
    EXPECT_TRUE(known.open);
    EXPECT_EQ(known.sure, Knowledge::Sure::no);
    ASSERT_EQ(known.rivals.size(), 2U);
    EXPECT_NE(known.rivals[0].is_mcast(), known.rivals[1].is_mcast());
}

TEST_F(Choose, WhatWasTimedOnAllHostsIsNotCertainOnSome) {
    Hierarchy hierarchy = parse_hierarchy("(0 1) (2 3)");
    const auto known = [&] {
        const Chooser chooser(profile_, settings_, "openmpi 5");
        return chooser.knowledge({Operation::bcast, &hierarchy, 0, true}, 16384);
    };
    const std::string timed = to_text(known().choice);
    EXPECT_EQ(known().sure, Knowledge::Sure::by_timing);
    hierarchy.structure = "1+3";
    EXPECT_EQ(to_text(known().choice), timed);
    EXPECT_EQ(known().sure, Knowledge::Sure::no);
    profile_.tuning.push_back({"openmpi 5", "bcast", "near", 16384, "k2", 2, 1, 0, 1, false});
    profile_.tuning.back().structure = "1+3";
    EXPECT_EQ(to_text(known().choice), "tree:inner=k2,on=ranks");
    EXPECT_EQ(known().sure, Knowledge::Sure::by_timing);
}

// Several ranks on each host: what follows from calls with one on each runs, and is compared.
TEST_F(Choose, WhatWasDerivedForSharedHostsIsNotCertain) {
    const Hierarchy shared = parse_hierarchy("([0 1] [2 3]) ([4 5] [6 7])");
    profile_.tuning.push_back({"openmpi 5", "bcast", "near", 16384, "k2", 2, 1, 0, 2, true});
    const auto known = [&] {
        const Chooser chooser(profile_, settings_, "openmpi 5");
        return chooser.knowledge({Operation::bcast, &shared, 0, true}, 16384);
    };
    EXPECT_EQ(known().sure, Knowledge::Sure::by_prediction);
    profile_.tuning.back().derived = true;
    EXPECT_EQ(known().sure, Knowledge::Sure::no);
    EXPECT_EQ(to_text(known().choice), "tree:inner=k2,on=ranks");
}

TEST_F(Choose, WhatWasDerivedForSharedHostsSaysNothingOfOtherSizes) {
    const char* shared = "([0 1] [2 3]) ([4 5] [6 7])";
    profile_.tuning = {{"openmpi 5", "bcast", "near", 16384, "k2", 9, 1, 0, 2, true, true}};
    predict(1024, "k3", 1.1, 2);
    EXPECT_EQ(chosen(Operation::bcast, 16384, shared), "tree:inner=k2,on=ranks");
    EXPECT_EQ(chosen(Operation::bcast, 1024, shared), "native");
    profile_.tuning[0].choice = "native";
    profile_.tuning[1].native = 9;
    EXPECT_EQ(chosen(Operation::bcast, 16384, shared), "native");
    EXPECT_EQ(chosen(Operation::bcast, 8, shared), "tree:inner=k3,on=ranks");
}

TEST_F(Choose, AChainInRingOrderIsOneInRankOrderForAnOperatorThatDoesNotCommute) {
    profile_.tuning = {{"openmpi 5", "reduce", "near", 16, "tree:inner=chain,segments=1,on=ring", 2,
                        1, 0, 1, false}};
    EXPECT_EQ(chosen(Operation::reduce, 16), "tree:inner=chain,segments=1,on=ring");
    commutative_ = false;
    EXPECT_EQ(chosen(Operation::reduce, 16), "tree:inner=chain,segments=1,on=ranks");
}

TEST_F(Choose, APredictedGainMustBeClear) {
    profile_.tuning.clear();
    predict(16, "k2", 1.1);
    predict(16384, "k3", 1.2);
    predict(16, "k2", 1.3, 4);
    predict(16384, "k3", 1.5, 4);
    EXPECT_EQ(chosen(Operation::bcast, 16), "native");
    EXPECT_EQ(chosen(Operation::bcast, 16384), "tree:inner=k3,on=ranks");
    const char* shared = "([0 1] [2 3]) ([4 5] [6 7])";
    EXPECT_EQ(chosen(Operation::bcast, 16, shared), "native");
    EXPECT_EQ(chosen(Operation::bcast, 16384, shared), "tree:inner=k3,on=ranks");
    EXPECT_EQ(chosen(Operation::allreduce, 16384), "native");
}

// If the library was timed, what was decided runs, whatever the topology-unaware baseline would
// take.
TEST_F(Choose, APredictionForThisLibraryIsFinal) {
    profile_.tuning = {{"openmpi 5", "bcast", "near", 16, "k2", 1.08, 1, 0, 1, true},
                       {"openmpi 5", "bcast", "near", 16384, "native", 9, 1, 0, 1, true}};
    predict(16, "k3", 9);
    predict(16384, "k3", 9);
    EXPECT_EQ(chosen(Operation::bcast, 16), "tree:inner=k2,on=ranks");
    EXPECT_EQ(chosen(Operation::bcast, 16384), "native");
    EXPECT_EQ(chosen(Operation::bcast, 16, "(0 1) (2 3)", "mpich 5"), "tree:inner=k3,on=ranks");
}

// As on a network whose processors are the limit: predictions for short messages err by much there.
TEST_F(Choose, AMeasuredErrorSaysWhichGainIsClear) {
    profile_.tuning.clear();
    predict(16, "k2", 1.5);
    predict(16384, "k3", 1.1);
    profile_.tuning[0].noise = 0.9;
    profile_.tuning[1].noise = 0.02;
    EXPECT_EQ(chosen(Operation::bcast, 16), "native");
    EXPECT_EQ(chosen(Operation::bcast, 16384), "tree:inner=k3,on=ranks");
    profile_.tuning[1].noise = 0.06;
    EXPECT_EQ(chosen(Operation::bcast, 16384), "native");
    profile_.tuning[1].noise = 0;  // not measured
    EXPECT_EQ(chosen(Operation::bcast, 16384), "native");
}

TEST_F(Choose, PredictionsKnowNothingOfRails) {
    predict(262144, "k3", 1.5);
    EXPECT_EQ(chosen(Operation::bcast, 262144), "tree:inner=k3,on=ranks");
    profile_.tuning[1].choice = "tree:top=star,inner=star,rails=2";
    EXPECT_EQ(chosen(Operation::bcast, 262144), "tree:top=star,inner=star,rails=2");
}

TEST_F(Choose, RanksThatShareHostsHaveTheirOwnTimes) {
    const char* shared = "([0 1] 2) (3 [4 5])";
    EXPECT_EQ(chosen(Operation::bcast, 16384, shared), "native");
    profile_.tuning.push_back({"openmpi 5", "bcast", "near", 1024, "k4", 2, 1, 0, 2, false});
    EXPECT_EQ(chosen(Operation::bcast, 16384, shared), "tree:inner=k4,on=ranks");
    EXPECT_EQ(chosen(Operation::bcast, 16384), "tree:top=star,inner=star,segments=1");
}

TEST_F(Choose, SettingsWin) {
    settings_.choice = "native";
    EXPECT_EQ(chosen(Operation::bcast, 16384), "native");
    settings_.choice = "k2";
    EXPECT_EQ(chosen(Operation::bcast, 16384), "tree:inner=k2,on=ranks");
    EXPECT_EQ(chosen(Operation::alltoall, 16384), "native");  // no tree does that
    settings_.choice = "eco";
    EXPECT_NE(chosen(Operation::alltoall, 16384), "native");
    settings_.choice = "auto";
    settings_.keep_order = true;
    EXPECT_EQ(chosen(Operation::allreduce, 16), "native");
    EXPECT_TRUE(settings_.complaints.empty());
}

TEST_F(Choose, NonsenseIsComplainedOf) {
    settings_.choice = "fastest";
    EXPECT_EQ(chosen(Operation::bcast, 16), "native");
    EXPECT_EQ(settings_.complaints.size(), 1U);
}

// A profile of a later version may have many.
TEST_F(Choose, OneComplaintOfAllEntriesThatMeanNothing) {
    for (const Bytes bytes : {32, 64, 128}) predict(bytes, "spiral:arms=2", 9);
    profile_.tuning.push_back({"openmpi 5", "teleport", "near", 16, "k2", 2, 1, 0, 1, false});
    EXPECT_EQ(chosen(Operation::bcast, 16384), "tree:top=star,inner=star,segments=1");
    ASSERT_EQ(settings_.complaints.size(), 1U);
    EXPECT_NE(settings_.complaints[0].find("4 of the profile's 8"), std::string::npos);
    EXPECT_NE(settings_.complaints[0].find("spiral"), std::string::npos);
}

TEST_F(Choose, OnlyWhatTheOperatorAllows) {
    profile_.tuning.push_back(
        {"openmpi 5", "allreduce", "near", 16, "ring:on=levels", 2, 1, 0, 1, false});
    EXPECT_EQ(chosen(Operation::allreduce, 16), "ring:on=levels");
    commutative_ = false;
    EXPECT_EQ(chosen(Operation::allreduce, 16), "native");
}

// A program's length grows with its segments, and one that is too long cannot be planned.
TEST(Scaled, HasAsManySegmentsAsFit) {
    std::string groups;
    for (int group = 0; group < 8; ++group) {
        groups += group > 0 ? " (" : "(";
        for (int rank = 8 * group; rank < 8 * group + 8; ++rank)
            groups += (rank % 8 > 0 ? " " : "") + std::to_string(rank);
        groups += ")";
    }
    const Hierarchy hierarchy = parse_hierarchy(groups);
    const Request request{Operation::allgather, &hierarchy};
    const Choice timed = parse_choice("tree:top=balanced,inner=chain,segments=24");
    ASSERT_TRUE(supports(timed, request));
    for (const Bytes bytes : {1000, 65536, 71680, 200000, 10'000'000}) {
        const Choice longer = scaled(timed, 65536, bytes, request);
        EXPECT_TRUE(supports(longer, request)) << bytes;
        EXPECT_EQ(longer.segments >= 24, bytes >= 65536) << bytes;
    }
    EXPECT_EQ(scaled(timed, 65536, 32768, request).segments, 12);
}

}  // namespace eco
