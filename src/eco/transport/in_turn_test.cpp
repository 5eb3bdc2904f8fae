// SPDX-License-Identifier: BSD-3-Clause
#include "eco/transport/in_turn.h"

#include <gtest/gtest.h>

#include <limits>

namespace eco {

TEST(InTurn, TakesOneAfterTheOther) {
    InTurn turn;
    for (const int expected : {0, 1, 2, 0, 1}) EXPECT_EQ(turn.of(3), expected);
    EXPECT_EQ(turn.of(1), 0);
}

// After two milliards of messages.
TEST(InTurn, NeverLeavesTheWays) {
    InTurn turn(std::numeric_limits<int>::max());
    for (int message = 0; message < 4; ++message) {
        const int way = turn.of(2);
        EXPECT_TRUE(way == 0 || way == 1) << way;
    }
}

}  // namespace eco
