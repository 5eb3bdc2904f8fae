// SPDX-License-Identifier: BSD-3-Clause
#include "eco/simulate/fluid.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

namespace eco {

static constexpr double free_of_caps = std::numeric_limits<double>::infinity();

// Runs until all flows are through; the end of each by number.
static std::vector<Seconds> ends(Fluid& fluid, std::size_t flows) {
    std::vector<Seconds> end(flows, -1);
    fluid.settle(0);
    while (fluid.next_end() < free_of_caps) {
        const Seconds now = fluid.next_end();
        for (const int flow : fluid.ended(now)) end[static_cast<std::size_t>(flow)] = now;
        fluid.settle(now);
    }
    return end;
}

// 300 and 100 bytes share a link of 100 B/s: 50 each until the short one is through after 2 s; the
// long one then has 200 left at 100 B/s: 4 s.
TEST(Fluid, ALinkIsSharedEvenly) {
    Fluid fluid({100});
    const int way = fluid.add_way({0}, free_of_caps);
    fluid.start(0, way, 300, 0);
    fluid.start(1, way, 100, 0);
    EXPECT_EQ(ends(fluid, 2), (std::vector<Seconds>{4, 2}));
    EXPECT_EQ(fluid.busy()[0], 4);
}

// A flow over both links of 100 and 60 B/s beside one on each: the narrow link gives 30 to both of
// its flows, the wide one the other 70. After 2 s the lone one on the wide link is through with its
// 140 bytes; the narrow link still gives 30.
TEST(Fluid, WhatOneLinkRefusesAnotherGives) {
    Fluid fluid({100, 60});
    fluid.start(0, fluid.add_way({0, 1}, free_of_caps), 90, 0);
    fluid.start(1, fluid.add_way({0}, free_of_caps), 140, 0);
    fluid.start(2, fluid.add_way({1}, free_of_caps), 150, 0);
    // The third: 90 bytes in 3 s, then 60 more at 60 B/s.
    EXPECT_EQ(ends(fluid, 3), (std::vector<Seconds>{3, 2, 4}));
}

TEST(Fluid, ACapLeavesTheRestToOthers) {
    Fluid fluid({100});
    fluid.start(0, fluid.add_way({0}, 20), 40, 0);
    fluid.start(1, fluid.add_way({0}, free_of_caps), 160, 0);
    fluid.start(2, fluid.add_way({}, 10), 50, 0);
    EXPECT_EQ(ends(fluid, 3), (std::vector<Seconds>{2, 2, 5}));
}

// After every change: no link carries more than it can, and each flow has a link that is full on
// which no other has more, or its cap.
TEST(Fluid, RandomFlowsAreMaxMinFairAtAllTimes) {
    struct Flow {
        std::vector<std::size_t> links;
        double cap;
        bool moving = false;
    };
    std::mt19937 random(7);
    for (int draw = 0; draw < 200; ++draw) {
        const std::size_t links = 1 + random() % 9, count = 1 + random() % 30;
        std::vector<double> rates;
        for (std::size_t link = 0; link < links; ++link) rates.push_back(1.0 + random() % 100);
        Fluid fluid(rates);
        std::vector<Flow> flows(count);
        for (Flow& flow : flows) {
            std::vector<int> way;
            for (std::size_t link = 0; link < links; ++link)
                if (random() % 4 == 0) way.push_back(static_cast<int>(link));
            flow.links.assign(way.begin(), way.end());
            flow.cap = way.empty() || random() % 4 == 0 ? 1.0 + random() % 50 : free_of_caps;
            fluid.add_way(way, flow.cap);
        }
        const auto check = [&] {
            std::vector<double> used(links, 0), most(links, 0);
            for (std::size_t f = 0; f < count; ++f)
                for (const std::size_t link : flows[f].links) {
                    if (!flows[f].moving) continue;
                    const double rate = fluid.rate(static_cast<int>(f));
                    used[link] += rate;
                    most[link] = std::max(most[link], rate);
                }
            for (std::size_t link = 0; link < links; ++link)
                ASSERT_LE(used[link], rates[link] * (1 + 1e-8));
            for (std::size_t f = 0; f < count; ++f) {
                if (!flows[f].moving) continue;
                const double rate = fluid.rate(static_cast<int>(f));
                bool held = std::abs(rate - flows[f].cap) < 1e-6;
                for (const std::size_t link : flows[f].links)
                    held = held || (used[link] > rates[link] * (1 - 1e-8) &&
                                    rate > most[link] * (1 - 1e-8));
                ASSERT_TRUE(held) << "draw " << draw << ", flow " << f;
            }
        };
        Seconds now = 0;
        for (int event = 0; event < 60; ++event) {
            const std::size_t f = random() % count;
            now = std::min(now + 0.1 * static_cast<double>(random() % 10), fluid.next_end());
            for (const int ended : fluid.ended(now))
                flows[static_cast<std::size_t>(ended)].moving = false;
            if (!flows[f].moving) {
                fluid.start(static_cast<int>(f), static_cast<int>(f), 1.0 + random() % 100, now);
                flows[f].moving = true;
            }
            fluid.settle(now);
            check();
            if (HasFatalFailure()) return;
        }
    }
}

// Ends and starts in between give the same as starting afresh with what is left.
TEST(Fluid, NothingIsLostBetweenChanges) {
    Fluid fluid({100, 100});
    const int both = fluid.add_way({0, 1}, free_of_caps), first = fluid.add_way({0}, free_of_caps);
    fluid.start(0, both, 100, 0);
    fluid.settle(0);
    EXPECT_EQ(fluid.next_end(), 1);
    fluid.start(1, first, 100, 0.5);  // 50 left of each at 50 B/s, until 1.5
    fluid.settle(0.5);
    EXPECT_EQ(fluid.next_end(), 1.5);
    EXPECT_EQ(fluid.ended(1.5), std::vector<int>{0});
    fluid.settle(1.5);
    EXPECT_EQ(fluid.next_end(), 2);
    EXPECT_EQ(fluid.ended(2), std::vector<int>{1});
    fluid.settle(2);
    EXPECT_EQ(fluid.next_end(), free_of_caps);
    EXPECT_EQ(fluid.busy(), (std::vector<Seconds>{2, 1.5}));
}

}  // namespace eco
