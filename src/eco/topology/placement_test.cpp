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
    EXPECT_EQ(placement_cost(ring, hierarchy, identity(8)), 80);
    EXPECT_EQ(placement_cost(ring, hierarchy, place(ring, hierarchy)), 2 * 10 + 6);
}

// A 4×4 mesh on four subnets of four: tiles of 2×2 have 8 edges between them, rows have 12.
TEST(Placement, AMeshInTiles) {
    const Hierarchy hierarchy = parse_hierarchy("(0 1 2 3) (4 5 6 7) (8 9 10 11) (12 13 14 15)");
    const Graph mesh = grid_graph({4, 4}, {false, false}, 16);
    EXPECT_EQ(placement_cost(mesh, hierarchy, identity(16)), 12 * 10 + 12);
    EXPECT_EQ(placement_cost(mesh, hierarchy, place(mesh, hierarchy)), 8 * 10 + 16);
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
        EXPECT_LE(placement_cost(graph, hierarchy, placed),
                  placement_cost(graph, hierarchy, identity(ranks)));
    }
}

}  // namespace eco
