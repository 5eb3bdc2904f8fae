// SPDX-License-Identifier: BSD-3-Clause
#include "eco/measure/protocol.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <string>
#include <vector>

namespace eco {

namespace {

// Bytes of each write to standard output.
std::vector<std::size_t> writes_of(const nlohmann::json& event, Arrival arrival) {
    std::array<int, 2> ends{};
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_DGRAM, 0, ends.data()), 0);
    std::fflush(stdout);
    const int own = dup(STDOUT_FILENO);
    dup2(ends[1], STDOUT_FILENO);
    send_event(event, arrival);
    dup2(own, STDOUT_FILENO);
    std::vector<std::size_t> lengths;
    std::array<char, 8192> text{};
    for (ssize_t length = 0; (length = recv(ends[0], text.data(), text.size(), MSG_DONTWAIT)) > 0;)
        lengths.push_back(static_cast<std::size_t>(length));
    for (const int each : {own, ends[0], ends[1]}) close(each);
    return lengths;
}

}  // namespace

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

TEST(SendEvent, NewsGoInPartsThatTheShortestPacketsHold) {
    const nlohmann::json event{{"event", "host"}, {"text", std::string(1500, 'x')}};
    const auto parts = writes_of(event, Arrival::may);
    EXPECT_GT(parts.size(), 6U);
    for (const std::size_t length : parts) EXPECT_LE(length, 384U);
    EXPECT_EQ(writes_of(event, Arrival::must).size(), 1U);
}

}  // namespace eco
