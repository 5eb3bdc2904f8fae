// SPDX-License-Identifier: BSD-3-Clause
#include "eco/topology/measured_rails.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "eco/base/error.h"

namespace eco {

// The last host is on another switch.
static const Levels rail_levels{{0, 0, 0}, {0, 0, 1}};

// Three hosts, the last of which has one card.
static MeasuredRails sample_rails() {
    MeasuredRails rails;
    rails.provider = "tcp";
    const Table latency{{0, 1e-4, 2e-4}, {1e-4, 0, 1e-4}, {2e-4, 1e-4, 0}};
    rails.rails.push_back({"10.9.0.0/16",
                           {"eth0", "eth0", "eth0"},
                           latency,
                           {{0, 12e6, 6e6}, {12e6, 0, 6e6}, {6e6, 6e6, 0}},
                           {}});
    rails.rails.push_back({"10.10.0.0/16",
                           {"eth1", "eth1", ""},
                           {{0, 1e-4, 0}, {1e-4, 0, 0}, {0, 0, 0}},
                           {{0, 3e6, 0}, {3e6, 0, 0}, {0, 0, 0}},
                           {}});
    rails.left_out.push_back({"n0", "docker0", "a bridge inside the host"});
    rails.longest_short = 2048;
    rails.derive(rail_levels);
    return rails;
}

static std::string complaint_of_rails(const nlohmann::json& root) {
    try {
        read_rails(root, 3, rail_levels, "x.json");
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

TEST(Rails, WrittenAndReadBack) {
    const MeasuredRails rails = sample_rails();
    EXPECT_EQ(rails.most, 2);
    EXPECT_EQ(read_rails(rails_json(rails, rail_levels), 3, rail_levels, "x.json"), rails);
    const MeasuredRails runtime = read_rails(rates_json(rails), 0, {}, "x.json");
    EXPECT_EQ(runtime.rates(), rails.rates());
    EXPECT_EQ(runtime.most, rails.most);
    EXPECT_EQ(runtime.longest_short, rails.longest_short);
    auto earlier = rails_json(rails, rail_levels);  // of a profile that was measured without it
    earlier.erase("longest_short");
    EXPECT_EQ(read_rails(earlier, 3, rail_levels, "x.json").longest_short, 1024);
}

TEST(Rails, RateOfACardAndAmongHosts) {
    const MeasuredRails rails = sample_rails();
    EXPECT_EQ(rails.rate_of(1, "eth1"), 3e6);
    EXPECT_EQ(rails.rate_of(2, "eth1"), 0);
    EXPECT_EQ(rails.rate_of(2, ""), 0);
    EXPECT_EQ(rails.rate_among({0, 1}, {"eth0", "eth0", "eth0"}, rail_levels), 12e6);
    EXPECT_EQ(rails.rate_among({0, 1, 2}, {"eth0", "eth0", "eth0"}, rail_levels), 6e6);
    EXPECT_EQ(rails.rate_among({0, 1}, {"eth0", "eth1", "eth0"}, rail_levels), 0);
}

TEST(Rails, CarryWhatIsUsualInTheSmallestCommonCluster) {
    const auto rates = sample_rails().rates();
    const RailRates& first = rates.at("10.9.0.0/16");
    EXPECT_EQ(first.usual, 6e6);
    EXPECT_EQ(first.between(0, 1, rail_levels), 12e6);
    EXPECT_EQ(first.between(1, 0, rail_levels), 12e6);
    EXPECT_EQ(first.between(0, 2, rail_levels), 6e6);
    EXPECT_EQ(rates.at("10.10.0.0/16"), (RailRates{3e6, {}}));
    // What differs by little is measured no better than that.
    MeasuredRails alike = sample_rails();
    alike.rails[0].bandwidth = {{0, 6.4e6, 6e6}, {6.4e6, 0, 6e6}, {6e6, 6e6, 0}};
    alike.derive(rail_levels);
    EXPECT_EQ(alike.rates().at("10.9.0.0/16"), (RailRates{6e6, {}}));
}

TEST(Rails, WhatIsNoRailIsRefused) {
    const auto changed = [](const char* pointer, const nlohmann::json& value) {
        nlohmann::json root = rails_json(sample_rails(), rail_levels);
        root[nlohmann::json::json_pointer(pointer)] = value;
        return complaint_of_rails(root);
    };
    EXPECT_EQ(complaint_of_rails(rails_json(sample_rails(), rail_levels)), "");
    EXPECT_NE(changed("/rails/1/network", "10.9.0.0/16").find("listed twice"), std::string::npos);
    EXPECT_NE(changed("/longest_short", 0).find("longest_short"), std::string::npos);
    EXPECT_NE(changed("/longest_short", 2 << 20).find("longest_short"), std::string::npos);
    EXPECT_NE(changed("/rails/0/bandwidth/0/1", -1).find("between hosts 0 and 1"),
              std::string::npos);
    EXPECT_NE(changed("/rails/0/latency/0/1", 5e-4).find("not the same in both directions"),
              std::string::npos);
    EXPECT_NE(changed("/rails/0/cards", {"eth0"}).find("one entry per host"), std::string::npos);
    EXPECT_NE(changed("/rails/0/latency", {{0}}).find("rows, not one per host"), std::string::npos);
    for (const char* row : {"/rails/0/latency/0", "/rails/0/bandwidth/2"})
        EXPECT_NE(changed(row, {0.0}).find("not square"), std::string::npos) << row;
    EXPECT_NE(changed("/rails/0/latency/2", nlohmann::json::array()).find("not square"),
              std::string::npos);
}

}  // namespace eco
