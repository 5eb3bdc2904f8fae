// SPDX-License-Identifier: BSD-3-Clause
#include "eco/selection/straight.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "eco/selection/candidates.h"

namespace eco {

namespace {

// A link of 1 MB/s, and 10 ms on the way.
Hierarchy sites(const std::string& groups) {
    Hierarchy hierarchy = parse_hierarchy(groups);
    hierarchy.top.inter_cluster_cost = {-1, 0, {0, 1e-6}, {0.01, 1e-6}};
    return hierarchy;
}

std::vector<int> shares(const std::string& groups, Operation operation, Bytes bytes) {
    const Hierarchy hierarchy = sites(groups);
    return straight_shares({operation, &hierarchy}, bytes);
}

using Shares = std::vector<int>;

// While a segment takes 10 ms to be forwarded, 10,000 bytes cross the link: 5,000 for each other.
TEST(Straight, IsTheShareOfAMessageThatComesTooLateToBeForwarded) {
    EXPECT_EQ(shares("(0 1) (2 3) (4 5)", Operation::bcast, 20000), Shares{25});
    EXPECT_EQ(shares("(0 1) (2 3) (4 5)", Operation::reduce, 20000), Shares{25});
    EXPECT_EQ(shares("(0 1) (2 3) (4 5)", Operation::allreduce, 20000), Shares{25});
    EXPECT_EQ(shares("(0 1) (2 3) (4 5) (6 7)", Operation::bcast, 20000), Shares{17});
    EXPECT_EQ(shares("(0 1) (2 3) (4 5)", Operation::bcast, 5000), Shares{});
    EXPECT_EQ(shares("(0 1) (2 3)", Operation::bcast, 20000), Shares{});
    const Hierarchy unknown = parse_hierarchy("(0 1) (2 3) (4 5)");
    EXPECT_EQ(straight_shares({Operation::bcast, &unknown}, 20000), Shares{});
}

// The last group gets seven blocks, whatever the way. The first may not send its five twice, but it
// may send two more; equal groups may send all of theirs to each other.
TEST(Straight, IsTheShareOfBlocksForWhichLinksHaveRoom) {
    const char* const unequal = "(0 1 2 3 4) (5 6) (7)";
    EXPECT_EQ(shares(unequal, Operation::allgather, 1000), (Shares{38, 63}));
    EXPECT_EQ(shares(unequal, Operation::reduce_scatter, 1000), (Shares{38, 63}));
    EXPECT_EQ(shares("(0 1) (2 3) (4 5)", Operation::allgather, 1000), Shares{});
}

bool offered(const std::string& groups, Operation operation, Bytes bytes, int share) {
    const Hierarchy hierarchy = sites(groups);
    const auto list = candidates({operation, &hierarchy, 0, true}, bytes);
    return std::any_of(list.begin(), list.end(),
                       [&](const Choice& choice) { return choice.straight() == share; });
}

TEST(Straight, IsACandidateForWhatIsLongEnough) {
    EXPECT_TRUE(offered("(0 1) (2 3) (4 5)", Operation::bcast, 20000, 25));
    EXPECT_TRUE(offered("(0 1) (2 3) (4 5)", Operation::reduce, 20000, 25));
    EXPECT_TRUE(offered("(0 1) (2 3) (4 5)", Operation::allreduce, 20000, 25));
    EXPECT_TRUE(offered("(0 1 2 3 4) (5 6) (7)", Operation::allgather, 16000, 38));
    EXPECT_TRUE(offered("(0 1 2 3 4) (5 6) (7)", Operation::reduce_scatter, 1 << 20, 63));
}

}  // namespace

}  // namespace eco
