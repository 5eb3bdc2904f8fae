// SPDX-License-Identifier: BSD-3-Clause
#include "eco/multicast/schedule.h"

#include <gtest/gtest.h>

#include "check_schedule.h"
#include "eco/base/error.h"
#include "eco/multicast/optimum_for_test.h"

namespace eco::multicast {

// Rank 0 sends message 0 to 1 and 2; rank 1 passes it on to 3 and sends message 1 to rank 0.
static Pattern sample_of_pattern() {
    return hand_pattern(4, {1, 0}, {2, 0}, {1, 0}, {{0, 5, {1, 2, 3}}, {1, 5, {0}}});
}

static Schedule sound() {
    Schedule schedule;
    schedule.ranks = {{{Direction::send, 1, 0}, {Direction::send, 2, 0}, {Direction::recv, 1, 1}},
                      {{Direction::send, 0, 1}, {Direction::recv, 0, 0}, {Direction::send, 3, 0}},
                      {{Direction::recv, 0, 0}},
                      {{Direction::recv, 1, 0}}};
    run(sample_of_pattern(), schedule);
    return schedule;
}

TEST(Schedule, TimesWorkedByHand) {
    const Schedule schedule = sound();
    EXPECT_EQ(schedule.ranks[0][1].end, 2);    // sends follow each other at once
    EXPECT_EQ(schedule.ranks[0][2].start, 2);  // waits for message 1, there at 3
    EXPECT_EQ(schedule.ranks[0][2].end, 4);
    EXPECT_EQ(schedule.ranks[1][1].end, 4);
    EXPECT_EQ(schedule.ranks[1][2].end, 5);
    EXPECT_EQ(schedule.ranks[2][0].end, 5);
    EXPECT_EQ(schedule.ranks[3][0].end, 8);  // sent by 5, there at 7
    EXPECT_EQ(schedule.completion, 8);
    EXPECT_EQ(verify(sample_of_pattern(), schedule), "");
}

// Every change that makes a schedule wrong, and what verify says of it.
TEST(Schedule, VerifyRejectsWhatIsWrong) {
    const auto rejected = [](const char* word, auto change) {
        Schedule schedule = sound();
        change(schedule);
        const std::string found = verify(sample_of_pattern(), schedule);
        EXPECT_NE(found.find(word), std::string::npos) << word << ": " << found;
    };
    rejected("never sent", [](Schedule& s) { s.ranks[1].pop_back(); });
    rejected("never received", [](Schedule& s) { s.ranks[3].clear(); });
    rejected("never delivered", [](Schedule& s) {
        s.ranks[3].clear();
        s.ranks[1].pop_back();
    });
    rejected("message 7", [](Schedule& s) { s.ranks[3][0].message = 7; });
    rejected("another rank", [](Schedule& s) { s.ranks[3][0].peer = 2; });
    rejected("twice", [](Schedule& s) { s.ranks[0].push_back({Direction::send, 1, 0, 4, 5}); });
    rejected("no destination", [](Schedule& s) {
        s.ranks[0].push_back({Direction::send, 2, 1, 4, 5});
        s.ranks[2].push_back({Direction::recv, 0, 1, 5, 8});
    });
    rejected("before its sender has it", [](Schedule& s) {
        s.ranks[1] = {{Direction::send, 3, 0, 0, 1},
                      {Direction::send, 0, 1, 1, 2},
                      {Direction::recv, 0, 0, 2, 4}};
        s.ranks[0][2].end = 5;
        s.ranks[3][0].end = 4;
        s.completion = 5;
    });
    rejected("send overhead", [](Schedule& s) {
        s.ranks[1][2].end = 4.5;
        s.ranks[3][0].end = 7.5;
        s.completion = 7.5;
    });
    rejected("its receive does not end", [](Schedule& s) {
        s.ranks[3][0].end = 7;
        s.completion = 7;
    });
    rejected("completion", [](Schedule& s) { s.completion = 7; });
    rejected("begin a task", [](Schedule& s) { s.ranks[1][2].start = 3; });
    rejected("for 3 ranks", [](Schedule& s) { s.ranks.pop_back(); });
}

TEST(Schedule, RunRefusesWhatNeverEnds) {
    Schedule schedule = sound();
    std::swap(schedule.ranks[1][1], schedule.ranks[1][2]);  // message 0 before it is there
    schedule.ranks[3][0].peer = 1;
    EXPECT_NO_THROW(run(sample_of_pattern(), schedule));  // times only; verify sees it
    EXPECT_NE(verify(sample_of_pattern(), schedule), "");
    schedule = sound();
    schedule.ranks[0] = {{Direction::recv, 1, 1}, {Direction::send, 1, 0}, {Direction::send, 2, 0}};
    schedule.ranks[1] = {{Direction::recv, 0, 0}, {Direction::send, 0, 1}, {Direction::send, 3, 0}};
    EXPECT_THROW(run(sample_of_pattern(), schedule), Error);  // each waits for the other
    schedule.ranks[0][0].message = 9;
    EXPECT_THROW(run(sample_of_pattern(), schedule), Error);
}

}  // namespace eco::multicast
