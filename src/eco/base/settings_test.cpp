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

TEST(Settings, StoreFollowsXdg) {
    EXPECT_EQ(profile_store(environment_of({{"XDG_DATA_HOME", "/d"}})), "/d/eco/profiles");
    EXPECT_EQ(profile_store(environment_of({{"HOME", "/h"}})), "/h/.local/share/eco/profiles");
}

}  // namespace eco
