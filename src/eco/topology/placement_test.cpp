// SPDX-License-Identifier: BSD-3-Clause
#include "eco/topology/placement.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

namespace eco {

static std::vector<Rank> identity(int ranks) {
    std::vector<Rank> same(static_cast<std::size_t>(ranks));
    std::iota(same.begin(), same.end(), 0);
    return same;
}

static bool is_permutation_of_ranks(std::vector<Rank> ranks) {
    std::sort(ranks.begin(), ranks.end());
    return ranks == identity(static_cast<int>(ranks.size()));
}

TEST(Placement, GridsAreNumberedRowByRow) {
    const Graph open = grid_graph({2, 3}, {false, false}, 6);
    ASSERT_EQ(open[0].size(), 2U);
    EXPECT_EQ(open[0][0].to, 1);
    EXPECT_EQ(open[0][1].to, 3);
    EXPECT_TRUE(open[5].empty());
    const Graph torus = grid_graph({3, 3}, {true, true}, 9);
    EXPECT_EQ(torus[8][0].to, 6);
    EXPECT_EQ(torus[8][1].to, 2);
}

// Two hosts 0 2 4 6 and 1 3 5 7: the ring crosses between them twice instead of eight times.
TEST(Placement, ARingOverRoundRobinRanks) {
    const Hierarchy hierarchy = parse_hierarchy("(0 2 4 6) (1 3 5 7)");
    const Graph ring = grid_graph({8}, {true}, 8);
    EXPECT_EQ(placement_cost(ring, hierarchy, {}, identity(8)).distance, 80);
    EXPECT_EQ(placement_cost(ring, hierarchy, {}, place(ring, hierarchy)).distance, 2 * 10 + 6);
}

// By weight, whichever end gives an edge; an edge to oneself is none.
TEST(Placement, TheShareThatCrosses) {
    const Hierarchy hierarchy = parse_hierarchy("(0 2 4 6) (1 3 5 7)");
    const Graph ring = grid_graph({8}, {true}, 8);
    EXPECT_DOUBLE_EQ(crossing_share(ring, hierarchy, identity(8)), 1);
    EXPECT_DOUBLE_EQ(crossing_share(ring, hierarchy, place(ring, hierarchy)), 2.0 / 8);
    Graph graph(8);
    graph[0] = {{1, 3}, {2, 1}, {0, 100}};
    EXPECT_DOUBLE_EQ(crossing_share(graph, hierarchy, identity(8)), 3.0 / 4);
    EXPECT_DOUBLE_EQ(crossing_share(Graph(8), hierarchy, identity(8)), 0);
}

// A 4×4 mesh on four subnets of four: tiles of 2×2 have 8 edges between them, rows have 12.
TEST(Placement, AMeshInTiles) {
    const Hierarchy hierarchy = parse_hierarchy("(0 1 2 3) (4 5 6 7) (8 9 10 11) (12 13 14 15)");
    const Graph mesh = grid_graph({4, 4}, {false, false}, 16);
    EXPECT_EQ(placement_cost(mesh, hierarchy, {}, identity(16)).distance, 12 * 10 + 12);
    EXPECT_EQ(placement_cost(mesh, hierarchy, {}, place(mesh, hierarchy)).distance, 8 * 10 + 16);
}

// Three buses behind a bridge, hosts of 3, 3 and 2 ranks.
static Network three_segments() {
    const Levels levels{{0, 0, 0, 1, 1, 1, 2, 2}};
    return assemble_network({"a", "b", "c", "d", "e", "f", "g", "h"}, levels,
                            {{0, 0, Medium::Kind::bus, 1e6, 0},
                             {0, 1, Medium::Kind::bus, 1e6, 0},
                             {0, 2, Medium::Kind::bus, 1e6, 0}},
                            {});
}

// Of a 4×2 mesh with neighbours near each other one bus still carries what it did: two messages
// along each of 5 edges. With 4 on each it can be less.
TEST(Placement, TheBusiestBusIsRelieved) {
    const Hierarchy hierarchy = parse_hierarchy("(5 0 3) (1 7 4) (6 2)");
    const std::vector<int> host_of{1, 3, 7, 2, 5, 0, 6, 4};
    const LinksBetween ways(three_segments(), host_of);
    const Graph mesh = grid_graph({4, 2}, {false, false}, 8);
    const auto near = placement_cost(mesh, hierarchy, ways, place(mesh, hierarchy));
    const auto relieved = placement_cost(mesh, hierarchy, ways, place(mesh, hierarchy, ways));
    const auto before = placement_cost(mesh, hierarchy, ways, identity(8));
    EXPECT_LE(relieved.busiest, near.busiest);
    EXPECT_LT(relieved.busiest, before.busiest);
    // The best of all placements.
    std::vector<Rank> every = identity(8);
    PlacementCost least = before;
    do
        least = std::min(least, placement_cost(mesh, hierarchy, ways, every),
                         [](const auto& a, const auto& b) { return a < b; });
    while (std::next_permutation(every.begin(), every.end()));
    EXPECT_EQ(relieved.busiest, least.busiest);
    EXPECT_LE(relieved.distance, 1.3 * least.distance);
}

// Two pairs that are equally near, but one bus is ten times faster: those who talk most get it.
TEST(Placement, AFastBusForThoseWhoTalkMost) {
    const Network network = assemble_network(
        {"a", "b", "c", "d"}, {{0, 0, 1, 1}},
        {{0, 0, Medium::Kind::bus, 1e6, 0}, {0, 1, Medium::Kind::bus, 1e7, 0}}, {});
    const Hierarchy hierarchy = parse_hierarchy("(0 1) (2 3)");
    const LinksBetween ways(network, {0, 1, 2, 3});
    Graph graph(4);
    graph[0].push_back({1, 10.0});
    graph[2].push_back({3, 1.0});
    EXPECT_EQ(placement_cost(graph, hierarchy, ways, identity(4)).busiest, 2 * 10 / 1e6);
    EXPECT_EQ(placement_cost(graph, hierarchy, ways, place(graph, hierarchy, ways)).busiest,
              2 * 10 / 1e7);
    EXPECT_EQ(placement_cost(graph, hierarchy, {}, identity(4)).busiest, 0);
}

TEST(Placement, NeverCostsMoreThanTheIdentity) {
    std::mt19937 random(5);
    for (int draw = 0; draw < 40; ++draw) {
        const int ranks = 2 + static_cast<int>(random() % 23);
        std::vector<Rank> order = identity(ranks);
        std::shuffle(order.begin(), order.end(), random);
        std::string text;
        for (int i = 0; i < ranks; ++i)
            text += (i % 5 == 0 ? "(" : "") + std::to_string(order[static_cast<std::size_t>(i)]) +
                    (i % 5 == 4 || i + 1 == ranks ? ") " : " ");
        const Hierarchy hierarchy = parse_hierarchy(text);
        Graph graph(static_cast<std::size_t>(ranks));
        for (auto& edges : graph)
            for (unsigned e = random() % 4; e-- > 0;)
                edges.push_back({static_cast<int>(random() % static_cast<unsigned>(ranks)),
                                 1.0 + random() % 3});
        const auto placed = place(graph, hierarchy);
        EXPECT_TRUE(is_permutation_of_ranks(placed));
        EXPECT_TRUE(placement_cost(graph, hierarchy, {}, placed) <=
                    placement_cost(graph, hierarchy, {}, identity(ranks)));
        // The same on buses of five, some with an uplink.
        Levels levels(1, std::vector<int>(order.size()));
        std::vector<Medium> media;
        for (int i = 0; i < ranks; ++i)
            levels[0][static_cast<std::size_t>(order[static_cast<std::size_t>(i)])] = i / 5;
        for (int bus = 0; 5 * bus + 1 < ranks; ++bus)
            media.push_back({0, bus, random() % 3 ? Medium::Kind::bus : Medium::Kind::switched,
                             1e6 * static_cast<double>(1 + random() % 4),
                             1e5 * static_cast<double>(random() % 4)});
        const std::vector<std::string> names(order.size(), "host");
        const LinksBetween ways(assemble_network(names, levels, media, {}), identity(ranks));
        const auto relieved = place(graph, hierarchy, ways);
        EXPECT_TRUE(is_permutation_of_ranks(relieved));
        EXPECT_TRUE(placement_cost(graph, hierarchy, ways, relieved) <=
                    placement_cost(graph, hierarchy, ways, identity(ranks)));
    }
}

}  // namespace eco
