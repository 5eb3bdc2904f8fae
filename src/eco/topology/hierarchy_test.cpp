// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "eco/topology/build_hierarchy.h"

namespace eco {

static Profile three_subnets() {
    Profile profile;
    for (int h = 0; h < 8; ++h) profile.hosts.push_back("n" + std::to_string(h));
    profile.levels = {{0, 0, 0, 1, 1, 1, 2, 2}};
    profile.ring = {0, 1, 2, 3, 4, 5, 6, 7};
    return profile;
}

TEST(Hierarchy, OneRankPerHostGivesTheSubnets) {
    const auto hierarchy = build_hierarchy(three_subnets(), {0, 1, 2, 3, 4, 5, 6, 7});
    EXPECT_EQ(describe(hierarchy.top), "(0 1 2) (3 4 5) (6 7)");
    EXPECT_TRUE(is_near(hierarchy));
}

TEST(Hierarchy, SeveralRanksOnAHostFormAGroup) {
    const auto hierarchy = build_hierarchy(three_subnets(), {0, 0, 1, 3, 3, 6});
    EXPECT_EQ(describe(hierarchy.top), "([0 1] 2) [3 4] 5");
}

TEST(Hierarchy, ScatteredRanksAreNamed) {
    const auto hierarchy = build_hierarchy(three_subnets(), {0, 3, 6, 1, 4, 7, 2, 5});
    EXPECT_EQ(describe(hierarchy.top), "(0 3 6) (1 4 7) (2 5)");
    EXPECT_FALSE(is_near(hierarchy));
    EXPECT_EQ(hierarchy.ring, (std::vector<Rank>{0, 3, 6, 1, 4, 7, 2, 5}));
}

// What was timed on all hosts is no time of these.
TEST(Hierarchy, APartOfTheHostsSaysHowManyAreInEachGroup) {
    Profile profile = three_subnets();
    const auto structure = [&](const std::vector<int>& host_of) {
        return build_hierarchy(profile, host_of).structure;
    };
    EXPECT_EQ(structure({7, 6, 5, 4, 3, 2, 1, 0, 0}), "");
    EXPECT_EQ(structure({0, 1, 2}), "3");
    EXPECT_EQ(structure({0, 0, 1, 3, 6, 7}), "1+2+2");
    EXPECT_EQ(structure({6, 3, 0, 7, 4}), "1+2+2");
    profile.levels.insert(profile.levels.begin(), {0, 0, 0, 0, 0, 0, 1, 1});
    EXPECT_EQ(structure({0, 1, 3, 6}), "(1+2)+1");
    profile.measured_hosts = 9;
    EXPECT_EQ(structure({0, 1, 2, 3, 4, 5, 6, 7}), "(3+3)+2");
}

TEST(Hierarchy, LevelsOfOneClusterAreSkipped) {
    Profile profile = three_subnets();
    profile.levels.insert(profile.levels.begin(), {0, 0, 0, 0, 0, 0, 1, 1});
    EXPECT_EQ(describe(build_hierarchy(profile, {0, 1, 3, 4}).top), "(0 1) (2 3)");
    EXPECT_EQ(describe(build_hierarchy(profile, {0, 3, 6, 7}).top), "(0 1) (2 3)");
    EXPECT_EQ(describe(build_hierarchy(profile, {5}).top), "0");
}

TEST(Hierarchy, BoundRanksNestInsideTheirHost) {
    const std::vector<int> host_of{0, 0, 0, 0, 0, 0, 3, 3};
    const auto text = [&](const std::vector<Binding>& bindings) {
        return describe(build_hierarchy(three_subnets(), host_of, bindings).top);
    };
    const Binding unbound;
    EXPECT_EQ(text({}), "[0 1 2 3 4 5] [6 7]");
    EXPECT_EQ(text(std::vector<Binding>(8)), "[0 1 2 3 4 5] [6 7]");
    // Package ids are of one host only; an unbound rank stands beside the packages.
    EXPECT_EQ(text({{0}, {8}, {0}, {8}, {0}, unbound, {0}, {0}}), "[(0 2 4) (1 3) 5] [6 7]");
    // One rank in each package: no level.
    EXPECT_EQ(text({{0}, {1}, {2}, {3}, {4}, {5}, {0}, {1}}), "[0 1 2 3 4 5] [6 7]");
    EXPECT_EQ(text({{0, 0, 0}, {0, 0, 2}, {0, 4, 4}, {0, 0, 0}, {0, 4}, {8, 8, 8}, {0}, {0}}),
              "[(((0 3) 1) (2 4)) 5] [6 7]");
    // Cache ids that agree in two packages are two caches; below what a rank has not it has none.
    EXPECT_EQ(text({{0, 0, 0}, {8, 0, 0}, {0, 0, 0}, {8, 0, 0}, {-1, 0, 0}, {-1, 0, 0}, {0}, {0}}),
              "[(0 2) (1 3) 4 5] [6 7]");
}

TEST(Hierarchy, AHostIsInnermostWithAllThatIsInsideIt) {
    const auto hierarchy = parse_hierarchy("([(0 2) (1 3)] 4) (5 6)");
    const auto group_of = [&](Rank rank) { return innermost(hierarchy.top, rank).ranks; };
    EXPECT_EQ(group_of(3), (std::vector<Rank>{0, 2, 1, 3}));
    EXPECT_EQ(group_of(4), (std::vector<Rank>{4}));
    EXPECT_EQ(group_of(5), (std::vector<Rank>{5, 6}));
    const auto one_host = parse_hierarchy("[(0 1) (2 3)]");
    EXPECT_EQ(innermost(one_host.top, 2).ranks.size(), 4U);
}

TEST(Hierarchy, TheRingFollowsTheLevelsInside) {
    const auto hierarchy =
        build_hierarchy(three_subnets(), {0, 0, 0, 0, 1}, {{0}, {1}, {0}, {1}, {}});
    EXPECT_EQ(hierarchy.ring, (std::vector<Rank>{0, 2, 1, 3, 4}));
}

TEST(Hierarchy, LevelsInsideDoNotScatterRanks) {
    const std::vector<Binding> alternating{{0}, {1}, {0}, {1}};
    EXPECT_TRUE(is_near(build_hierarchy(three_subnets(), {0, 0, 0, 0}, alternating)));
    EXPECT_TRUE(is_near(build_hierarchy(three_subnets(), {0, 0, 3, 3}, alternating)));
    EXPECT_FALSE(is_near(build_hierarchy(three_subnets(), {0, 3, 0, 3}, alternating)));
    EXPECT_FALSE(is_near(build_hierarchy(three_subnets(), {0, 1, 0, 1})));
}

TEST(Hierarchy, RanksPerHostAreThoseOfTheFullest) {
    EXPECT_EQ(ranks_per_host(parse_hierarchy("(0 1 2) (3 4)")), 1);
    EXPECT_EQ(ranks_per_host(parse_hierarchy("([0 1] 2) [(3 4) 5]")), 3);
    EXPECT_EQ(ranks_per_host(build_hierarchy(three_subnets(), {0, 0, 3, 3})), 2);
    EXPECT_EQ(ranks_per_host(build_hierarchy(three_subnets(), {0, 0, 0})), 3);
}

TEST(Hierarchy, InnermostGroupsSideBySide) {
    for (const auto& [text, found] : {std::pair("(((0 1) (2 3)) 4) (5 6)", "(0 1) (2 3) 4 (5 6)"),
                                      {"(0 1) (2 3)", "(0 1) (2 3)"},
                                      {"0 1 2", "0 1 2"},
                                      {"(([(0 2) (1 3)] 4)) 5", "[(0 2) (1 3)] 4 5"}}) {
        const Hierarchy hierarchy = parse_hierarchy(text);
        EXPECT_EQ(describe(without_levels(hierarchy).top), found);
        EXPECT_EQ(without_levels(hierarchy).top.ranks, hierarchy.top.ranks);
        EXPECT_EQ(has_levels(hierarchy), std::string(text) != found) << text;
    }
}

TEST(Hierarchy, TextFormReadsBack) {
    for (const char* text : {"0 1 2", "(0 1 2) (3 4 5) (6 7)", "((0 1) (2 3)) 4", "[(0 2) (1 3)]",
                             "([0 1] 2) [(3 4) 5]"})
        EXPECT_EQ(describe(parse_hierarchy(text).top), text);
    for (const char* text : {"(0 1", "[0 1", "(0 1]"}) EXPECT_ANY_THROW(parse_hierarchy(text));
}

}  // namespace eco
