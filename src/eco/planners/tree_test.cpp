// SPDX-License-Identifier: BSD-3-Clause
#include "eco/planners/tree.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "eco/base/error.h"
#include "eco/planners/local_tree.h"
#include "eco/topology/partition.h"

namespace eco {

TEST(Tree, RootOnTopAndGroupsAsVertices) {
    const auto hierarchy = parse_hierarchy("(0 1 2) (3 4 5) (6 7)");
    const Tree tree = build_tree(hierarchy, 4, {Shape::star}, {Shape::star});
    EXPECT_EQ(tree.parent, (std::vector<Rank>{4, 0, 0, 4, -1, 4, 4, 6}));
    // Far children first.
    EXPECT_EQ(tree.children[4], (std::vector<Rank>{6, 0, 5, 3}));
}

// On buses each crossing counts. From a bus of three a message goes by the bus of two to the other;
// from the bus of two directly to both: three crossings of the busiest bus either way.
TEST(Tree, BalancedSparesTheBusiestBus) {
    EXPECT_EQ(parents({Shape::balanced}, {{3}, {3}, {2}}), (std::vector<int>{-1, 2, 0}));
    EXPECT_EQ(parents({Shape::balanced}, {{2}, {3}, {3}}), (std::vector<int>{-1, 0, 0}));
}

// A switch ten times as fast as the buses takes the message and gives it to all of them.
TEST(Tree, BalancedGoesByWayOfWhatIsFast) {
    EXPECT_EQ(parents({Shape::balanced}, {{4}, {2}, {5}, {2, 0.1, false}}),
              (std::vector<int>{-1, 3, 3, 0}));
}

// From a rank on a bus each wider group would be sent to over this bus. Without the levels the
// switch takes the message and gives it to all.
TEST(Tree, WithoutLevelsOneCrossingLeavesASlowGroup) {
    Hierarchy hierarchy = parse_hierarchy("(((0 1 2) (3 4)) (5 6)) (7 8)");
    Group& near = hierarchy.top.parts[0].parts[0];
    near.parts[1].crossing = 0.1;
    near.parts[1].shared = false;
    const auto sent_from_the_bus = [](const Tree& tree) {
        return std::count_if(tree.children[0].begin(), tree.children[0].end(),
                             [](Rank child) { return child > 2; });
    };
    const Form balanced{Shape::balanced};
    EXPECT_EQ(sent_from_the_bus(build_tree(hierarchy, 0, balanced, {})), 3);
    EXPECT_EQ(sent_from_the_bus(build_tree(without_levels(hierarchy), 0, balanced, {})), 1);
}

TEST(Tree, Forms) {
    const std::vector<Weight> ones(7);
    EXPECT_EQ(parents({Shape::star}, ones), (std::vector<int>{-1, 0, 0, 0, 0, 0, 0}));
    EXPECT_EQ(parents({Shape::kary, 2}, ones), (std::vector<int>{-1, 0, 0, 1, 1, 2, 2}));
    EXPECT_EQ(parents({Shape::chain}, ones), (std::vector<int>{-1, 0, 1, 2, 3, 4, 5}));
    EXPECT_EQ(parents({Shape::binomial}, ones), (std::vector<int>{-1, 0, 0, 2, 0, 4, 4}));
    // Sent at 0, 1, 2 … they arrive two units later and send on from then: 2, 3, 4 and 4 …
    EXPECT_EQ(parents({Shape::postal, 2}, ones), (std::vector<int>{-1, 0, 0, 0, 1, 0, 1}));
    EXPECT_EQ(parents({Shape::postal, 1}, ones), (std::vector<int>{-1, 0, 0, 1, 0, 1, 2}));
    EXPECT_EQ(parents({Shape::relay}, ones), (std::vector<int>{-1, 0, 1, 1, 1, 1, 1}));
    for (const char* text :
         {"star", "chain", "binomial", "balanced", "k2", "k13", "postal2", "relay", "disjoint"})
        EXPECT_EQ(to_text(parse_form(text)), text);
    for (const char* text : {"", "k", "k0", "kx", "tree", "k99999", "postal", "postal0", "postalx"})
        EXPECT_THROW(parse_form(text), Error) << text;
}

static int depth(const Tree& tree, Rank rank) {
    int steps = 0;
    for (; rank != tree.root; rank = tree.parent[static_cast<std::size_t>(rank)]) ++steps;
    return steps;
}

// Over as many segments as there are trees every rank sends at most so many messages, and gets each
// segment from another rank; but one of a pair gets all from the other.
TEST(Tree, DisjointTreesShareTheWorkEvenly) {
    for (int ranks = 2; ranks < 70; ++ranks) {
        const Hierarchy hierarchy = flat_hierarchy(ranks);
        const int count = distinct_trees(hierarchy.top, {}, {Shape::disjoint});
        const int vertices = 1 << count, paired = ranks - vertices;
        EXPECT_EQ(count, static_cast<int>(std::log2(ranks)));
        for (const Rank root : {0, ranks / 2}) {
            std::vector<int> sent(static_cast<std::size_t>(ranks), 0);
            std::set<std::pair<Rank, Rank>> edges;
            for (int chunk = 0; chunk < count; ++chunk) {
                const Tree tree =
                    build_tree(hierarchy, root, {}, {Shape::disjoint}, {0, 1, true, chunk});
                EXPECT_EQ(tree.subtree(root).size(), static_cast<std::size_t>(ranks));
                for (Rank rank = 0; rank < ranks; ++rank) {
                    EXPECT_LE(depth(tree, rank), (count + 1) * (paired > 0 ? 2 : 1));
                    if (rank == root) continue;
                    const Rank above = tree.parent[static_cast<std::size_t>(rank)];
                    ++sent[static_cast<std::size_t>(above)];
                    edges.emplace(above, rank);
                }
            }
            EXPECT_EQ(*std::max_element(sent.begin(), sent.end()), count) << ranks;
            EXPECT_EQ(sent[static_cast<std::size_t>(root)], count) << ranks;
            EXPECT_EQ(static_cast<int>(edges.size()), count * (vertices - 1) + paired) << ranks;
        }
    }
    EXPECT_EQ(distinct_trees(flat_hierarchy(8).top, {}, {Shape::chain}), 1);
    EXPECT_EQ(
        distinct_trees(parse_hierarchy("(0 1 2 3 4 5 6 7) (8 9 10 11)").top, {}, {Shape::disjoint}),
        6);
}

TEST(Tree, EachTurnAnotherLeader) {
    const auto hierarchy = parse_hierarchy("(0 1 2 3) (4 5 6 7)");
    for (int turn = 0; turn < 2; ++turn)
        EXPECT_EQ(build_tree(hierarchy, 1, {}, {}, {turn, 2}).children[1].front(), 4 + 2 * turn);
    EXPECT_EQ(build_tree(hierarchy, 1, {}, {}, {6, 9}).children[1].front(), 6);
    const auto three = parse_hierarchy("(0 1) (2 3) (4 5)");
    EXPECT_EQ(build_tree(three, 0, {Shape::relay}, {}, {0, 2}).parent[4], 2);
    EXPECT_EQ(build_tree(three, 0, {Shape::relay}, {}, {1, 2}).parent[3], 5);
}

TEST(Tree, SubtreesPartitionTheRanks) {
    const auto hierarchy = parse_hierarchy("((0 5) (2 3)) (1 (4 6))");
    const Tree tree = build_tree(hierarchy, 3, {Shape::star}, {Shape::kary, 2});
    EXPECT_EQ(tree.subtree(3).size(), 7U);
    EXPECT_EQ(tree.subtree(1).size(), 3U);
}

// Table 1: two hosts on each of three subnets. Fig. 1 is not in the text; with 1 inside a subnet
// and 3 between, subnets {f,a}, {b,c}, {d,e}, and hosts that each send one message after the other,
// in alphabetical order, the four printed times come out.
class TableOne : public testing::Test {
protected:
    static int subnet(int host) { return (host + 1) % 6 / 2; }
    static int cost(int a, int b) { return subnet(a) == subnet(b) ? 1 : 3; }
    static int completion(const std::vector<std::vector<int>>& children, int root) {
        int sending = 0, latest = 0;
        for (const int child : children[static_cast<std::size_t>(root)]) {
            sending += cost(root, child);
            latest = std::max(latest, sending + completion(children, child));
        }
        return std::max(latest, sending);
    }
    // Host numbers 1 to 6 in this order; the children of i are 2i and 2i + 1.
    static int binary(const std::vector<int>& order) {
        std::vector<std::vector<int>> children(6);
        for (std::size_t i = 1; i <= 6; ++i)
            for (const std::size_t child : {2 * i, 2 * i + 1})
                if (child <= 6)
                    children[static_cast<std::size_t>(order[i - 1])].push_back(order[child - 1]);
        return completion(children, order[0]);
    }
    // ab, ae, af, bc, de.
    static std::vector<std::vector<int>> spanning_tree(int root) {
        const std::vector<std::vector<int>> neighbours{{1, 4, 5}, {0, 2}, {1}, {4}, {0, 3}, {0}};
        std::vector<std::vector<int>> children(6);
        std::vector<bool> seen(6, false);
        std::vector<int> open{root};
        seen[static_cast<std::size_t>(root)] = true;
        for (std::size_t i = 0; i < open.size(); ++i)
            for (const int next : neighbours[static_cast<std::size_t>(open[i])])
                if (!seen[static_cast<std::size_t>(next)]) {
                    seen[static_cast<std::size_t>(next)] = true;
                    children[static_cast<std::size_t>(open[i])].push_back(next);
                    open.push_back(next);
                }
        return children;
    }
};

TEST_F(TableOne, PrintedTimes) {
    EXPECT_EQ(completion(spanning_tree(0), 0), 7);
    EXPECT_EQ(binary({0, 1, 2, 3, 4, 5}), 9);
    EXPECT_EQ(completion(spanning_tree(3), 3), 8);
    EXPECT_EQ(binary({3, 4, 5, 0, 1, 2}), 7);
}

TEST_F(TableOne, OurTreeIsAsGoodFromEitherHost) {
    Matrix costs(6);
    for (int a = 0; a < 6; ++a)
        for (int b = a + 1; b < 6; ++b) costs.set(a, b, cost(a, b));
    EXPECT_EQ(partition(costs), (std::vector<int>{0, 1, 1, 2, 2, 0}));
    const auto hierarchy = parse_hierarchy("(5 0) (1 2) (3 4)");
    for (const Rank root : {0, 3}) {
        const Tree tree = build_tree(hierarchy, root, {Shape::star}, {Shape::star});
        EXPECT_EQ(completion(tree.children, root), 7);
    }
}

TEST(Tree, OfOneRankIsWhatItSeesOfTheWhole) {
    for (const char* text : {"(0 1 2) (3 4 5) (6 7)", "((0 1) (2 3)) ((4 5 6) 7)", "[0 1] [2 3] 4",
                             "((0 1) (9 2)) ((4 3 6) 7 5) 8 (10 11 12 13 14 15 16 17 18)"}) {
        const Hierarchy hierarchy = parse_hierarchy(text);
        const int ranks = hierarchy.ranks();
        for (Rank me = 0; me < ranks; ++me)
            for (const char* top : {"star", "balanced", "chain", "disjoint", "relay"})
                for (const char* inner : {"binomial", "k2", "disjoint"})
                    for (const auto& below : {std::vector<Form>{}, {{Shape::chain}}}) {
                        LocalTree one(hierarchy.top, ranks, me, parse_form(top), parse_form(inner),
                                      below);
                        for (Rank root = 0; root < ranks; ++root) {
                            const LeaderRotation rotation{root % 3, 3, root % 2 == 0, root};
                            const Tree tree = build_tree(hierarchy, root, parse_form(top),
                                                         parse_form(inner), rotation, below);
                            one.find(root, rotation);
                            const auto place = static_cast<std::size_t>(me);
                            EXPECT_EQ(one.parent(), tree.parent[place]) << text << top << inner;
                            EXPECT_EQ(one.children(), tree.children[place]) << text << top << inner;
                        }
                    }
    }
}

}  // namespace eco
