// SPDX-License-Identifier: BSD-3-Clause
#include "eco/topology/model.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "eco/base/error.h"
#include "eco/topology/derive_model.h"
#include "eco/topology/profile.h"

namespace eco {

using nlohmann::json;

static const Levels levels{{0, 0, 1, 1}};

static Model sample_model() {
    Model model;
    model.send = {{1e-5, 1e-9}, {2e-5, 0}, {1e-5, 0}, {1e-5, 0}};
    model.receive = model.send;
    model.fixed = Table(4, std::vector<double>(4, 1e-4));
    model.per_byte = Table(4, std::vector<double>(4, 8e-7));
    model.error = 0.03;
    model.shared_gap = 1e-4;
    model.media = {{0, 0, Medium::Kind::bus, 1.2e6, 0}, {0, 1, Medium::Kind::switched, 1.2e6, 5e6}};
    return model;
}

static std::string complaint_of_model(const json& root) {
    try {
        read_model(root, 4, levels, "x.json");
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), Code::bad_input);
        return error.what();
    }
    return "";
}

TEST(Model, CoarselyOneTransferForAllPairsOfTwoSubnets) {
    Model model = sample_model();
    model.fixed[0] = {0, 1e-4, 2e-3, 4e-3};
    model.fixed[1] = {1e-4, 0, 2e-3, 4e-3};
    const Model result = coarse(model, levels);
    EXPECT_EQ(result.fixed.size(), 2U);
    for (const int far : {2, 3}) EXPECT_NEAR(result.transfer(0, far).fixed, 3e-3, 1e-9);
    EXPECT_NEAR(result.transfer(0, 1).fixed, 1e-4, 1e-10);
    EXPECT_NEAR(result.transfer(3, 0).per_byte, 8e-7, 1e-13);
    EXPECT_EQ(result.send, model.send);
    EXPECT_EQ(result.media, model.media);
}

TEST(Model, WrittenAndReadBack) {
    EXPECT_EQ(read_model(model_json(sample_model(), levels), 4, levels, "x.json"), sample_model());
}

TEST(Model, AbsurdFiguresGetOneSentence) {
    const json whole = model_json(sample_model(), levels);
    const auto changed = [&](const char* pointer, const json& value) {
        json root = whole;
        root[json::json_pointer(pointer)] = value;
        return complaint_of_model(root);
    };
    EXPECT_EQ(changed("/error", 0.5), "");
    EXPECT_NE(changed("/send/1/0", -1e-5).find("x.json: model: send of host 1 is -1e-05"),
              std::string::npos);
    EXPECT_NE(changed("/receive/3/1", 7.0).find("receive per byte of host 3 is 7"),
              std::string::npos);
    EXPECT_NE(changed("/send", json::array()).find("0 entries, not one per host"),
              std::string::npos);
    EXPECT_NE(changed("/send/0", json::array({1e-5})).find("two numbers"), std::string::npos);
    EXPECT_NE(changed("/transfer/fixed/0/2", 1e6).find("fixed gives 1e+06 between hosts 0 and 2"),
              std::string::npos);
    EXPECT_NE(changed("/transfer/per_byte/2", json::array()).find("not square"), std::string::npos);
    EXPECT_NE(changed("/error", -1.0).find("error is -1"), std::string::npos);
    EXPECT_NE(changed("/media/0/kind", "ring").find("'ring', neither"), std::string::npos);
    EXPECT_NE(changed("/media/0/rate", 0).find("is 0, which is out of range"), std::string::npos);
    EXPECT_NE(changed("/media/1/uplink", -3).find("uplink of medium of level 0, cluster 1 is -3"),
              std::string::npos);
    EXPECT_EQ(changed("/shared_gap", 1e-4), "");
    EXPECT_NE(changed("/shared_gap", -1e-4).find("shared_gap is -0.0001"), std::string::npos);
    EXPECT_EQ(changed("/media/0/burst", 3028), "");
    EXPECT_NE(changed("/media/0/burst", -1).find("the burst of medium of level 0, cluster 0 is -1"),
              std::string::npos);
    EXPECT_NE(changed("/media/0/uplink_burst", -1).find("the uplink_burst of medium"),
              std::string::npos);
    EXPECT_NE(changed("/media/0/level", 3).find("no such level"), std::string::npos);
    EXPECT_NE(changed("/media/0/cluster", 3).find("no such cluster"), std::string::npos);
    EXPECT_NE(changed("/media/0/cluster", 1).find("two media"), std::string::npos);
}

TEST(Model, OfAProfileIsReadAndCheckedWithIt) {
    Profile profile;
    profile.hosts = {"a", "b"};
    profile.sizes = {1, 1001};
    profile.partition_bytes = 1;
    profile.levels = {{0, 0}};
    profile.ring = {0, 1};
    Matrix small(2, 2e-3), large(2, 3e-3);
    profile.minimum = {small, large};
    profile.spread = {Matrix(2), Matrix(2)};
    EXPECT_FALSE(parse_profile(to_json(profile), "x.json").model);
    profile.model = derive_model(profile);
    profile.model->assumed = false;
    profile.model->media = {{0, 0, Medium::Kind::bus, 1e6, 2e6, 3e3, 4e3}};
    EXPECT_EQ(parse_profile(to_json(profile), "x.json").model, profile.model);
    profile.model->send.front().fixed = -1;
    EXPECT_THROW(parse_profile(to_json(profile), "x.json"), Error);
}

// 2 ms for 1 byte, 3 ms for 1,001: 1 µs a byte, the rest fixed, shared with the overheads.
TEST(Model, DerivedFromPairwiseTimesMeetsThem) {
    Profile profile;
    profile.hosts = {"a", "b"};
    profile.sizes = {1, 1001};
    profile.levels = {{0, 0}};
    profile.minimum = {Matrix(2, 2e-3), Matrix(2, 3e-3)};
    const Model model = derive_model(profile);
    EXPECT_TRUE(model.assumed);
    EXPECT_TRUE(model.media.empty());
    EXPECT_NEAR(model.error, 0, 1e-9);
    EXPECT_NEAR(model.per_byte[0][1], 1e-6, 1e-12);
    EXPECT_NEAR(model.send[0].fixed + model.fixed[0][1] + model.receive[1].fixed, 1.999e-3, 1e-9);
    EXPECT_GT(model.send[0].fixed, 0);
    EXPECT_LT(model.send[0].fixed, 0.1 * 2e-3);
}

}  // namespace eco
