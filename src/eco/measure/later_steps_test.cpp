// SPDX-License-Identifier: BSD-3-Clause
#include "eco/measure/later_steps.h"

#include <gtest/gtest.h>

#include <limits>

namespace eco {

namespace {

// Two subnets of hosts that are this far apart, one way.
Profile hosts_apart(int hosts, Seconds apart) {
    Profile profile;
    profile.hosts.assign(static_cast<std::size_t>(hosts), "n");
    profile.minimum.emplace_back(hosts);
    profile.levels.emplace_back();
    for (int a = 0; a < hosts; ++a) {
        profile.levels.back().push_back(a < hosts / 2 ? 0 : 1);
        for (int b = a + 1; b < hosts; ++b) profile.minimum.back().set(a, b, apart);
    }
    return profile;
}

}  // namespace

TEST(LaterSteps, NothingIsLeftWhereABudgetSaysIt) { EXPECT_EQ(LaterSteps().all(), 0); }

TEST(LaterSteps, OneStepFollowsTheOther) {
    const LaterSteps steps(hosts_apart(8, 1e-3), true, 10);
    EXPECT_NEAR(steps.all(), 7, 2) << "seven seconds were measured";
    EXPECT_GT(steps.all(), steps.left(LaterSteps::nics, 0));
    EXPECT_DOUBLE_EQ(steps.left(LaterSteps::nics, 0.1), steps.left(LaterSteps::nics, 0) - 0.1);
    EXPECT_EQ(steps.left(LaterSteps::nics, 100), steps.left(LaterSteps::multicast, 0))
        << "what takes longer than was thought ends soon";
    EXPECT_DOUBLE_EQ(steps.left(LaterSteps::predictions, 0), predicting_time(hosts_apart(8, 1e-3)));
    EXPECT_EQ(LaterSteps(hosts_apart(8, 1e-3), true, 3).left(LaterSteps::predictions, 0), 3);
}

TEST(LaterSteps, LongWaysTakeLonger) {
    EXPECT_GT(LaterSteps(hosts_apart(8, 30e-3), true, 0).all(),
              2 * LaterSteps(hosts_apart(8, 1e-3), true, 0).all());
}

TEST(LaterSteps, OneSubnetIsNotPredicted) {
    Profile profile = hosts_apart(8, 1e-3);
    profile.levels.back().assign(8, 0);
    EXPECT_EQ(LaterSteps(profile, false, 10).left(LaterSteps::multicast, 0), 0);
}

// Before the levels are known, and where not all pairs have been timed.
TEST(LaterSteps, ALittleIsKnownAtTheBeginning) {
    Profile profile = hosts_apart(8, 1e-3);
    const Seconds later = LaterSteps(profile, true, 10).all();
    profile.levels.clear();
    profile.minimum.front().set(0, 1, std::numeric_limits<double>::quiet_NaN());
    EXPECT_NEAR(LaterSteps(profile, true, 10).all(), later, 2);
    EXPECT_GE(LaterSteps(Profile(), true, 10).all(), 0);
}

}  // namespace eco
