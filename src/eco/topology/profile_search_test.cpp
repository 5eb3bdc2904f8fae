// SPDX-License-Identifier: BSD-3-Clause
#include "eco/topology/profile_search.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <numeric>

#include "eco/topology/host_names.h"
#include "eco/topology/profile.h"

namespace eco {

namespace {

namespace fs = std::filesystem;

class ProfileSearch : public testing::Test {
protected:
    ProfileSearch() {
        std::string name = testing::TempDir() + "eco-search-XXXXXX";
        root_ = mkdtemp(name.data());
        chmod(root_.c_str(), 0755);
    }
    ~ProfileSearch() override { fs::remove_all(root_); }

    // In folder/name; seconds: its age, newer ones are larger.
    std::string write(const std::string& folder, const std::string& name, const std::string& host,
                      int seconds = 0) {
        return write_of(folder, name, {host, host + "-other"}, seconds);
    }
    std::string write_of(const std::string& folder, const std::string& name,
                         const std::vector<std::string>& hosts, int seconds) {
        Profile profile;
        profile.created = "2026-01-02T03:04:05Z";
        profile.mpi_family = "openmpi";
        profile.hosts = hosts;
        profile.sizes = {1, 1024};
        profile.round_trips = profile.repeats = 3;
        profile.partition_bytes = 1024;
        profile.tolerance = 0.2;
        const Matrix times(static_cast<int>(hosts.size()), 1e-4);
        profile.minimum = {times, times};
        profile.spread = {times, times};
        profile.ring.resize(hosts.size());
        std::iota(profile.ring.begin(), profile.ring.end(), 0);
        profile.levels = {profile.ring};
        const std::string place = (root_ / folder).string();
        fs::create_directories(place);
        chmod(place.c_str(), 0755);
        const std::string path = place + "/" + name;
        std::ofstream(path) << to_json(profile);
        chmod(path.c_str(), 0644);
        fs::last_write_time(path, fs::file_time_type::clock::now() + std::chrono::seconds(seconds));
        return path;
    }
    FoundProfile find(const std::string& host, const std::vector<std::string>& others = {}) {
        std::vector<std::uint64_t> hosts;
        for (const std::string& other : others) hosts.push_back(name_hash(other));
        return find_profile({(root_ / "own").string(), (root_ / "site").string()}, host, hosts);
    }
    fs::path root_;
};

}  // namespace

TEST_F(ProfileSearch, TheFirstFolderThatKnowsTheHostAndThereTheNewest) {
    const std::string site = write("site", "a.json", "n0", 60);
    EXPECT_EQ(find("n0").path, site);
    write("own", "other.json", "m0", 90);
    EXPECT_EQ(find("n0").path, site);
    write("own", "old.json", "n0", -20);
    const std::string own = write("own", "new.json", "n0", -10);
    EXPECT_EQ(find("n0").path, own);
    EXPECT_EQ(find("n0.domain.org").path, own);
    EXPECT_EQ(find("elsewhere").path, "");
    EXPECT_TRUE(find("n0").refused.empty());
}

// A measurement of one host, or of half of them, that is newer or in an earlier folder.
TEST_F(ProfileSearch, AProfileOfFewerHostsHidesNoneThatHoldsMore) {
    const std::vector<std::string> job{"n0", "n1", "n2", "n3"};
    const std::string four = write_of("site", "four.json", job, -60);
    const std::string one = write_of("own", "one.json", {"n0"}, 60);
    const std::string two = write_of("own", "two.json", {"n0", "n1"}, 30);
    EXPECT_EQ(find("n0", job).path, four);
    EXPECT_EQ(find("n0", {"n0", "n1"}).path, two);
    EXPECT_EQ(find("n0", {"n0"}).path, one);
    // All that there is.
    EXPECT_EQ(find("n0", {"n0", "n9"}).path, one);
    EXPECT_EQ(find("n3", {"n3", "n9"}).path, four);
}

TEST_F(ProfileSearch, WhatOthersCanWriteIsRefused) {
    const std::string path = write("site", "a.json", "n0");
    const std::string folder = (root_ / "site").string();
    chmod(path.c_str(), 0666);
    FoundProfile found = find("n0");
    EXPECT_EQ(found.path, "");
    ASSERT_EQ(found.refused.size(), 1U);
    EXPECT_NE(found.refused[0].find(path), std::string::npos) << found.refused[0];
    EXPECT_NE(found.refused[0].find("everybody"), std::string::npos) << found.refused[0];
    chmod(path.c_str(), 0644);
    chmod(folder.c_str(), 0777);
    EXPECT_NE(why_not_trusted(path).find(folder), std::string::npos);
    chmod(folder.c_str(), 01777);
    EXPECT_EQ(why_not_trusted(path), "");
    // By a link in a sound folder to a file that is open to everybody.
    chmod(path.c_str(), 0666);
    const std::string link = (root_ / "own" / "link.json").string();
    fs::create_directories(root_ / "own");
    fs::create_symlink(path, link);
    EXPECT_NE(why_not_trusted(link), "");
}

TEST_F(ProfileSearch, WhatBelongsToOthersIsRefused) {
    const std::string path = write("site", "a.json", "n0");
    if (chown(path.c_str(), 12345, 12345) != 0) GTEST_SKIP() << "needs root";
    EXPECT_NE(why_not_trusted(path).find("belongs to user 12345"), std::string::npos);
}

TEST_F(ProfileSearch, OfTheUsersGroupOnlyWhatIsTheUsers) {
    const std::string path = write("site", "a.json", "n0");
    ASSERT_EQ(chown(path.c_str(), geteuid(), getegid()), 0);
    chmod(path.c_str(), 0664);
    EXPECT_EQ(why_not_trusted(path), "");
    if (chown(path.c_str(), static_cast<uid_t>(-1), 12345) != 0) GTEST_SKIP() << "needs root";
    EXPECT_NE(why_not_trusted(path).find("group 12345"), std::string::npos);
}

}  // namespace eco
