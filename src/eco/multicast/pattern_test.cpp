// SPDX-License-Identifier: BSD-3-Clause
#include "eco/multicast/pattern.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "eco/base/error.h"
#include "eco/multicast/draw.h"

namespace eco::multicast {

static Pattern sample() {
    Pattern pattern;
    pattern.model.send = {{1e-4, 1e-9}, {2e-4, 1e-9}, {3e-4, 1e-9}};
    pattern.model.receive = {{1e-4, 0}, {1e-4, 0}, {1e-4, 2e-9}};
    pattern.model.transfers.assign(9, {1e-5, 8e-9});
    pattern.model.transfers[1] = {2e-5, 8e-9};
    pattern.messages = {{0, 1000, {2, 1}}, {2, 0, {}}};
    check(pattern, "sample");
    return pattern;
}

static std::string complaint(const std::string& text) {
    try {
        parse_pattern(text, "x.json");
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), Code::bad_input);
        return error.what();
    }
    return "";
}

TEST(Pattern, WrittenAndReadBack) {
    const Pattern pattern = sample();
    EXPECT_EQ(pattern.messages[0].destinations, (std::vector<Rank>{1, 2}));
    EXPECT_EQ(pattern.deliveries(), 2U);
    const Pattern again = parse_pattern(to_json(pattern), "x.json");
    EXPECT_EQ(to_json(again), to_json(pattern));
    EXPECT_EQ(again.model.transfer(0, 1).fixed, 2e-5);
    EXPECT_EQ(again.model.transfer(1, 0).fixed, 1e-5);
    EXPECT_NEAR(again.model.receive[2].of(1000), 1.02e-4, 1e-12);
}

TEST(Pattern, BadInputGetsOneSentenceThatSaysWhere) {
    const std::string whole = to_json(sample());
    EXPECT_EQ(complaint(whole), "");
    const auto says = [](const std::string& text, const char* word) {
        const std::string found = complaint(text);
        EXPECT_NE(found.find("x.json"), std::string::npos) << found;
        EXPECT_NE(found.find(word), std::string::npos) << found;
        EXPECT_EQ(found.find('\n'), std::string::npos) << found;
    };
    for (std::size_t length = 0; length + 1 < whole.size(); length += 7)
        says(whole.substr(0, length), "cut off");
    says("[1]", "not a multicast pattern");
    const auto changed = [&](const char* pointer, const nlohmann::json& value) {
        auto root = nlohmann::json::parse(whole);
        root[nlohmann::json::json_pointer(pointer)] = value;
        return root.dump();
    };
    const auto without = [&](const char* object, const char* key) {
        auto root = nlohmann::json::parse(whole);
        root[nlohmann::json::json_pointer(object)].erase(key);
        return root.dump();
    };
    says(changed("/eco_multicast", 99), "version 99");
    says(changed("/messages/0/destinations/0", 0), "source, rank 0, among its destinations");
    says(changed("/messages/0/destinations/0", 2), "rank 2 twice");
    says(changed("/messages/0/destinations/0", 3), "unknown rank");
    says(changed("/messages/0/destinations/0", -1), "unknown rank");
    says(changed("/messages/0/destinations/0", 1e30), "whole number");
    says(changed("/messages/0/source", 7), "unknown rank as its source");
    says(changed("/messages/0/source", 0.5), "whole number");
    says(changed("/messages/0/source", "a"), "not a number");
    says(changed("/messages/1/bytes", -5), "-5 bytes");
    says(changed("/send/1/0", -1e-3), "send of rank 1 is -0.001");
    says(changed("/send/1", nlohmann::json::array({1})), "send of rank 1");
    says(changed("/receive/2/1", nullptr), "not a number");
    says(changed("/receive/2/1", nlohmann::json::array({1})), "is a list, which is not a number");
    says(R"({"eco_multicast": 1, "send": [[1e999, 0]]})", "out of range");
    says(R"({"eco_multicast": )" + std::string(100000, '[') + std::string(100000, ']') + "}",
         "is of pattern version a list");
    says(changed("/receive/3", nlohmann::json::array({1e-4, 0})), "name each rank in both");
    says(changed("/transfer/fixed/0/1", -1), "from rank 0 to 1 is -1");
    says(changed("/transfer/fixed/0", nlohmann::json::array({1})), "not square");
    says(changed("/transfer/per_byte", -1), "is -1");
    says(changed("/messages", 3), "must be a list");
    says(changed("/messages/0", 3), "message 0 must be an object");
    says(without("", "send"), "has no key \"send\"");
    says(without("", "transfer"), "has no key \"transfer\"");
    says(without("/transfer", "per_byte"), "has no key \"per_byte\"");
    says(without("/messages/0", "bytes"), "has no key \"bytes\"");
    says(without("", "eco_multicast"), "not a multicast pattern");
}

TEST(Draw, TheSameFromTheSameSeed) {
    const Draw how;
    EXPECT_EQ(to_json(draw(how, 7)), to_json(draw(how, 7)));
    EXPECT_NE(to_json(draw(how, 7)), to_json(draw(how, 8)));
}

TEST(Draw, StaysInTheRangesOfThePaper) {
    for (const Spacing spacing : {Spacing::even, Spacing::geometric, Spacing::free})
        for (const Destinations reach : {Destinations::all, Destinations::half, Destinations::any})
            for (const Lengths lengths : {Lengths::small, Lengths::large, Lengths::mixed}) {
                Draw how;
                how.ranks = 9;
                how.sources = 5;
                how.reach = reach;
                how.lengths = lengths;
                how.spacing = spacing;
                const Pattern pattern = draw(how, 3);
                EXPECT_EQ(pattern.messages.size(), 5U);
                for (const auto& costs : {pattern.model.send, pattern.model.receive})
                    for (const Cost& cost : costs) {
                        EXPECT_GE(cost.fixed, 79.9e-6);
                        EXPECT_LE(cost.fixed, 400.1e-6);
                        EXPECT_GE(cost.per_byte, 0.99e-10);
                        EXPECT_LE(cost.per_byte, 1.01e-8);
                    }
                for (const Message& message : pattern.messages) {
                    EXPECT_FALSE(message.destinations.empty());
                    EXPECT_TRUE(reach != Destinations::all || message.destinations.size() == 8);
                    const bool large = message.bytes == 1 << 20 || message.bytes == 3 << 19;
                    const bool small = message.bytes >= 1 && message.bytes <= 1024;
                    EXPECT_TRUE((large && lengths != Lengths::small) ||
                                (small && lengths != Lengths::large));
                }
            }
}

TEST(Draw, RefusesFiguresThatMakeNoSense) {
    const auto refused = [](auto change) {
        Draw how;
        change(how);
        EXPECT_THROW(draw(how, 1), Error);
    };
    refused([](Draw& how) { how.ranks = 1; });
    refused([](Draw& how) { how.sources = 65; });
    refused([](Draw& how) { how.sources = 0; });
    refused([](Draw& how) { how.classes = 0; });
    refused([](Draw& how) { how.bits_per_second = std::nan(""); });
    EXPECT_THROW(parse_reach("none"), Error);
}

}  // namespace eco::multicast
