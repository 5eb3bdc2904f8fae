// SPDX-License-Identifier: BSD-3-Clause
#include "eco/topology/block_matrix.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>

#include "eco/base/at.h"
#include "eco/base/error.h"
#include "eco/topology/profile_reader.h"

namespace eco {

using nlohmann::json;

namespace {

constexpr double most = 100;

Table read(const json& value, const std::vector<int>& subnet, bool symmetric = true) {
    return read_matrix(value, "minimum", subnet, most, symmetric, ProfileReader("x.json"));
}

// Host h of 40 is in subnet h / 10.
std::vector<int> four_subnets() {
    std::vector<int> subnet;
    for (int host = 0; host < 40; ++host) subnet.push_back(host / 10);
    return subnet;
}

Table constant(std::size_t hosts) {
    Table table(hosts, std::vector<double>(hosts, 1));
    for (std::size_t host = 0; host < hosts; ++host) table[host][host] = 0;
    return table;
}

std::string complaint_of_matrix(const char* pointer, const json& value) {
    json root{{"blocks", Table(4, std::vector<double>(4, 1))}, {"pairs", {0, 1, 2.5, 0, 30, 3.5}}};
    root[json::json_pointer(pointer)] = value;
    try {
        read(root, four_subnets());
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), Code::bad_input);
        return error.what();
    }
    return "";
}

}  // namespace

TEST(BlockMatrix, OneValuePerTwoSubnetsAndThePairsThatDiffer) {
    const auto subnet = four_subnets();
    Table table = constant(40);
    for (std::size_t host = 30; host < 40; ++host) table[0][host] = table[host][0] = 7;
    table[3][4] = table[4][3] = 5;
    const json written = matrix_json(table, subnet, true);
    EXPECT_EQ(written.at("blocks"), json(Table(4, std::vector<double>(4, 1))));
    EXPECT_EQ(written.at("pairs").size(), 33U);
    EXPECT_EQ(json(std::vector<json>(written.at("pairs").begin(), written.at("pairs").begin() + 6)),
              json({0, 30, 7.0, 0, 31, 7.0}));
    EXPECT_EQ(read(written, subnet), table);
}

TEST(BlockMatrix, OfFewHostsOrManyFiguresItIsRows) {
    EXPECT_TRUE(matrix_json(constant(31), std::vector<int>(31, 0), true).is_array());
    EXPECT_TRUE(matrix_json(constant(32), std::vector<int>(32, 0), true).is_object());
    std::vector<int> alone(40);
    for (int host = 0; host < 40; ++host) alone[at(host)] = host;
    EXPECT_TRUE(matrix_json(constant(40), alone, true).is_array());
    Table differs = constant(40);
    for (int a = 0; a < 40; ++a)
        for (int b = 0; b < a; ++b) differs[at(a)][at(b)] = differs[at(b)][at(a)] = 1 + a + 40 * b;
    EXPECT_TRUE(matrix_json(differs, four_subnets(), true).is_array());
    Table own = constant(40);
    own[7][7] = 1;
    EXPECT_TRUE(matrix_json(own, four_subnets(), true).is_array());
}

TEST(BlockMatrix, OfAsFrequentValuesTheLeastStandsForTheBlock) {
    std::vector<int> subnet(64, 1);
    subnet[0] = subnet[1] = subnet[2] = 0;
    Table table = constant(64);
    const auto set = [&](std::size_t a, std::size_t b, double value) {
        table[a][b] = table[b][a] = value;
    };
    set(0, 1, 3);
    set(0, 2, 4);
    set(1, 2, 2);
    EXPECT_EQ(matrix_json(table, subnet, true).at("blocks")[0][0], 2.0);
    set(1, 2, 4);
    EXPECT_EQ(matrix_json(table, subnet, true).at("blocks")[0][0], 4.0);
}

TEST(BlockMatrix, WhateverTheFiguresTheyAreReadAsTheyWere) {
    std::mt19937 random(1);
    const auto draw = [&](int below) { return static_cast<int>(random() % at(below)); };
    int in_blocks = 0;
    for (int number = 0; number < 200; ++number) {
        const int hosts = 20 + draw(60), subnets = 1 + draw(number % 3 == 0 ? hosts : 8);
        const bool symmetric = draw(2) == 0;
        std::vector<int> subnet;
        for (int host = 0; host < hosts; ++host) subnet.push_back(draw(subnets));
        std::uniform_real_distribution<double> figure(0, most);
        Table table(at(hosts), std::vector<double>(at(hosts), 0));
        Table blocks(at(subnets), std::vector<double>(at(subnets)));
        for (auto& row : blocks)
            for (double& value : row) value = figure(random);
        const int differ = draw(1 << draw(10));
        for (int a = 0; a < hosts; ++a)
            for (int b = 0; b < hosts; ++b)
                if (a != b) table[at(a)][at(b)] = blocks[at(subnet[at(a)])][at(subnet[at(b)])];
        for (int i = 0; i < differ; ++i)
            if (const int a = draw(hosts), b = draw(hosts); a != b)
                table[at(a)][at(b)] = figure(random);
        if (symmetric)
            for (int a = 0; a < hosts; ++a)
                for (int b = 0; b < a; ++b) table[at(a)][at(b)] = table[at(b)][at(a)];
        const json written = matrix_json(table, subnet, symmetric);
        in_blocks += written.is_object() ? 1 : 0;
        EXPECT_EQ(read(json::parse(written.dump()), subnet, symmetric), table) << number;
    }
    EXPECT_GT(in_blocks, 50);
    EXPECT_LT(in_blocks, 150);
}

TEST(BlockMatrix, WhatIsNotSoundIsRefused) {
    const auto refused = [](const char* pointer, const json& value, const std::string& why) {
        EXPECT_NE(complaint_of_matrix(pointer, value).find("x.json: " + why), std::string::npos)
            << complaint_of_matrix(pointer, value);
    };
    EXPECT_EQ(complaint_of_matrix("/pairs/2", 2), "");
    refused("/blocks", json::array({{1}}), "minimum.blocks does not have 4 rows of 4, one per");
    refused("/blocks/2", json::array({1, 2}), "minimum.blocks does not have 4 rows of 4");
    refused("/blocks", 3, "minimum.blocks has the wrong type");
    refused("/blocks/0/1", "x", "minimum.blocks has the wrong type");
    refused("/blocks/0/1", -1, "minimum.blocks between subnets 0 and 1 is -1, which is out");
    refused("/blocks/0/1", most, "minimum.blocks between subnets 0 and 1 is 100");
    refused("/blocks/0/1", 2, "minimum.blocks is not symmetric between subnets 1 and 0");
    refused("/pairs", 3, "pairs has the wrong type");
    refused("/pairs", {0, 1}, "minimum.pairs has an incomplete pair");
    refused("/pairs/1", 40, "minimum.pairs names hosts 0 and 40, which are not a pair");
    refused("/pairs/0", -1, "minimum.pairs names hosts -1 and 1, which are not a pair");
    refused("/pairs/1", 0, "minimum.pairs names hosts 0 and 0, which are not a pair");
    refused("/pairs/0", 2, "minimum.pairs names hosts 2 and 1, which are not a pair");
    refused("/pairs/1", 1.5, "minimum.pairs has the wrong type");
    refused("/pairs/2", nullptr, "minimum.pairs has the wrong type");
    refused("/pairs/2", -1, "minimum.pairs gives -1 between hosts 0 and 1");
    refused("/pairs/2", 1e9, "minimum.pairs gives 1e+09 between hosts 0 and 1");
    refused("/pairs/4", 1, "minimum.pairs names hosts 0 and 1 twice");
    refused("/pairs/1", 31, "minimum.pairs names hosts 0 and 30 out of order");
    EXPECT_THROW(read(json{{"pairs", json::array()}}, four_subnets()), Error);
    EXPECT_THROW(read(json{{"blocks", Table(4, std::vector<double>(4, 1))}}, four_subnets()),
                 Error);
}

}  // namespace eco
