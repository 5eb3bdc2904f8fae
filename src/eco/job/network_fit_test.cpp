// SPDX-License-Identifier: BSD-3-Clause
#include "eco/job/network_fit.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace eco {

namespace {

bool differs(int as_measured, int faster, int slower) {
    return eco::differs(PairCounts{as_measured, faster, slower});
}

std::vector<int> a_host_each(int ranks) {
    std::vector<int> hosts(static_cast<std::size_t>(ranks));
    std::iota(hosts.begin(), hosts.end(), 0);
    return hosts;
}

}  // namespace

TEST(NetworkFit, OnlyWhatIsClearCounts) {
    EXPECT_EQ(fit_of(1.0e-3, 1e-3, 1), PairFit::as_measured);
    EXPECT_EQ(fit_of(0.7e-3, 1e-3, 1), PairFit::as_measured);
    EXPECT_EQ(fit_of(0.5e-3, 1e-3, 1), PairFit::faster);
    // A processor that others use delays it by milliseconds.
    EXPECT_EQ(fit_of(5e-3, 1e-3, 1), PairFit::as_measured);
    EXPECT_EQ(fit_of(40e-3, 1e-3, 1), PairFit::slower);
    EXPECT_EQ(fit_of(40e-3, 20e-3, 1), PairFit::as_measured);
    EXPECT_EQ(fit_of(1.35e-3, 2.67e-3, 8192), PairFit::as_measured) << "taken in by buffers";
    EXPECT_EQ(fit_of(1.5e-3, 14e-3, 8192), PairFit::faster);
    EXPECT_EQ(fit_of(36e-6, 70e-6, 1), PairFit::as_measured) << "measured by a slower MPI library";
}

TEST(NetworkFit, TrafficOfOthersIsNoOtherNetwork) {
    EXPECT_FALSE(differs(7, 0, 0));
    EXPECT_FALSE(differs(3, 0, 4)) << "one bus of three is full";
    EXPECT_TRUE(differs(0, 0, 7));
    EXPECT_FALSE(differs(4, 3, 0));
    EXPECT_TRUE(differs(3, 3, 0)) << "nothing makes half of them faster";
    EXPECT_TRUE(differs(1, 1, 3));
    EXPECT_FALSE(differs(0, 0, 0)) << "all ranks on one host";
    EXPECT_FALSE(differs(0, 0, 2)) << "three hosts, whose link others use";
    EXPECT_TRUE(differs(0, 1, 0));
}

TEST(NetworkFit, FewPairsOfEachGroupAreAsked) {
    const Hierarchy three = parse_hierarchy("(0 1 2) (3 4 5) (6 7)");
    const auto rounds = pairs_to_check(three.top, a_host_each(8));
    ASSERT_EQ(rounds.size(), 4U);
    using Pairs = std::vector<std::pair<Rank, Rank>>;
    EXPECT_EQ(rounds[0], (Pairs{{0, 3}}));
    EXPECT_EQ(rounds[1], (Pairs{{3, 6}}));
    EXPECT_EQ(rounds[2], (Pairs{{0, 1}, {3, 4}, {6, 7}}));
    EXPECT_EQ(rounds[3], (Pairs{{1, 2}, {4, 5}}));
    const Hierarchy one = flat_hierarchy(64);
    EXPECT_EQ(pairs_to_check(one.top, a_host_each(64)), (std::vector<Pairs>{{{0, 1}}, {{62, 63}}}));
}

TEST(NetworkFit, InsideAHostNobodyIsAsked) {
    const Hierarchy hosts = parse_hierarchy("[0 1] [2 3]");
    const auto rounds = pairs_to_check(hosts.top, {0, 0, 1, 1});
    ASSERT_EQ(rounds.size(), 1U);
    EXPECT_EQ(rounds.front().size(), 1U);
    EXPECT_TRUE(pairs_to_check(flat_hierarchy(4).top, {0, 0, 0, 0}).empty());
    EXPECT_TRUE(pairs_to_check(flat_hierarchy(1).top, {0}).empty());
}

// Else two ranks would each wait for the other.
TEST(NetworkFit, NoRankIsTwiceInARound) {
    for (const char* network :
         {"((0 1) (2 3)) ((4 5 6) (7))", "(0 3 6) (1 4 7) (2 5)", "(0 1) (2)"})
        for (const auto& round : pairs_to_check(parse_hierarchy(network).top, a_host_each(8))) {
            std::vector<Rank> ranks;
            for (const auto& [a, b] : round) ranks.insert(ranks.end(), {a, b});
            std::sort(ranks.begin(), ranks.end());
            EXPECT_EQ(std::adjacent_find(ranks.begin(), ranks.end()), ranks.end()) << network;
        }
}

}  // namespace eco
