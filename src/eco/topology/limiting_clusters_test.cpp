// SPDX-License-Identifier: BSD-3-Clause
#include "eco/topology/limiting_clusters.h"

#include <gtest/gtest.h>

#include "eco/topology/build_hierarchy.h"

namespace eco {
namespace {

// Hosts by rack, and racks by pod where there are pods; ports of 1, uplinks by level and cluster.
Profile racks(Levels levels, const std::vector<std::vector<double>>& uplinks) {
    Profile profile;
    const std::size_t hosts = levels.back().size();
    profile.levels = std::move(levels);
    for (std::size_t host = 0; host < hosts; ++host) {
        profile.hosts.push_back("n" + std::to_string(host));
        profile.ring.push_back(static_cast<int>(host));
    }
    profile.minimum.assign(1, Matrix(static_cast<int>(hosts), 1e-3));
    profile.sizes = {1};
    profile.partition_bytes = 1;
    profile.model.emplace();
    profile.model->send = profile.model->receive = std::vector<Cost>(hosts, {1e-6, 1e-9});
    profile.model->fixed = profile.model->per_byte = Table(hosts, std::vector<double>(hosts, 1e-6));
    for (std::size_t level = 0; level < uplinks.size(); ++level)
        for (std::size_t cluster = 0; cluster < uplinks[level].size(); ++cluster) {
            Medium medium{static_cast<int>(level), static_cast<int>(cluster)};
            medium.rate = 1;
            medium.uplink = uplinks[level][cluster];
            medium.found_by = Medium::FoundBy::capacity;
            profile.model->media.push_back(medium);
        }
    return profile;
}

std::string groups(const Profile& profile, const std::vector<int>& host_of) {
    return describe(build_hierarchy(profile, host_of).top);
}

const Levels two_racks{{0, 0, 0, 0, 1, 1, 1, 1}};

TEST(LimitingClusters, AllHostsFillTheUplinks) {
    const Profile profile = racks(two_racks, {{2, 2}});
    EXPECT_EQ(groups(profile, {0, 1, 2, 3, 4, 5, 6, 7}), "(0 1 2 3) (4 5 6 7)");
}

TEST(LimitingClusters, HostsThatCannotFillAnUplinkAreAsOnOneSwitch) {
    const Profile profile = racks(two_racks, {{2, 2}});
    const Hierarchy hierarchy = build_hierarchy(profile, {0, 1, 4, 5});
    EXPECT_EQ(describe(hierarchy.top), "0 1 2 3");
    EXPECT_FALSE(hierarchy.top.shared);
    EXPECT_EQ(hierarchy.structure, "4");
}

TEST(LimitingClusters, OneRackMayStay) {
    const Profile profile = racks(two_racks, {{2, 2}});
    const Hierarchy hierarchy = build_hierarchy(profile, {0, 1, 2, 4, 5});
    EXPECT_EQ(describe(hierarchy.top), "(0 1 2) 3 4");
    EXPECT_FALSE(hierarchy.one_subnet);
}

TEST(LimitingClusters, TheNarrowerWayCounts) {
    Profile profile = racks(two_racks, {{2, 2}});
    profile.model->media[0].uplink_in = 1;
    EXPECT_EQ(groups(profile, {0, 1, 4, 5}), "(0 1) 2 3");
}

TEST(LimitingClusters, RanksOfAHostStayTogether) {
    const Profile profile = racks(two_racks, {{2, 2}});
    EXPECT_EQ(groups(profile, {0, 0, 1, 1, 4, 5}), "[0 1] [2 3] 4 5");
}

TEST(LimitingClusters, WhatIsFarAwayStaysApart) {
    Profile profile = racks(two_racks, {{2, 2}});
    for (Medium& medium : profile.model->media) medium.found_by = Medium::FoundBy::distance;
    const Hierarchy hierarchy = build_hierarchy(profile, {0, 1, 4, 5});
    EXPECT_EQ(describe(hierarchy.top), "(0 1) (2 3)");
    EXPECT_FALSE(hierarchy.one_subnet);
}

TEST(LimitingClusters, NothingKnownOfARackLeavesIt) {
    Profile profile = racks(two_racks, {{2, 2}});
    profile.model->media.pop_back();
    EXPECT_EQ(groups(profile, {0, 1, 4, 5}), "0 1 (2 3)");
}

// Of a rack with one host of the job a running program has no figures.
TEST(LimitingClusters, ALoneHostIsBesideOthers) {
    Profile profile = racks({{0, 0, 0, 0, 1, 1, 1, 1, 2}}, {{2, 2, 1}});
    profile.model->media.pop_back();
    const Hierarchy hierarchy = build_hierarchy(profile, {0, 1, 4, 5, 8});
    EXPECT_EQ(describe(hierarchy.top), "0 1 2 3 4");
    EXPECT_TRUE(hierarchy.top.medium_known);
}

// Two pods of two racks of four.
const Levels pods{{0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1},
                  {0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3}};

TEST(LimitingClusters, APodThatLimitsMayHoldRacksThatDoNot) {
    const Profile profile = racks(pods, {{3, 3}, {2, 2, 2, 2}});
    EXPECT_EQ(groups(profile, {0, 1, 4, 5, 8, 9, 12, 13}), "(0 1 2 3) (4 5 6 7)");
}

TEST(LimitingClusters, APodCarriesWhatItsRacksLetOut) {
    const Profile profile = racks(pods, {{4, 4}, {2, 2, 2, 2}});
    EXPECT_EQ(groups(profile, {0, 1, 2, 4, 5, 6, 8, 9, 10}), "(0 1 2) (3 4 5) (6 7 8)");
}

}  // namespace
}  // namespace eco
