// SPDX-License-Identifier: BSD-3-Clause
#include "eco/base/settings.h"

#include <gtest/gtest.h>

#include <map>

namespace eco {

static Environment environment_of(std::map<std::string, std::string> variables) {
    return [variables](const char* name) -> const char* {
        const auto found = variables.find(name);
        return found == variables.end() ? nullptr : found->second.c_str();
    };
}

TEST(Settings, DefaultsHoldInAnEmptyEnvironment) {
    const Settings settings = read_settings(environment_of({}));
    EXPECT_TRUE(settings.enabled);
    EXPECT_EQ(settings.verbose, 0);
    EXPECT_EQ(settings.choice, "auto");
    EXPECT_TRUE(settings.complaints.empty());
}

TEST(Settings, NonsenseIsIgnoredAndSaidOncePerVariable) {
    const Settings settings =
        read_settings(environment_of({{"ECO_VERBOSE", "loud"}, {"ECO_DISABLE", "maybe"}}));
    EXPECT_TRUE(settings.enabled);
    EXPECT_EQ(settings.verbose, 0);
    EXPECT_EQ(settings.complaints.size(), 2U);
}

TEST(Settings, AChoiceIsText) {
    for (const char* choice : {"\xff\xe9", "tree\n", "stär"}) {
        const Settings settings = read_settings(environment_of({{"ECO_CHOICE", choice}}));
        EXPECT_EQ(settings.choice, "auto");
        ASSERT_EQ(settings.complaints.size(), 1U);
        EXPECT_NE(settings.complaints[0].find("ECO_CHOICE"), std::string::npos);
        EXPECT_EQ(settings.complaints[0].find(choice), std::string::npos);
    }
    EXPECT_EQ(read_settings(environment_of({{"ECO_CHOICE", "k2"}})).choice, "k2");
}

TEST(Settings, CollectivesThatDoNotBlock) {
    const auto read = [](const char* value) {
        return read_settings(environment_of({{"ECO_NONBLOCKING", value}}));
    };
    EXPECT_EQ(read("").nonblocking, Nonblocking::on);
    EXPECT_EQ(read("on").nonblocking, Nonblocking::on);
    EXPECT_EQ(read("off").nonblocking, Nonblocking::off);
    EXPECT_EQ(read("expected").nonblocking, Nonblocking::expected);
    EXPECT_EQ(read("all").nonblocking, Nonblocking::on);
    EXPECT_EQ(read("all").complaints.size(), 1U);
}

TEST(Settings, RanksKeepTheLibrarysNumbers) {
    const auto read = [](const char* value) {
        return read_settings(environment_of({{"ECO_REORDER", value}}));
    };
    EXPECT_EQ(read("").reorder, Reorder::native);
    EXPECT_EQ(read("native").reorder, Reorder::native);
    EXPECT_EQ(read("on").reorder, Reorder::on);
    EXPECT_TRUE(read("on").complaints.empty());
    EXPECT_EQ(read("yes please").reorder, Reorder::native);
    EXPECT_EQ(read("yes please").complaints.size(), 1U);
}

TEST(Settings, WhereMpiInitWaitsForNobody) {
    const auto with = [](const char* value) { return environment_of({{"ECO_BEGIN", value}}); };
    EXPECT_TRUE(begins_later(with("later")));
    EXPECT_FALSE(begins_later(with("")));
    EXPECT_TRUE(read_settings(with("later")).complaints.empty());
    EXPECT_EQ(read_settings(with("now")).complaints.size(), 1U);
}

TEST(Settings, StoreFollowsXdg) {
    EXPECT_EQ(profile_store(environment_of({{"XDG_DATA_HOME", "/d"}})), "/d/eco/profiles");
    EXPECT_EQ(profile_store(environment_of({{"HOME", "/h"}})), "/h/.local/share/eco/profiles");
}

TEST(Settings, ProfilesAreLookedForInTheStoreThePathAndTheSitesFolder) {
    using Folders = std::vector<std::string>;
    EXPECT_EQ(profile_folders(environment_of({{"XDG_DATA_HOME", "/d"}})),
              (Folders{"/d/eco/profiles", "/etc/eco/profiles"}));
    EXPECT_EQ(profile_folders(environment_of(
                  {{"XDG_DATA_HOME", "/d"}, {"ECO_PROFILE_PATH", "/a::/b c/profiles:"}})),
              (Folders{"/d/eco/profiles", "/a", "/b c/profiles", "/etc/eco/profiles"}));
}

}  // namespace eco
