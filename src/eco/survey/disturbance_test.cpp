// SPDX-License-Identifier: BSD-3-Clause
#include "eco/survey/disturbance.h"

#include <gtest/gtest.h>

namespace eco {

TEST(Disturbance, OfManyVisitsNoneIsDisturbedByAccident) {
    Disturbance disturbance;
    for (int pair = 0; pair < 16; ++pair) disturbance.add({20e-6, 2e-3, 20e-6, 21e-6, 20e-6});
    // One of four other visits, each time.
    EXPECT_NEAR(disturbance.chance(1e-3), 0.26, 0.01);
    EXPECT_TRUE(disturbance.may_explain(1e-3, 5));
    EXPECT_FALSE(disturbance.may_explain(1e-3, 6));
}

TEST(Disturbance, MoreVisitsLeaveLessThatAllMayHaveHad) {
    Disturbance disturbance;
    for (int pair = 0; pair < 16; ++pair) disturbance.add({20e-6, 2e-3, 20e-6, 21e-6, 20e-6});
    EXPECT_GT(disturbance.most(1), 2e-3);
    EXPECT_NEAR(disturbance.most(5), 1.98e-3, 1e-6);
    EXPECT_NEAR(disturbance.most(6), 1e-6, 1e-7);
    EXPECT_EQ(Disturbance().most(3), 0);
}

TEST(Disturbance, LittleOfItDoesNotExplainMuch) {
    Disturbance disturbance;
    for (int pair = 0; pair < 16; ++pair) disturbance.add({20e-6, 22e-6, 21e-6, 25e-6, 20e-6});
    EXPECT_FALSE(disturbance.may_explain(250e-6, 1));
    EXPECT_TRUE(disturbance.may_explain(1e-6, 1));
}

TEST(Disturbance, WhereNothingWasObservedItExplainsNothing) {
    EXPECT_FALSE(Disturbance().may_explain(1e-6, 1));
    Disturbance one_visit;
    one_visit.add({20e-6});
    EXPECT_FALSE(one_visit.may_explain(1e-6, 1));
}

// Of racks-64 on two processors, microseconds: n0 with n1, n2 with n3 and so on, 32 pairs at once,
// and alone in another run. Timed like this, the lab's racks fell apart.
TEST(AtOnce, HostsThatShareProcessorsDisturbEachOther) {
    EXPECT_FALSE(undisturbed_at_once({38.8, 202.8, 803.0, 261.0, 129.8, 78.3},
                                     {33.0, 25.4, 20.4, 16.3, 15.6, 14.3}));
}

TEST(AtOnce, HostsOfTheirOwnDoNot) {
    EXPECT_TRUE(undisturbed_at_once({20.1, 21.0, 19.9, 35.0, 20.2, 20.4},
                                    {20.0, 20.2, 20.1, 20.3, 20.0, 20.2}));
}

}  // namespace eco
