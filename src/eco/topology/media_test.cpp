// SPDX-License-Identifier: BSD-3-Clause
#include "eco/topology/media.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

namespace eco {

using Kind = Medium::Kind;

// All pairs alike, seconds per byte.
static Table alike(int hosts, double per_byte = 8e-7) {
    const auto count = static_cast<std::size_t>(hosts);
    return Table(count, std::vector<double>(count, per_byte));
}

static void set(Table& table, int a, int b, double value) {
    const auto one = static_cast<std::size_t>(a), two = static_cast<std::size_t>(b);
    table[one][two] = table[two][one] = value;
}

static Observed seen(const Levels& levels, const std::vector<Flow>& flows, double alone,
                     double together, const std::vector<Medium>& known = {}) {
    const Table per_byte = alike(static_cast<int>(levels[0].size()));
    return {alone, together, expected_total(flows, alone, per_byte, levels, known)};
}

TEST(Media, FlowsInsideFormACycleThroughHosts) {
    const Levels levels{{0, 0, 0, 1, 1, 2}};
    const auto three = flows_inside(levels, 0, 0, alike(6));
    ASSERT_EQ(three.size(), 3U);
    std::set<int> from, to;
    for (const auto& flow : three) {
        EXPECT_NE(flow.from, flow.to);
        from.insert(flow.from);
        to.insert(flow.to);
    }
    EXPECT_EQ(from, (std::set<int>{0, 1, 2}));
    EXPECT_EQ(to, from);
    // Of two hosts both directions; of one nothing.
    const auto two = flows_inside(levels, 0, 1, alike(6));
    ASSERT_EQ(two.size(), 2U);
    EXPECT_EQ(two[0].from, two[1].to);
    EXPECT_TRUE(flows_inside(levels, 0, 2, alike(6)).empty());
}

TEST(Media, FlowsOfAWideClusterJoinItsParts) {
    const Levels levels{{0, 0, 0, 0, 1}, {0, 0, 1, 1, 2}};
    const auto flows = flows_inside(levels, 0, 0, alike(5));
    ASSERT_EQ(flows.size(), 2U);
    for (const auto& flow : flows)
        EXPECT_NE(levels[1].at(static_cast<std::size_t>(flow.from)),
                  levels[1].at(static_cast<std::size_t>(flow.to)));
    EXPECT_TRUE(flows_inside(levels, 0, 1, alike(5)).empty());
}

TEST(Media, FlowsOutGoToDifferentClustersWhereTheyAreAlike) {
    const Levels levels{{0, 0, 0, 0, 1, 1, 2, 2}};
    auto per_byte = alike(8);
    auto flows = flows_out(levels, 0, 0, per_byte);
    ASSERT_EQ(flows.size(), 2U);
    EXPECT_NE(levels[0][flows[0].to], levels[0][flows[1].to]);
    EXPECT_NE(flows[0].from, flows[1].from);
    // Cluster 2 is far slower: all go to cluster 1, to different hosts.
    for (int host = 0; host < 6; ++host)
        for (const int slow : {6, 7}) set(per_byte, host, slow, 8e-6);
    flows = flows_out(levels, 0, 0, per_byte);
    ASSERT_EQ(flows.size(), 2U);
    EXPECT_NE(flows[0].to, flows[1].to);
    for (const auto& flow : flows) EXPECT_EQ(levels[0][flow.to], 1);
    EXPECT_TRUE(flows_out({{0, 0, 0}}, 0, 0, alike(3)).empty());
}

TEST(Media, ExpectedIsSharedFairlyOnKnownMedia) {
    const Levels levels{{0, 0, 0, 1, 1, 1}};
    const std::vector<Flow> flows{{0, 3}, {1, 4}, {2, 5}};
    EXPECT_DOUBLE_EQ(seen(levels, flows, 10, 0).expected, 30);
    EXPECT_DOUBLE_EQ(seen(levels, flows, 10, 0, {{0, 1, Kind::bus, 12, 0}}).expected, 12);
    EXPECT_DOUBLE_EQ(seen(levels, flows, 10, 0, {{0, 0, Kind::switched, 10, 20.0}}).expected, 20);
    // One flow is slower by itself: the others take what it leaves of the bus.
    auto per_byte = alike(6);
    set(per_byte, 1, 4, 8e-6);
    EXPECT_NEAR(expected_total(flows, 10, per_byte, levels, {}), 21, 1e-9);
    EXPECT_NEAR(expected_total(flows, 10, per_byte, levels, {{0, 0, Kind::bus, 15, 0}}), 15, 1e-9);
}

// Rates as a network with the medium gives them, each off by up to 12 %.
TEST(Media, BusAndSwitchAreToldApartInNoise) {
    std::mt19937 random(4);
    std::uniform_real_distribution<double> noise(0.88, 1.12);
    for (int hosts = 2; hosts <= 9; ++hosts) {
        const Levels levels{std::vector<int>(static_cast<std::size_t>(hosts), 0)};
        const auto flows = flows_inside(levels, 0, 0, alike(hosts));
        const auto count = static_cast<double>(flows.size());
        for (int draw = 0; draw < 200; ++draw) {
            const double alone = 1e6 * noise(random);
            EXPECT_TRUE(is_bus(seen(levels, flows, alone, 1e6 * noise(random))));
            // Not even a switch that loses a sixth of its rate where all send.
            EXPECT_FALSE(is_bus(seen(levels, flows, alone, 0.9 * count * 1e6 * noise(random))));
        }
    }
}

TEST(Media, WhatIsNotClearIsASwitch) {
    const Levels four{{0, 0, 0, 0}};
    const auto flows = flows_inside(four, 0, 0, alike(4));
    // A switch whose inside carries less than its ports: not one host's rate alone.
    EXPECT_FALSE(is_bus(seen(four, flows, 10, 16)));
    EXPECT_FALSE(clearly_bus_or_not(seen(four, flows, 10, 13)));
    EXPECT_TRUE(clearly_bus_or_not(seen(four, flows, 10, 10.5)));
    EXPECT_TRUE(clearly_bus_or_not(seen(four, flows, 10, 27)));
    EXPECT_FALSE(clearly_shared_or_not(seen(four, flows, 10, 27)));
    // Two buses joined: both directions at once share the buses themselves, whatever joins them.
    const Levels two{{0, 0, 0, 0}, {0, 0, 1, 1}};
    const auto across = flows_inside(two, 0, 0, alike(4));
    const std::vector<Medium> buses{{1, 0, Kind::bus, 10, 0}, {1, 1, Kind::bus, 10, 0}};
    EXPECT_FALSE(is_bus(seen(two, across, 10, 10, buses)));
    EXPECT_TRUE(is_bus(seen(two, across, 10, 10)));
}

TEST(Media, SharedUplinks) {
    std::mt19937 random(5);
    std::uniform_real_distribution<double> noise(0.9, 1.1);
    const Levels levels{{0, 0, 0, 0, 1, 1, 1, 1}};
    const auto flows = flows_out(levels, 0, 0, alike(8));
    ASSERT_EQ(flows.size(), 4U);
    for (int draw = 0; draw < 200; ++draw) {
        const double alone = 1e6 * noise(random);
        const double one = 1e6 * noise(random), two = 2e6 * noise(random);
        EXPECT_EQ(shared_uplink(seen(levels, flows, alone, one)), std::max(alone, one));
        EXPECT_EQ(shared_uplink(seen(levels, flows, alone, two)), two);
        EXPECT_EQ(shared_uplink(seen(levels, flows, alone, 4e6 * noise(random))), 0);
        // What a bus carries says nothing about the uplink above it.
        const std::vector<Medium> bus{{0, 0, Kind::bus, 1e6, 0}};
        EXPECT_EQ(shared_uplink(seen(levels, flows, alone, one, bus)), 0);
    }
    // A fast bus behind a slow uplink.
    const std::vector<Medium> bus{{0, 0, Kind::bus, 4e6, 0}};
    EXPECT_EQ(shared_uplink(seen(levels, flows, 1e6, 1e6, bus)), 1e6);
}

TEST(Media, WhatIsKnownOfTheSameHostsIsKept) {
    const Levels old{{0, 0, 0, 0, 1}, {0, 0, 1, 1, 2}};
    const std::vector<Medium> media{
        {0, 0, Kind::switched, 10, 0}, {1, 0, Kind::bus, 20, 0}, {1, 1, Kind::switched, 30, 5}};
    EXPECT_EQ(carried_over(media, old, old), media);
    // A sixth host joined the pair of hosts 2 and 3, and so the wide cluster as well.
    const auto kept = carried_over(media, old, {{0, 0, 0, 0, 1, 0}, {0, 0, 1, 1, 2, 1}});
    EXPECT_EQ(kept, (std::vector<Medium>{{1, 0, Kind::bus, 20, 0}}));
    // The subnets as the only level.
    const auto finer = carried_over(media, old, {{1, 1, 0, 0, 2}});
    EXPECT_EQ(finer,
              (std::vector<Medium>{{0, 0, Kind::switched, 30, 5}, {0, 1, Kind::bus, 20, 0}}));
    EXPECT_TRUE(carried_over(media, old, {{0, 1, 2, 3, 4}}).empty());
}

}  // namespace eco
