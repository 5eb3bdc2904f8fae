// SPDX-License-Identifier: BSD-3-Clause
#include "eco/transport/mcast_control.h"

#include <gtest/gtest.h>

namespace eco {

TEST(McastControl, AStatusSurvivesItsWrittenForm) {
    McastStatus status{7, true, {1, 2}, {{3, 0, 5}, {4, 9, 10}}};
    EXPECT_EQ(read_status(written(status)), status);
    status = {};
    EXPECT_EQ(read_status(written(status)), status);
}

TEST(McastControl, TheLongestFitItsRoom) {
    McastStatus status;
    status.whole.resize(most_whole);
    status.missing.resize(most_missing);
    EXPECT_EQ(static_cast<Bytes>(written(status).size()), longest_status);
    const std::vector<std::byte> data(100);
    McastAnswer answer;
    answer.pieces.assign(most_pieces, {1, 2, data});
    EXPECT_EQ(static_cast<Bytes>(written(answer).size()), longest_answer(100));
}

TEST(McastControl, AnAnswerSurvivesItsWrittenForm) {
    const std::vector<std::byte> data{std::byte{1}, std::byte{2}};
    const auto text = written(McastAnswer{true, {{5, 6, data}}});
    const McastAnswer answer = read_answer(text);
    EXPECT_TRUE(answer.gives_up);
    ASSERT_EQ(answer.pieces.size(), 1U);
    EXPECT_EQ(answer.pieces[0].message, 5U);
    EXPECT_EQ(answer.pieces[0].index, 6U);
    EXPECT_EQ(std::vector(answer.pieces[0].data.begin(), answer.pieces[0].data.end()), data);
}

// What a peer cannot have written is a bug.
TEST(McastControlDeathTest, CutTextEndsTheJob) {
    auto text = written(McastStatus{7, true, {1, 2}, {}});
    text.pop_back();
    EXPECT_DEATH(read_status(text), "does not hold");
}

}  // namespace eco
