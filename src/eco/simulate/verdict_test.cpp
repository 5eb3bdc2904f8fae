// SPDX-License-Identifier: BSD-3-Clause
#include "eco/simulate/verdict.h"

#include <gtest/gtest.h>

namespace eco {

static PredictionError error(double bias, double margin) { return {bias, margin, 0, 10}; }

TEST(Verdict, CertainOnlyBeyondTheMargin) {
    const auto verdict = [](Seconds native, double margin) {
        return decide({native, 1, 1.0, false}, error(1, margin)).verdict;
    };
    EXPECT_EQ(verdict(1.2, 1.1), Verdict::eco);
    EXPECT_EQ(verdict(1.2, 1.2), Verdict::unsure);
    EXPECT_EQ(verdict(1.0, 1.1), Verdict::unsure);
    EXPECT_EQ(verdict(0.9, 1.1), Verdict::native);
    EXPECT_EQ(verdict(0.9, 1.3), Verdict::unsure);
}

TEST(Verdict, TheBiasIsCorrected) {
    EXPECT_EQ(decide({1.2, 1, 1.0, false}, error(1.5, 1.05)).verdict, Verdict::native);
    // Not as a certainty where it makes ECO faster.
    EXPECT_EQ(decide({0.9, 1, 1.0, false}, error(0.7, 1.05)).verdict, Verdict::unsure);
    EXPECT_EQ(decide({1.2, 1, 1.0, false}, error(0.7, 1.05)).verdict, Verdict::eco);
    EXPECT_DOUBLE_EQ(decide({3, 1, 1.0, false}, error(1.5, 1.05)).gain, 2);
}

// What was never compared takes nothing untimed, whatever it promises.
TEST(Verdict, NothingIsCertainWhereTheErrorIsNotKnown) {
    EXPECT_EQ(decide({9, 1, 1.0, false}, {}).verdict, Verdict::unsure);
    EXPECT_EQ(decide({0.1, 1, 1.0, false}, {}).verdict, Verdict::unsure);
}

TEST(Verdict, ALibraryThatWasNotTimedAtThisSizeIsUncertain) {
    EXPECT_EQ(decide({1.3, 1, 1.0, false}, error(1, 1.1)).verdict, Verdict::eco);
    EXPECT_EQ(decide({1.3, 1.5, 1.0, false}, error(1, 1.1)).verdict, Verdict::unsure);
}

TEST(Verdict, NothingPredictedIsNotCertain) {
    EXPECT_EQ(decide({1.3, 1, 0, true}, error(1, 1.1)).verdict, Verdict::unsure);
}

TEST(Verdict, TimingIsWorthMostWhereMuchMayBeGainedThatIsNotCertain) {
    const auto benefit = [](Seconds native, double margin, bool unseen = false) {
        return decide({native, 1, 1.0, unseen}, error(1, margin)).benefit;
    };
    EXPECT_GT(benefit(1.2, 1.2), benefit(1.0, 1.2));
    EXPECT_GT(benefit(1.0, 1.2), benefit(0.7, 1.2));
    EXPECT_GT(benefit(1.0, 1.5), benefit(1.0, 1.1));
    EXPECT_LT(benefit(2.0, 1.1), 0.01);  // runs anyway
    EXPECT_GT(benefit(0.7, 1.1, true), benefit(0.7, 1.1));
}

TEST(Verdict, AWinThatChanceExplainsIsNone) {
    EXPECT_TRUE(surely_faster({1.2, 1.3, 1.2, 1.25}, {1, 1, 1.02, 1}));
    EXPECT_FALSE(surely_faster({3, 1, 0.6, 1.1}, {1, 1.2, 1, 0.9}));  // one round made the mean
    EXPECT_FALSE(surely_faster({1, 1, 1}, {1.1, 1.2, 1.1}));
    EXPECT_TRUE(surely_faster({2}, {1}));
}

}  // namespace eco
