// SPDX-License-Identifier: BSD-3-Clause
#include "eco/simulate/prediction_error.h"

#include <gtest/gtest.h>

namespace eco {

TEST(PredictionError, TheMedianIsTheBiasAndWhatLiesAboveTheMargin) {
    const auto error = error_of({1.1, 1.0, 1.2, 1.1, 2.2}, {});
    EXPECT_DOUBLE_EQ(error.bias, 1.1);
    EXPECT_DOUBLE_EQ(error.margin, 2.0);  // of five the worst
    EXPECT_TRUE(error.known());
    EXPECT_EQ(error.clear_gain, 0);
    EXPECT_FALSE(error_of({}, {}).known());
}

// Three that agree may do so by chance.
TEST(PredictionError, FewHaveAWideMargin) {
    EXPECT_DOUBLE_EQ(error_of({}, {}).margin, 1.5);  // none tell no more than few
    EXPECT_DOUBLE_EQ(error_of({1, 1, 1}, {1}).margin, 1.5);
    EXPECT_DOUBLE_EQ(error_of({1, 1, 1}, {1}).clear_gain, 1.5);
    EXPECT_DOUBLE_EQ(error_of({1, 1, 1.8}, {}).margin, 1.8);
    EXPECT_DOUBLE_EQ(error_of({1, 1, 1, 1}, {}).margin, 1.02);
}

TEST(PredictionError, OfManyTheWorstTenthDoesNotCount) {
    std::vector<double> ratios(31, 1.0);
    ratios[7] = 1.3;
    ratios[8] = 5;
    ratios[9] = 9;
    EXPECT_NEAR(error_of(ratios, {}).margin, 1.02, 1e-12);
    ratios[10] = ratios[11] = 1.3;
    EXPECT_NEAR(error_of(ratios, {}).margin, 1.3, 1e-12);
}

// The topology-unaware baseline must lose by what schedules may take longer and the library less.
TEST(PredictionError, AClearGainCoversTheLibraryToo) {
    const auto error = error_of({1, 1, 1.2, 1}, {0.8, 1, 3});
    EXPECT_DOUBLE_EQ(error.clear_gain, 1.2 / 0.8);
}

}  // namespace eco
