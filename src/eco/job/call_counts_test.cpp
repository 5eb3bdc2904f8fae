// SPDX-License-Identifier: BSD-3-Clause
#include "eco/job/call_counts.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "eco/job/job_report.h"
#include "eco/job/session.h"
#include "eco/mpi/singleton_test.h"

namespace eco {

TEST(Samples, KeepsFewCallsEvenlySpread) {
    Samples samples;
    for (int call = 0; call < 10000; ++call) samples.note(call, call + 0.5);
    EXPECT_EQ(samples.calls(), 10000);
    const auto& kept = samples.kept();
    ASSERT_GT(kept.size(), 64U);
    ASSERT_LE(kept.size(), 128U);
    const double stride = kept[1].first - kept[0].first;
    for (std::size_t at = 0; at < kept.size(); ++at) {
        EXPECT_EQ(kept[at].first, stride * static_cast<double>(at));
        EXPECT_EQ(kept[at].second, kept[at].first + 0.5);
    }
    EXPECT_GT(kept.back().first, 10000 - 2 * stride);
}

TEST(Samples, ThinnedHereAreThoseThatOthersHaveOfAsManyCalls) {
    Samples one, other;
    for (int call = 0; call < 100; ++call) one.note(call, call);
    for (int call = 0; call < 100; ++call) other.note(call, call);
    one.thin();
    other.thin();
    EXPECT_EQ(one.kept().size(), 50U);
    EXPECT_EQ(one.kept(), other.kept());
    one.note(100, 100);
    EXPECT_EQ(one.kept().size(), 51U);
    one.note(101, 101);
    EXPECT_EQ(one.kept().size(), 51U);
}

// One after the other: a process counts from its start to its end.
TEST(Report, CountsOnlyWhereOneIsAskedFor) {
    Profile profile;
    profile.hosts = {processor_name()};
    profile.levels = {{0}};
    profile.ring = {0};
    Settings settings;
    begin_session(settings, profile, false, "openmpi 5");
    ASSERT_NE(session(), nullptr);
    EXPECT_FALSE(counts_calls());
    session()->settings.verbose = 1;
    EXPECT_TRUE(counts_calls());
    session()->settings.verbose = 0;
    session()->settings.report = "/nowhere/there.json";
    EXPECT_TRUE(counts_calls());
    testing::internal::CaptureStderr();
    give_report(session()->settings);
    const std::string said = testing::internal::GetCapturedStderr();
    EXPECT_NE(said.find("/nowhere/there.json cannot be written (No such file or directory)"),
              std::string::npos)
        << said;
    EXPECT_NE(said.find("eco: no collective was called on more than one rank, all on hosts "),
              std::string::npos)
        << said;
    session()->settings.report.clear();
    end_session();
}

}  // namespace eco
