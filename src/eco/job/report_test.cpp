// SPDX-License-Identifier: BSD-3-Clause
#include "eco/job/report.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "eco/job/session.h"
#include "eco/mpi/singleton_test.h"

namespace eco {

namespace {

std::string report() {
    testing::internal::CaptureStderr();
    print_report();
    return testing::internal::GetCapturedStderr();
}

}  // namespace

// One after the other: a process counts from its start to its end.
TEST(Report, SaysHowOftenWhatRanAndFromWhere) {
    Profile profile;
    profile.hosts = {processor_name()};
    profile.levels = {{0}};
    profile.ring = {0};
    Settings settings;
    begin_session(settings, profile, false, "openmpi 5");
    ASSERT_NE(session(), nullptr);
    static const int site = 0;
    count_call(Operation::bcast, 16, &site, "star");
    EXPECT_EQ(report(), "eco: no collective was called on more than one rank\n");

    session()->settings.verbose = 1;
    for (int i = 0; i < 3; ++i) count_call(Operation::bcast, 16, &site, "star");
    count_call(Operation::bcast, 1024, &site, "native");
    count_call(Operation::gatherv, -1, &site, "star");
    count_call(Operation::bcast, 16, &site, "star", CallForm::nonblocking);
    const std::string said = report();
    EXPECT_NE(said.find("eco: bcast 16 B at "), std::string::npos) << said;
    EXPECT_NE(said.find(": star ×3\n"), std::string::npos) << said;
    EXPECT_NE(said.find("eco: ibcast 16 B at "), std::string::npos) << said;
    EXPECT_NE(said.find("eco: bcast 1024 B at "), std::string::npos) << said;
    EXPECT_NE(said.find("eco: gatherv at "), std::string::npos) << said;
    EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 4) << said;
    testing::internal::CaptureStderr();
    end_session();
    testing::internal::GetCapturedStderr();
}

}  // namespace eco
