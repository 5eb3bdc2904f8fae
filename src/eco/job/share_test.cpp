// SPDX-License-Identifier: BSD-3-Clause
#include "eco/job/share.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "eco/base/host_memory.h"
#include "eco/mpi/singleton_test.h"

namespace eco {

namespace {

Profile two_hosts(const std::string& other) {
    Profile profile;
    profile.created = "2026-01-02T03:04:05Z";
    profile.mpi_family = "openmpi";
    profile.hosts = {other, processor_name()};
    profile.sizes = {1, 1024};
    profile.round_trips = profile.repeats = 3;
    profile.partition_bytes = 1024;
    profile.tolerance = 0.2;
    const Matrix times(2, 1e-4);
    profile.minimum = {times, times};
    profile.spread = {times, times};
    profile.levels = {{0, 1}};
    profile.ring = {0, 1};
    profile.tuning = {
        {"openmpi 5", "bcast", "near", 16, "star", 2e-3, 1e-3, 0.1, 1, false},
        {"mpich 4", "bcast", "near", 16, "chain", 2e-3, 1e-3, 0.1, 1, false},
    };
    return profile;
}

class Share : public testing::Test {
protected:
    Share() {
        std::filesystem::create_directories(folder_);
        setenv("XDG_DATA_HOME", folder_.c_str(), 1);
    }
    ~Share() override { std::filesystem::remove_all(folder_); }
    void write(const std::string& path, const Profile& profile) {
        std::filesystem::create_directories(std::filesystem::path(path).parent_path());
        std::ofstream(path) << to_json(profile);
    }
    // What it shares, and what it says on stderr.
    std::optional<Shared> share_now() {
        testing::internal::CaptureStderr();
        auto found = share(settings_, "openmpi 5");
        said_ = testing::internal::GetCapturedStderr();
        return found;
    }
    const std::filesystem::path folder_ = std::filesystem::path(testing::TempDir()) /
                                          ("eco-share-" ECO_FAMILY + std::to_string(getpid()));
    Settings settings_;
    std::string said_;
};

}  // namespace

TEST_F(Share, OfAProfileWhatThisLibraryAndTheseHostsNeed) {
    settings_.profile = folder_ / "net.json";
    settings_.verbose = 2;
    write(settings_.profile, two_hosts("elsewhere"));
    const auto found = share_now();
    ASSERT_TRUE(found) << said_;
    EXPECT_EQ(said_, "");
    EXPECT_EQ(found->settings.verbose, 2);
    EXPECT_EQ(found->library, "openmpi 5");
    ASSERT_EQ(found->where.host_of.size(), 1U);
    EXPECT_GE(found->where.host_of[0], 0);
    ASSERT_EQ(found->profile.tuning.size(), 1U);
    EXPECT_EQ(found->profile.tuning[0].choice, "star");
}

TEST_F(Share, TheNewestInTheStoreThatKnowsThisHost) {
    write(profile_store() + "/other.json", [] {
        Profile profile = two_hosts("elsewhere");
        profile.hosts[1] = "nowhere";
        return profile;
    }());
    EXPECT_FALSE(share_now());
    EXPECT_NE(said_.find("no profile contains host " + processor_name()), std::string::npos)
        << said_;
    write(profile_store() + "/mine.json", two_hosts("elsewhere"));
    std::ofstream(profile_store() + "/broken.json") << "{";
    ASSERT_TRUE(share_now()) << said_;
}

TEST_F(Share, NothingWhereTheProfileCannotBeRead) {
    settings_.profile = folder_ / "broken.json";
    std::ofstream(settings_.profile) << "{";
    EXPECT_FALSE(share_now());
    EXPECT_NE(said_.find("broken.json"), std::string::npos) << said_;
    EXPECT_NE(said_.find("native"), std::string::npos) << said_;
    EXPECT_EQ(std::count(said_.begin(), said_.end(), '\n'), 1) << said_;
}

TEST_F(Share, NothingWhereEcoIsOff) {
    settings_.profile = folder_ / "net.json";
    settings_.enabled = false;
    settings_.complaints = {"ECO_VERBOSE=x makes no sense"};
    write(settings_.profile, two_hosts("elsewhere"));
    EXPECT_FALSE(share_now());
    EXPECT_NE(said_.find("makes no sense"), std::string::npos) << said_;
}

TEST_F(Share, WhereEveryRankIs) {
    const auto known = share_whereabouts(two_hosts("elsewhere"));
    ASSERT_TRUE(known);
    EXPECT_EQ(known->host_of, std::vector<int>{1});
    Profile unknown = two_hosts("elsewhere");
    unknown.hosts[1] = "nowhere";
    // Of one rank alone on its host.
    EXPECT_EQ(known->most_scratch, std::min<Bytes>(256 << 20, host_memory() / 20));
    EXPECT_EQ(share_whereabouts(unknown)->host_of, std::vector<int>{-1});
}

}  // namespace eco
