// SPDX-License-Identifier: BSD-3-Clause
#include "eco/learn/nonblocking_learner.h"

#include <gtest/gtest.h>

#include <functional>

namespace eco {

namespace {

using NonblockingStart = NonblockingLearner::Start;

// Runs calls that take what `time` says of the arm; ranks meet after every `meets` calls, or never.
struct NonblockingCalls {
    NonblockingCalls(std::size_t arms, std::size_t preferred, NonblockingStart start, int meets,
                     Nanoseconds expected = 0)
        : learner(arms, preferred, start, 7, expected), meets(meets) {}

    void run(int calls, const std::function<Nanoseconds(std::size_t)>& time) {
        for (int call = 0; call < calls; ++call) {
            const auto turn = learner.start();
            arms.push_back(turn.arm);
            // A trial that begins by itself drops what was timed before.
            if (learner.timed() < waiting.size() + (turn.timed ? 1 : 0)) waiting.clear();
            if (turn.timed) waiting.push_back(time(turn.arm));
            if (meets > 0 && ++number % meets == 0 && learner.exchange_due()) take();
        }
    }
    void take() {
        learner.take(waiting, under_way, cost);
        waiting.clear();
        ++exchanges;
    }
    // In calls so far.
    auto count(std::size_t arm) const { return std::count(arms.begin(), arms.end(), arm); }

    NonblockingLearner learner;
    int meets, under_way = 1, number = 0, exchanges = 0;
    Nanoseconds cost = 1000;
    std::vector<Nanoseconds> waiting;
    std::vector<std::size_t> arms;  // of each call
};

Nanoseconds second_is_faster(std::size_t arm) { return arm == 1 ? 2000000 : 3000000; }

}  // namespace

TEST(NonblockingLearner, TheFasterArmRunsWhereRanksMeet) {
    NonblockingCalls program(2, 0, NonblockingStart::unsure, 10);
    program.run(90, second_is_faster);
    EXPECT_TRUE(program.learner.settled());
    EXPECT_EQ(program.learner.best(), 1U);
    EXPECT_EQ(program.arms.back(), 1U);
    EXPECT_LE(program.exchanges, 4);
}

// The preferred arm goes on until the job ends; then the next job knows.
TEST(NonblockingLearner, WhereRanksNeverMeetArmsAreTriedAndNothingChanges) {
    NonblockingCalls program(2, 0, NonblockingStart::unsure, 0);
    program.run(100, second_is_faster);
    EXPECT_FALSE(program.learner.has_times());
    EXPECT_EQ(program.count(1), 0);
    program.run(200, second_is_faster);
    EXPECT_EQ(program.arms.back(), 0U);
    EXPECT_GT(program.count(1), 12);
    EXPECT_LT(program.count(1), 40);
    EXPECT_TRUE(program.learner.has_times());
    program.take();
    EXPECT_EQ(program.learner.best(), 1U);
    EXPECT_GE(program.learner.arms()[0].runs, enough_runs);
    EXPECT_GE(program.learner.arms()[1].runs, enough_runs);
}

TEST(NonblockingLearner, WhatIsFarBehindIsTriedOnce) {
    NonblockingCalls program(3, 0, NonblockingStart::unsure, 5);
    program.run(200, [](std::size_t arm) { return arm == 2 ? 9000000 : 2000000 + 100000 * arm; });
    EXPECT_EQ(program.learner.best(), 0U);
    EXPECT_EQ(program.count(2), 5);
    EXPECT_EQ(program.learner.arms()[2].mean, 9000000);
}

TEST(NonblockingLearner, ATieGoesToThePreferred) {
    NonblockingCalls program(2, 1, NonblockingStart::unsure, 5);
    program.run(100, [](std::size_t arm) { return arm == 0 ? 1990000 : 2000000; });
    EXPECT_EQ(program.learner.best(), 1U);
}

// What is still under way in a block's first calls is another arm's.
TEST(NonblockingLearner, BlocksAreLongerThanWhatIsUnderWay) {
    NonblockingCalls program(2, 0, NonblockingStart::unsure, 5);
    program.under_way = 6;
    program.run(20, second_is_faster);
    ASSERT_TRUE(!program.learner.settled());
    program.arms.clear();
    program.run(12, second_is_faster);
    EXPECT_GE(program.count(1), 6);
    program.run(200, second_is_faster);
    EXPECT_EQ(program.learner.best(), 1U);
}

TEST(NonblockingLearner, TimesThatAreNotKnownDecideNothing) {
    NonblockingCalls program(2, 0, NonblockingStart::unsure, 5);
    program.run(300, [](std::size_t) { return 0; });
    EXPECT_EQ(program.learner.best(), 0U);
    EXPECT_EQ(program.count(1), 0);
}

// Few exchanges: they cost at most a thousandth of what the calls take.
TEST(NonblockingLearner, ASureClassIsOnlyChecked) {
    NonblockingCalls program(2, 0, NonblockingStart::sure, 5, 3000000);
    program.cost = 300000;
    program.run(1000, second_is_faster);
    EXPECT_EQ(program.count(1), 0);
    EXPECT_LE(program.exchanges, 11);
}

// Also if it is quicker: what earlier jobs learned may be of a program with more work.
TEST(NonblockingLearner, WhatTakesAnotherTimeThanExpectedIsCompared) {
    for (const Nanoseconds expected : {1000000, 9000000}) {
        NonblockingCalls program(2, 0, NonblockingStart::sure, 5, expected);
        program.run(200, second_is_faster);
        EXPECT_EQ(program.learner.best(), 1U);
    }
}

}  // namespace eco
