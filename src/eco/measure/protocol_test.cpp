// SPDX-License-Identifier: BSD-3-Clause
#include "eco/measure/protocol.h"

#include <gtest/gtest.h>

namespace eco {

TEST(Progress, AStepThatBeginsIsToldHoweverRecentTheLastWas) {
    Progress progress(true);
    testing::internal::CaptureStdout();
    progress.update(0.5, "pairs");
    progress.update(0.5, "too soon");
    progress.begin(0.5, "predicting");
    const std::string sent = testing::internal::GetCapturedStdout();
    EXPECT_NE(sent.find(".n0.0."), std::string::npos);
    EXPECT_NE(sent.find(".n1.0."), std::string::npos);
    EXPECT_EQ(sent.find(".n2."), std::string::npos);
}

}  // namespace eco
