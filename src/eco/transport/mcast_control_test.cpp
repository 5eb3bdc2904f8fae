// SPDX-License-Identifier: BSD-3-Clause
#include "eco/transport/mcast_control.h"

#include <gtest/gtest.h>

namespace eco {

TEST(McastControl, AStatusSurvivesItsWrittenForm) {
    McastStatus status{7, true, {1, 2}, {{3, 0, 5}, {4, 9, 10}}, 6, 8, true};
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
    answer.rest.resize(most_rest);
    EXPECT_EQ(static_cast<Bytes>(written(answer).size()), longest_answer(100));
}

TEST(McastControl, AnAnswerSurvivesItsWrittenForm) {
    const std::vector<std::byte> data{std::byte{1}, std::byte{2}};
    const auto text = written(McastAnswer{3, {{5, 6, data}}, {{7, 8}}, 9});
    const McastAnswer answer = read_answer(text);
    EXPECT_EQ(answer.gives_up_from, 3U);
    EXPECT_EQ(answer.call, 9U);
    EXPECT_EQ(answer.rest, (std::vector<McastAnswer::Rest>{{7, 8}}));
    ASSERT_EQ(answer.pieces.size(), 1U);
    EXPECT_EQ(answer.pieces[0].message, 5U);
    EXPECT_EQ(answer.pieces[0].index, 6U);
    EXPECT_EQ(std::vector(answer.pieces[0].data.begin(), answer.pieces[0].data.end()), data);
}

TEST(McastControl, ADatagramTakesWhatFits) {
    McastStatus status;
    status.whole.resize(100);
    status.missing.resize(100);
    for (const Bytes longest : {Bytes{10}, status_head, Bytes{100}, Bytes{1424}}) {
        McastStatus cut = status;
        cut_to(cut, longest);
        EXPECT_LE(static_cast<Bytes>(written(cut).size()), std::max<Bytes>(longest, status_head));
    }
}

// Others' datagrams may be anything.
TEST(McastControl, WhatCannotBeAStatusIsNotHeard) {
    auto text = written(McastStatus{7, true, {1, 2}, {{3, 0, 5}}, 0, 0});
    EXPECT_TRUE(parse_status_datagram(text));
    for (std::size_t length = 0; length < text.size(); ++length)
        EXPECT_FALSE(parse_status_datagram(std::span(text).first(length)));
    std::fill(text.begin(), text.end(), std::byte{0xff});
    EXPECT_FALSE(parse_status_datagram(text));
}

// What a peer cannot have written is a bug.
TEST(McastControlDeathTest, CutTextEndsTheJob) {
    auto text = written(McastStatus{7, true, {1, 2}, {}, 0, 0});
    text.pop_back();
    EXPECT_DEATH(read_status(text), "does not hold");
}

}  // namespace eco
