// SPDX-License-Identifier: BSD-3-Clause
#include "eco/topology/transfer.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "eco/topology/profile.h"

namespace eco {

namespace {

// Hosts whose overheads all differ, at two subnets.
Profile forty() {
    Profile profile;
    profile.sizes = {1, 1001};
    profile.partition_bytes = 1;
    profile.levels = {{}};
    for (int host = 0; host < 40; ++host) {
        profile.hosts.push_back("n" + std::to_string(host));
        profile.levels[0].push_back(host / 20);
        profile.ring.push_back(host);
    }
    Matrix small(40), large(40);
    for (int a = 0; a < 40; ++a)
        for (int b = a + 1; b < 40; ++b) {
            small.set(a, b, a / 20 == b / 20 ? 1e-3 : 3e-3);
            large.set(a, b, 2 * small(a, b));
        }
    profile.minimum = {small, large};
    profile.spread = {Matrix(40), Matrix(40)};
    Model& model = profile.model.emplace();
    for (int host = 0; host < 40; ++host) model.send.push_back({1e-6 * host, 1e-10});
    model.receive = model.send;
    return profile;
}

}  // namespace

TEST(Transfer, IsWhatTheOverheadsLeave) {
    Profile profile = forty();
    find_transfer(*profile.model, profile.sizes, profile.minimum);
    const Model& model = *profile.model;
    for (const Bytes size : profile.sizes) {
        const Seconds whole = model.transfer(3, 30).of(size) +
                              (model.send[3].of(size) + model.receive[3].of(size) +
                               model.send[30].of(size) + model.receive[30].of(size)) /
                                  2;
        EXPECT_NEAR(whole, profile.minimum[size == 1 ? 0 : 1](3, 30), 1e-12);
    }
    EXPECT_EQ(model.transfer(3, 30).fixed, model.transfer(30, 3).fixed);
}

TEST(Transfer, ThatFollowsIsNotWritten) {
    Profile profile = forty();
    find_transfer(*profile.model, profile.sizes, profile.minimum);
    const auto written = nlohmann::json::parse(to_json(profile));
    EXPECT_FALSE(written["model"].contains("transfer"));
    EXPECT_EQ(parse_profile(written.dump(), "x.json").model, profile.model);
    profile.model->fixed[3][4] = 7e-3;
    const auto other = nlohmann::json::parse(to_json(profile));
    EXPECT_TRUE(other["model"].contains("transfer"));
    EXPECT_EQ(parse_profile(other.dump(), "x.json").model, profile.model);
}

}  // namespace eco
