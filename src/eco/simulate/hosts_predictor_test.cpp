// SPDX-License-Identifier: BSD-3-Clause
#include "eco/simulate/hosts_predictor.h"

#include <gtest/gtest.h>

#include "eco/planners/choice_text.h"
#include "eco/selection/choose.h"
#include "eco/topology/build_hierarchy.h"
#include "eco/topology/build_network.h"
#include "eco/topology/profile.h"

namespace eco {
namespace {

// Four racks of four, uplinks of two ports, found by capacity and tuned on all sixteen hosts.
class Racks : public testing::Test {
protected:
    Racks()
        : profile_(read_profile(ECO_TEST_DATA "/leaf-4x4-tuned.json")),
          network_(build_network(profile_)),
          predictor_(
              [this] {
                  ++asked_;
                  return &network_;
              },
              profile_) {}

    Explained explain(const Hierarchy& hierarchy, Operation operation, Bytes bytes,
                      const Predictor* predictor) {
        Settings settings;
        return Chooser(profile_, settings, "openmpi 5.0.11", predictor)
            .explain({operation, &hierarchy}, bytes);
    }
    Seconds takes(const Hierarchy& hierarchy, const Explained& found, Operation operation,
                  Bytes bytes) {
        return predictor_.predict({operation, &hierarchy}, bytes, found.choice, true)->elsewhere;
    }

    Profile profile_;
    Network network_;
    int asked_ = 0;
    HostsPredictor predictor_;
};

TEST_F(Racks, WhatWasTimedOnTheseHostsCounts) {
    std::vector<int> all;
    for (int host = 0; host < 16; ++host) all.push_back(host);
    const Hierarchy hierarchy = build_hierarchy(profile_, all);
    const Explained found = explain(hierarchy, Operation::reduce, 16384, &predictor_);
    EXPECT_EQ(found.rests, Explained::Rests::timed);
    EXPECT_EQ(asked_, 0);
}

// Racks of one and two hosts fill no uplink.
TEST_F(Racks, WhatRunsOnSixHostsIsAboutTheBestThere) {
    const Hierarchy six = build_hierarchy(profile_, {2, 10, 0, 14, 6, 5});
    EXPECT_EQ(six.structure, "6");
    for (const Operation operation :
         {Operation::reduce, Operation::reduce_scatter, Operation::bcast}) {
        const Explained found = explain(six, operation, 16384, &predictor_);
        ASSERT_FALSE(found.choice.is_native());
        EXPECT_EQ(found.rests, Explained::Rests::predicted);
        const auto best = predictor_.predict({operation, &six}, 16384, found.choice, true);
        ASSERT_TRUE(best);
        EXPECT_LE(best->elsewhere, 1.15 * best->time) << to_text(found.choice);
    }
}

// On three hosts of a rack and three others a schedule of four racks of four is not the best.
TEST_F(Racks, AClearlyFasterScheduleReplacesWhatWasTimedElsewhere) {
    const Hierarchy six = build_hierarchy(profile_, {0, 1, 2, 4, 8, 12});
    int replaced = 0;
    for (const Operation operation :
         {Operation::reduce, Operation::allreduce, Operation::reduce_scatter})
        for (const Bytes bytes : {16384, 131072}) {
            const Explained there = explain(six, operation, bytes, nullptr),
                            here = explain(six, operation, bytes, &predictor_);
            if (there.choice.is_native() || here.choice.is_native()) continue;
            const auto timed = predictor_.predict({operation, &six}, bytes, there.choice, true),
                       runs = predictor_.predict({operation, &six}, bytes, here.choice, true);
            if (to_text(there.choice) == to_text(here.choice)) {
                EXPECT_LE(timed->elsewhere, 1.15 * timed->time);
                continue;
            }
            EXPECT_LT(1.15 * runs->elsewhere, timed->elsewhere);
            ++replaced;
        }
    EXPECT_GT(replaced, 0);
}

TEST_F(Racks, WhatIsAsGoodHereStays) {
    const Hierarchy most =
        build_hierarchy(profile_, {0, 1, 2, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15});
    const Explained there = explain(most, Operation::reduce, 131072, nullptr),
                    here = explain(most, Operation::reduce, 131072, &predictor_);
    EXPECT_EQ(to_text(here.choice), to_text(there.choice));
}

TEST_F(Racks, HostsOfOneRackGetPredictionsToo) {
    const Hierarchy rack = build_hierarchy(profile_, {0, 1, 2, 3});
    EXPECT_EQ(explain(rack, Operation::bcast, 131072, nullptr).rests, Explained::Rests::inside);
    const Explained found = explain(rack, Operation::bcast, 131072, &predictor_);
    EXPECT_EQ(found.rests, Explained::Rests::predicted);
    EXPECT_TRUE(found.choice.is_mcast());
}

// It is predicted less surely than messages.
TEST_F(Racks, MulticastCountsWhereItWasTheBestSomewhere) {
    std::erase_if(profile_.tuning,
                  [](const Tuned& tuned) { return tuned.choice.starts_with("mcast"); });
    const Hierarchy six = build_hierarchy(profile_, {2, 10, 0, 14, 6, 5});
    EXPECT_FALSE(explain(six, Operation::bcast, 131072, &predictor_).choice.is_mcast());
}

TEST_F(Racks, AnswersAreKeptByHosts) {
    const Hierarchy some = build_hierarchy(profile_, {0, 1, 4}),
                    others = build_hierarchy(profile_, {4, 5, 8});
    const Request request{Operation::reduce, &some};
    const auto first = predictor_.predict(request, 4096, Choice{}, true),
               again = predictor_.predict(request, 4096, Choice{}, true);
    ASSERT_TRUE(first && again);
    EXPECT_EQ(first->time, again->time);
    EXPECT_TRUE(predictor_.predict({Operation::reduce, &others}, 4096, Choice{}, true));
}

// Else ranks that asked for other groups of the same hosts would have another answer.
TEST_F(Racks, AnswersAreKeptByGroupsInsideHostsToo) {
    const std::vector<int> host_of{0, 0, 0, 0, 4, 4, 4, 4};
    std::vector<Hierarchy> hierarchies;
    for (const char* text : {"([(0 1) (2 3)]) ([(4 5) (6 7)])", "([0 1 2 3]) ([4 5 6 7])"}) {
        hierarchies.push_back(parse_hierarchy(text));
        hierarchies.back().host_of = host_of;
    }
    std::vector<Seconds> fresh, after;
    for (const Hierarchy& hierarchy : hierarchies) {
        const HostsPredictor other([this] { return &network_; }, profile_);
        fresh.push_back(
            other.predict({Operation::allreduce, &hierarchy}, 16384, Choice{}, true)->time);
        after.push_back(
            predictor_.predict({Operation::allreduce, &hierarchy}, 16384, Choice{}, true)->time);
    }
    EXPECT_EQ(fresh, after);
}

// A sum has the same bits where the job cannot multicast.
TEST_F(Racks, ReductionsAreChosenAlikeWithoutMulticast) {
    Profile without = profile_;
    without.mcast.reset();
    Network mute = network_;
    mute.mcasts.clear();
    const HostsPredictor predictor([&] { return &mute; }, profile_);
    const std::vector<int> hosts{2, 10, 0, 14, 6, 5};
    const Hierarchy six = build_hierarchy(profile_, hosts),
                    mute_six = build_hierarchy(without, hosts);
    for (const Bytes bytes : {1024, 16384, 131072})
        for (const Operation operation : {Operation::allreduce, Operation::reduce}) {
            const Choice elsewhere = parse_choice("mcast:segments=1");
            const auto one = predictor_.predict({operation, &six}, bytes, elsewhere, true),
                       two = predictor.predict({operation, &mute_six}, bytes, elsewhere, true);
            ASSERT_TRUE(one && two);
            EXPECT_EQ(to_text(one->best), to_text(two->best));
            EXPECT_EQ(one->elsewhere, two->elsewhere);
        }
    // Nothing but reductions.
    EXPECT_TRUE(
        predictor_.predict({Operation::bcast, &six}, 131072, Choice{}, true)->best.is_mcast());
    EXPECT_FALSE(
        predictor.predict({Operation::bcast, &mute_six}, 131072, Choice{}, true)->best.is_mcast());
}

// What was timed on others counts as before.
TEST_F(Racks, AScheduleThatIsTooLongToSimulateLeavesNoAnswer) {
    std::vector<int> host_of;
    for (int host = 0; host < 15; ++host) host_of.insert(host_of.end(), 3, host);
    const Hierarchy most = build_hierarchy(profile_, host_of);
    const Request request{Operation::allreduce, &most};
    const Choice too_long = parse_choice("tree:inner=star,segments=500,rotate=all");
    ASSERT_TRUE(supports(too_long, request, 1000000));
    EXPECT_TRUE(predictor_.predict(request, 1000000, Choice{}, true));
    EXPECT_FALSE(predictor_.predict(request, 1000000, too_long, true));
}

TEST_F(Racks, CallsThatTakeNoTimeAreNotWorthSimulating) {
    Network quick = network_;
    for (auto& link : quick.links) link.rate *= 1e5;
    for (auto* costs : {&quick.send, &quick.receive})
        for (Cost& cost : *costs) cost = {1e-8, 1e-12};
    for (auto& row : quick.fixed)
        for (double& fixed : row) fixed = 1e-8;
    for (auto& row : quick.cap)
        for (double& cap : row) cap *= 1e5;
    quick.shared_gap = 0;
    const HostsPredictor predictor([&] { return &quick; }, profile_);
    const Hierarchy six = build_hierarchy(profile_, {2, 10, 0, 14, 6, 5});
    EXPECT_FALSE(predictor.predict({Operation::allreduce, &six}, 16, Choice{}, true));
}

TEST_F(Racks, NothingWithoutAMeasuredModel) {
    Network assumed = network_;
    assumed.assumed = true;
    const Hierarchy some = build_hierarchy(profile_, {0, 1, 4});
    for (const Network* network :
         {static_cast<const Network*>(nullptr), static_cast<const Network*>(&assumed)})
        EXPECT_FALSE(HostsPredictor([=] { return network; }, profile_)
                         .predict({Operation::reduce, &some}, 4096, Choice{}, true));
}

}  // namespace
}  // namespace eco
