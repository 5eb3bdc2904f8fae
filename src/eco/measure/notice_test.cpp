// SPDX-License-Identifier: BSD-3-Clause
#include "eco/measure/notice.h"

#include <gtest/gtest.h>

namespace eco {

namespace {

Notice far_away() { return {0.060, 0}; }

}  // namespace

TEST(Notice, IsOneWayAndSomething) {
    EXPECT_DOUBLE_EQ(Notice().time(), 0.0005);
    EXPECT_DOUBLE_EQ(far_away().time(), 0.045);
}

TEST(Notice, IsLongerAfterAStartThatWaitedAndCameLate) {
    Notice notice = far_away();
    notice.judge(0.003, 0, notice.round_trip());
    EXPECT_DOUBLE_EQ(notice.time(), 0.048);
}

TEST(Notice, IsNotLongerAfterARankThatWasStillPreparing) {
    Notice notice = far_away();
    notice.judge(0, 0.5, notice.round_trip());
    EXPECT_DOUBLE_EQ(notice.time(), 0.045);
}

TEST(Notice, LatenessMakesNoRanksFarApart) {
    Notice near(0.001, 0);
    near.judge(0.5, 0, near.round_trip());
    EXPECT_FALSE(near.take_at_once());
}

TEST(Notice, FarApartOneStartAfterEachExchangeDoesNotWait) {
    Notice notice = far_away();
    EXPECT_FALSE(notice.take_at_once());
    notice.judge(0, 0, notice.round_trip());
    EXPECT_TRUE(notice.take_at_once());
    EXPECT_FALSE(notice.take_at_once());
}

TEST(Notice, ARankThatIsOftenNotReadyIsWaitedForMoreAndMore) {
    Notice notice = far_away();
    for (const int waiting : {1, 2, 4}) {
        notice.judge(0, 0.5, notice.round_trip());
        for (int exchange = 0; exchange < waiting; ++exchange) {
            EXPECT_FALSE(notice.take_at_once());
            notice.judge(0, 0, notice.round_trip());
        }
        EXPECT_TRUE(notice.take_at_once());
    }
}

}  // namespace eco
