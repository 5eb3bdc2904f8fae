// SPDX-License-Identifier: BSD-3-Clause
#include "eco/topology/measured_mcast.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "eco/base/error.h"
#include "eco/topology/build_hierarchy.h"
#include "eco/topology/media.h"
#include "eco/topology/network.h"

namespace eco {

// Four hosts in two clusters; multicast works within the first alone.
static const Levels mcast_levels{{0, 0, 1, 1}};
static MeasuredMcast sample_mcast() {
    return {{"eth0", "eth0", "eth1", ""}, 1424, {{0, 0, 1e6, 0.01}}};
}

static std::string complaint_of_mcast(const nlohmann::json& root) {
    try {
        read_mcast(root, 4, mcast_levels, "x.json");
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

static std::string changed(const char* place, const nlohmann::json& value) {
    nlohmann::json root = mcast_json(sample_mcast());
    root[nlohmann::json::json_pointer(place)] = value;
    return complaint_of_mcast(root);
}

TEST(MeasuredMcast, SurvivesItsWrittenForm) {
    EXPECT_EQ(read_mcast(mcast_json(sample_mcast()), 4, mcast_levels, "x.json"), sample_mcast());
    EXPECT_EQ(complaint_of_mcast(mcast_json(sample_mcast())), "");
    MeasuredMcast six = sample_mcast();
    six.family = IpFamily::ipv6;
    EXPECT_EQ(read_mcast(mcast_json(six), 4, mcast_levels, "x.json"), six);
    MeasuredMcast open = sample_mcast();
    open.areas[0].tried = false;
    open.areas[0].send = 4e-6;
    open.areas[0].receive = 6e-6;
    EXPECT_EQ(read_mcast(mcast_json(open), 4, mcast_levels, "x.json"), open);
    for (const bool flooded : {false, true}) {
        open.areas[0].flooded = flooded;
        EXPECT_EQ(read_mcast(mcast_json(open), 4, mcast_levels, "x.json"), open);
    }
}

TEST(MeasuredMcast, SaysWhatIsWrong) {
    EXPECT_NE(changed("/interfaces", {"eth0"}).find("one entry per host"), std::string::npos);
    EXPECT_NE(changed("/areas/0/rate", 0).find("rate is out of range"), std::string::npos);
    EXPECT_NE(changed("/areas/0/loss", 2).find("loss is out of range"), std::string::npos);
    EXPECT_NE(changed("/areas/0/send", -1).find("send"), std::string::npos);
    EXPECT_NE(changed("/areas/0/flooded", 1).find("flooded"), std::string::npos);
    for (const int level : {-2, 1, 5})
        EXPECT_NE(changed("/areas/0/level", level).find("of no cluster"), std::string::npos);
    EXPECT_NE(changed("/areas/0/cluster", 2).find("of no cluster"), std::string::npos);
    EXPECT_NE(changed("/family", "ipx").find("neither ipv4 nor ipv6"), std::string::npos);
    EXPECT_NE(changed("/payload", 0).find("payload is out of range"), std::string::npos);
}

// With another tolerance the same hosts may be in other clusters.
TEST(MeasuredMcast, AreasFollowTheirHosts) {
    const Levels old{{0, 0, 0, 1}, {0, 1, 1, 2}};
    const std::vector<McastArea> areas{{-1, 0, 1e6, 0}, {0, 0, 2e6, 0}, {1, 1, 3e6, 0}};
    EXPECT_EQ(carried_over(areas, old, old), areas);
    EXPECT_EQ(carried_over(areas, old, {{1, 0, 0, 2}}),
              (std::vector<McastArea>{{-1, 0, 1e6, 0}, {0, 0, 3e6, 0}}));
}

TEST(MeasuredMcast, GroupsHaveTheRateOfTheirArea) {
    Profile profile;
    profile.hosts = {"a", "b", "c", "d"};
    profile.levels = mcast_levels;
    profile.ring = {0, 1, 2, 3};
    profile.mcast = sample_mcast();
    const std::vector<int> host_of{0, 1, 2, 3};
    const Hierarchy part = build_hierarchy(profile, host_of);
    EXPECT_EQ(part.top.mcast_rate, 0);
    EXPECT_EQ(part.top.parts[0].mcast_rate, 1e6);
    EXPECT_EQ(part.top.parts[1].mcast_rate, 0);
    EXPECT_TRUE(has_mcast(part.top));
    const Rank near[] = {1}, far[] = {1, 2};
    EXPECT_EQ(mcast_rate(part.top, 0, near), 1e6);
    EXPECT_EQ(mcast_rate(part.top, 0, far), 0);
    // Also where the last host cannot.
    profile.mcast->areas = {{-1, 0, 2e6, 0}, {0, 1, 3e6, 0}};
    EXPECT_EQ(build_hierarchy(profile, host_of).top.mcast_rate, 0);
    profile.mcast->interfaces[3] = "eth0";
    const Hierarchy all = build_hierarchy(profile, host_of);
    EXPECT_EQ(all.top.mcast_rate, 2e6);
    EXPECT_EQ(all.top.parts[0].mcast_rate, 2e6);
    EXPECT_EQ(all.top.parts[1].mcast_rate, 3e6);
}

TEST(MeasuredMcast, CrossesEachLinkOnce) {
    const Medium bus{0, 0, Medium::Kind::bus, 1e6, 0}, other{0, 1, Medium::Kind::bus, 1e6, 0};
    Network network = assemble_network({"a", "b", "c", "d"}, mcast_levels, {bus, other}, {});
    MeasuredMcast everywhere = sample_mcast();
    everywhere.interfaces[3] = "eth0";
    everywhere.areas = {{-1, 0, 5e5, 0}, {0, 0, 8e5, 0}};
    network.mcasts = mcast_reaches(everywhere, mcast_levels);
    EXPECT_EQ(network.mcast_route(0, {1, 2, 3}).links.size(), 2U);
    EXPECT_EQ(network.mcast_route(0, {1, 2, 3}).rate, 5e5);
    EXPECT_EQ(network.mcast_route(0, {1}).links.size(), 1U);
    EXPECT_EQ(network.mcast_route(0, {1}).rate, 8e5);
    everywhere.areas = {{-1, 0, 4e6, 0}};  // faster than the links: by NICs that MPI does not use
    network.mcasts = mcast_reaches(everywhere, mcast_levels);
    EXPECT_EQ(network.mcast_route(0, {1, 2, 3}).links.size(), 2U);  // but no host has any
    network.railed = {network};
    EXPECT_EQ(network.mcast_route(0, {1, 2, 3}).links.size(), 0U);
    EXPECT_EQ(network.mcast_route(0, {1, 2, 3}).rate, 4e6);
    everywhere.areas = {{-1, 0, 5e5, 0}, {0, 0, 8e5, 0}};
    everywhere.interfaces[3].clear();
    network.mcasts = mcast_reaches(everywhere, mcast_levels);
    EXPECT_EQ(network.mcast_route(0, {1, 2}).rate, 0);  // nor does the group of all four
    EXPECT_EQ(network.mcast_route(0, {1}).rate, 8e5);
}

}  // namespace eco
