// SPDX-License-Identifier: BSD-3-Clause
#include "draw.h"

#include <gtest/gtest.h>

#include <cmath>

#include "eco/base/error.h"

namespace eco::multicast {

namespace {

std::string figures(const Pattern& pattern) {
    std::string text;
    const auto add = [&](double value) { text += std::to_string(value * 1e12) + " "; };
    for (const auto& costs : {pattern.model.send, pattern.model.receive, pattern.model.transfers})
        for (const Cost& cost : costs) {
            add(cost.fixed);
            add(cost.per_byte);
        }
    for (const Message& message : pattern.messages) {
        text += std::to_string(message.source) + ":" + std::to_string(message.bytes);
        for (const Rank to : message.destinations) text += "," + std::to_string(to);
        text += " ";
    }
    return text;
}

}  // namespace

TEST(Draw, TheSameFromTheSameSeed) {
    const Draw how;
    EXPECT_EQ(figures(draw(how, 7)), figures(draw(how, 7)));
    EXPECT_NE(figures(draw(how, 7)), figures(draw(how, 8)));
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
