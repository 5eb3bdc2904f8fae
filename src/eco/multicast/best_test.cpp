// SPDX-License-Identifier: BSD-3-Clause
#include "eco/multicast/best.h"

#include <gtest/gtest.h>

#include "eco/multicast/drawn_for_test.h"
#include "eco/multicast/optimum_for_test.h"
#include "eco/multicast/pattern_bound.h"
#include "eco/multicast/work_racing_preemptive.h"

namespace eco::multicast {

TEST(Best, NeverWorseThanWorkRacingPreemptive) {
    for (const auto& [ranks, sources] : {std::pair{4, 4}, {9, 2}, {16, 16}, {24, 7}})
        for (std::uint64_t seed = 0; seed < 30; ++seed) {
            const Pattern pattern = drawn(seed, ranks, sources);
            const Seconds found = best(pattern).completion;
            EXPECT_LE(found, work_racing_preemptive(pattern).completion);
            EXPECT_GE(found, quick_bound(pattern).least * (1 - 1e-9));
        }
}

// Ranks alike (send, transfer and receive 1), all to all: three receives and a send each, the first
// arrival at 2. All work shared out is 3 + 3 a rank, less than which no schedule takes.
TEST(Best, FindsTheOptimumOfFourRanksAlike) {
    const Pattern pattern =
        hand_pattern(4, {1, 0}, {1, 0}, {1, 0},
                     {{0, 1, {1, 2, 3}}, {1, 1, {0, 2, 3}}, {2, 1, {0, 1, 3}}, {3, 1, {0, 1, 2}}});
    EXPECT_DOUBLE_EQ(best(pattern).completion, 6);
}

// The last of eight receivers needs 10 ms where the others need 0.1: served first it ends at 11.1.
TEST(Best, ServesASlowReceiverFirst) {
    Pattern pattern =
        hand_pattern(9, {1e-3, 0}, {1e-4, 0}, {1e-4, 0}, {{0, 1, {1, 2, 3, 4, 5, 6, 7, 8}}});
    pattern.model.receive[8] = {1e-2, 0};
    EXPECT_NEAR(best(pattern).completion, 11.1e-3, 1e-9);
}

}  // namespace eco::multicast
