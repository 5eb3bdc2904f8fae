// SPDX-License-Identifier: BSD-3-Clause
#include "eco/topology/profile.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <tuple>

#include "eco/base/error.h"
#include "eco/topology/derive_model.h"

namespace eco {

static Profile sample() {
    Profile profile;
    profile.created = "2026-01-01T00:00:00Z";
    profile.mpi_family = "openmpi";
    profile.mpi_version = "Open MPI v5";
    profile.hosts = {"n0", "n1", "n2", "n3"};
    profile.sizes = {1, 1024};
    profile.round_trips = 5;
    profile.repeats = 2;
    profile.partition_bytes = 1024;
    profile.tolerance = 0.2;
    Matrix cost(4, 2e-3);
    for (int h = 0; h < 4; ++h) cost.set(h, h, 0.0);
    cost.set(0, 1, 1e-3);
    cost.set(2, 3, 1e-3);
    profile.minimum = {cost, cost};
    profile.spread = {Matrix(4, 0.0), Matrix(4, 0.0)};
    profile.tuning.push_back({"openmpi 5", "bcast", "near", 16, "native", 0.1, 0.2, 0.01});
    derive_topology(profile, profile.repeats);
    return profile;
}

static std::string complaint(const std::string& text) {
    try {
        parse_profile(text, "x.json");
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), Code::bad_input);
        return error.what();
    }
    return "";
}

TEST(Profile, WrittenAndReadBack) {
    const Profile profile = sample();
    EXPECT_EQ(profile.levels, (Levels{{0, 0, 1, 1}}));
    const Profile again = parse_profile(to_json(profile), "x.json");
    EXPECT_EQ(to_json(again), to_json(profile));
    EXPECT_EQ(again.tuning.size(), 1U);
}

// Of racks-64, 1,024 bytes between the hosts of one rack, in microseconds: MPICH, told to yield,
// sleeps in each look for a message. Without knowing it, the rack falls into three.
TEST(Profile, HostsThatSleepWhileTheyWaitAreNoSubnets) {
    constexpr int rack = 8;
    constexpr double us = 1e-6, to_another_rack = 450 * us, look = 50 * us;
    const double measured[rack][rack] = {{0, 171, 181, 174, 183, 180, 150, 194},
                                         {0, 0, 158, 163, 179, 186, 184, 183},
                                         {0, 0, 0, 132, 173, 183, 182, 180},
                                         {0, 0, 0, 0, 116, 182, 160, 174},
                                         {0, 0, 0, 0, 0, 156, 170, 184},
                                         {0, 0, 0, 0, 0, 0, 146, 203},
                                         {0, 0, 0, 0, 0, 0, 0, 137}};
    Profile profile = sample();
    profile.hosts.resize(2 * rack);
    Matrix cost(2 * rack, to_another_rack);
    for (int a = 0; a < 2 * rack; ++a)
        for (int b = a; b < 2 * rack; ++b)
            if (a / rack == b / rack) cost.set(a, b, measured[a % rack][b % rack] * us);
    profile.minimum = {cost, cost};
    profile.spread = {Matrix(2 * rack, 0.1), Matrix(2 * rack, 0.1)};
    derive_topology(profile, 1);
    EXPECT_GT(*std::max_element(profile.levels.back().begin(), profile.levels.back().end()), 1);
    derive_topology(profile, 1, look);
    EXPECT_EQ(profile.levels, (Levels{{0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1}}));
}

TEST(Profile, TimesMustBeTheSameBothWays) {
    nlohmann::json root = nlohmann::json::parse(to_json(sample()));
    root["minimum"][1][0][2] = 7e-3;
    EXPECT_NE(complaint(root.dump()).find("minimum is not symmetric between hosts 0 and 2"),
              std::string::npos);
}

TEST(Profile, TuningSaysForHowManyRanksPerHostAndWhetherItWasTimed) {
    Profile profile = sample();
    profile.tuning.push_back({any_library, "bcast", "near", 16, "k2", 0.2, 0.1, 0, 4, true});
    auto root = nlohmann::json::parse(to_json(profile));
    root["tuning"][1].erase("ranks_per_host");
    root["tuning"][1].erase("predicted");
    const Profile earlier = parse_profile(root.dump(), "x.json");
    EXPECT_EQ(earlier.tuning[1].ranks_per_host, 1);
    EXPECT_FALSE(earlier.tuning[1].predicted);
    root["tuning"][1]["ranks_per_host"] = 0;
    EXPECT_NE(complaint(root.dump()).find("0 ranks per host"), std::string::npos);
}

TEST(Profile, BadInputGetsOneSentenceThatNamesTheFile) {
    const std::string whole = to_json(sample());
    EXPECT_NE(complaint(whole.substr(0, whole.size() / 2)).find("x.json"), std::string::npos);
    EXPECT_NE(complaint("[1]").find("not an ECO profile"), std::string::npos);
    EXPECT_NE(complaint("{}").find("not an ECO profile"), std::string::npos);
    const auto changed = [&](const char* pointer, const nlohmann::json& value) {
        auto root = nlohmann::json::parse(whole);
        root[nlohmann::json::json_pointer(pointer)] = value;
        return complaint(root.dump());
    };
    EXPECT_NE(changed("/eco_profile", 99).find("version 99"), std::string::npos);
    EXPECT_NE(changed("/hosts/1", "n0").find("twice"), std::string::npos);
    EXPECT_NE(changed("/minimum/0/0/1", -1.0).find("-1"), std::string::npos);
    EXPECT_NE(changed("/minimum/0/0/1", 1e9).find("1e+09"), std::string::npos);
    EXPECT_NE(changed("/minimum/0/0", nlohmann::json::array()).find("square"), std::string::npos);
    EXPECT_NE(changed("/levels/0/0", 77).find("77"), std::string::npos);
    EXPECT_NE(changed("/ring/0", 3).find("ring"), std::string::npos);
    EXPECT_NE(changed("/created", 3).find("created has the wrong type"), std::string::npos);
    EXPECT_EQ(changed("/created", "now"), "");
}

static void list_places(const nlohmann::json& value, const nlohmann::json::json_pointer& at,
                        std::vector<nlohmann::json::json_pointer>& places) {
    places.push_back(at);
    if (value.is_object())
        for (const auto& [key, inner] : value.items()) list_places(inner, at / key, places);
    if (value.is_array())
        for (std::size_t i = 0; i < value.size(); ++i) list_places(value[i], at / i, places);
}

// A running program reads it too: nothing but an Error may come out, whatever stands where.
TEST(Profile, WhateverStandsAnywhereIsReadOrRefused) {
    Profile profile = sample();
    profile.model = derive_model(profile);
    profile.model->media = {{0, 0, Medium::Kind::bus, 1e6, 2e6, 3e3, 4e3}};
    const Table table(4, std::vector<double>(4, 1));
    profile.rails = {"tcp", {{"10.9.0.0/16", {"a", "b", "c", ""}, table, table, {}}}, {}};
    profile.rails->left_out = {{"n0", "docker0", "a bridge"}};
    const auto whole = nlohmann::json::parse(to_json(profile));
    std::vector<nlohmann::json::json_pointer> places;
    list_places(whole, nlohmann::json::json_pointer(), places);
    EXPECT_GT(places.size(), 150U);
    const auto other = nlohmann::json::parse(
        R"([null, true, -1, 0, 1.5, 1e300, 123456789012345, "x", [], {}, [1], {"a": 1}])");
    for (const auto& place : places) {
        for (const auto& value : other) {
            auto changed = whole;
            changed[place] = value;
            complaint(changed.dump());
        }
        if (place.empty()) continue;
        auto without = whole;
        if (without[place.parent_pointer()].is_array())
            without[place.parent_pointer()].erase(std::stoul(place.back()));
        else
            without[place.parent_pointer()].erase(place.back());
        complaint(without.dump());
    }
}

}  // namespace eco
