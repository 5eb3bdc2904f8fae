#include "eco/plan/tree.h"

#include <gtest/gtest.h>

#include "eco/base/error.h"

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
    EXPECT_EQ(parents({Shape::balanced}, {3, 3, 2}), (std::vector<int>{-1, 2, 0}));
    EXPECT_EQ(parents({Shape::balanced}, {2, 3, 3}), (std::vector<int>{-1, 0, 0}));
}

TEST(Tree, Forms) {
    const std::vector<int> ones(7, 1);
    EXPECT_EQ(parents({Shape::star}, ones), (std::vector<int>{-1, 0, 0, 0, 0, 0, 0}));
    EXPECT_EQ(parents({Shape::kary, 2}, ones), (std::vector<int>{-1, 0, 0, 1, 1, 2, 2}));
    EXPECT_EQ(parents({Shape::chain}, ones), (std::vector<int>{-1, 0, 1, 2, 3, 4, 5}));
    EXPECT_EQ(parents({Shape::binomial}, ones), (std::vector<int>{-1, 0, 0, 2, 0, 4, 4}));
    for (const char* text : {"star", "chain", "binomial", "balanced", "k2", "k13"})
        EXPECT_EQ(to_text(parse_form(text)), text);
    for (const char* text : {"", "k", "k0", "kx", "tree", "k99999"})
        EXPECT_THROW(parse_form(text), Error) << text;
}

TEST(Tree, SubtreesPartitionTheRanks) {
    const auto hierarchy = parse_hierarchy("((0 5) (2 3)) (1 (4 6))");
    const Tree tree = build_tree(hierarchy, 3, {Shape::star}, {Shape::kary, 2});
    EXPECT_EQ(tree.subtree(3).size(), 7U);
    EXPECT_EQ(tree.subtree(1).size(), 3U);
}

}  // namespace eco
