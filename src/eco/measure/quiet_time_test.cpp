// SPDX-License-Identifier: BSD-3-Clause
#include "eco/measure/quiet_time.h"

#include <gtest/gtest.h>

namespace eco {

TEST(Quiet, IsALittleLongerThanTheCallTookAtLeast) {
    EXPECT_DOUBLE_EQ(quiet_after({1e-3}), 1.5e-3);
    EXPECT_DOUBLE_EQ(quiet_after({50e-3, 40e-3}), 41e-3);
}

TEST(Quiet, IsNotLongerAfterADisturbedCall) {
    EXPECT_EQ(quiet_after({1e-3, 400e-3}), quiet_after({1e-3}));
    EXPECT_EQ(quiet_after({400e-3, 1e-3}), quiet_after({1e-3}));
}

TEST(Quiet, IsNothingBeforeAnyCallCounts) { EXPECT_EQ(quiet_after({}), 0); }

}  // namespace eco
