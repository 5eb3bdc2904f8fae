// SPDX-License-Identifier: BSD-3-Clause
#include "eco/survey/notes.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "eco/base/error.h"

namespace eco {

namespace {

Profile four() {
    Profile profile;
    profile.hosts = {"a", "b", "c", "d"};
    profile.sizes = {1, 1024};
    return profile;
}

nlohmann::json written() {
    Notes notes;
    notes.surveyed = Surveyed{4, 0.25, {{{0, 1}, {0, 2}}, {{1, 3}}}};
    notes.odd = {{{2}, "slow", 1.5}, {{0, 3}, "asymmetric", 2}};
    notes.subnets_not_tried = 2;
    notes.others_traffic = {{1, 6e5, 0}, {3, 0, 5e5}};
    nlohmann::json document;
    put_notes(notes, document);
    return document;
}

}  // namespace

TEST(Notes, AreReadAsTheyWereWritten) {
    const Notes notes = read_notes(written().dump(), four(), "f");
    ASSERT_TRUE(notes.surveyed);
    EXPECT_EQ(notes.surveyed->checks, 4);
    EXPECT_EQ(notes.surveyed->not_compared, 0.25);
    EXPECT_EQ(notes.surveyed->measured[0], (std::vector<std::pair<int, int>>{{0, 1}, {0, 2}}));
    ASSERT_EQ(notes.odd.size(), 2U);
    EXPECT_EQ(notes.odd[1].what, "asymmetric");
    EXPECT_EQ(notes.subnets_not_tried, 2);
    ASSERT_EQ(notes.others_traffic.size(), 2U);
    EXPECT_EQ(notes.others_traffic[1].host, 3);
    EXPECT_EQ(notes.others_traffic[1].received, 5e5);
}

TEST(Notes, AProfileWithoutThemHadAllPairsTimed) {
    const Notes notes = read_notes("{}", four(), "f");
    EXPECT_FALSE(notes.surveyed);
    EXPECT_TRUE(notes.odd.empty());
}

TEST(Notes, WhatIsNotSoundIsRefused) {
    const auto refused = [](const char* where, nlohmann::json value) {
        auto document = written();
        document[nlohmann::json::json_pointer(where)] = std::move(value);
        EXPECT_THROW(read_notes(document.dump(), four(), "f"), Error) << where;
    };
    refused("/survey/checks", -1);
    refused("/subnets_not_tried", -1);
    refused("/subnets_not_tried", 5);
    refused("/survey/not_compared", 2);
    refused("/survey/measured", {{0, 1}});
    refused("/survey/measured/0", {0, 1, 2});
    refused("/survey/measured/0", {1, 0});
    refused("/survey/measured/0", {0, 4});
    refused("/survey/measured/0", {0, 2, 0, 1});
    refused("/others_traffic/0/host", 4);
    refused("/others_traffic/0/sent", -1);
    refused("/odd/0/what", "green");
    refused("/odd/0/hosts", {4});
    refused("/odd/1/hosts", {1});
    refused("/odd/0/factor", 0.5);
}

}  // namespace eco
