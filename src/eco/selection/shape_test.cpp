// SPDX-License-Identifier: BSD-3-Clause
#include "eco/selection/shape.h"

#include <gtest/gtest.h>

#include "eco/planners/choice_text.h"
#include "eco/schedule/verify.h"

namespace eco {

namespace {

// Sites 10 ms and 1 MB/s apart, machines of a site 0.1 ms and 100 MB/s, ranks of a machine less.
const InterClusterCost between_sites{-1, 0, {1e-5, 1e-6}, {10e-3, 1e-6}};
const InterClusterCost between_machines{0, 0, {1e-5, 1e-8}, {1e-4, 1e-8}};
const InterClusterCost between_hosts{1, 0, {1e-5, 1e-8}, {2e-5, 1e-8}};

void set_inter_cluster_costs(Group& group, const std::vector<InterClusterCost>& by_depth,
                             std::size_t depth = 0) {
    if (group.is_rank()) return;
    group.inter_cluster_cost = by_depth[std::min(depth, by_depth.size() - 1)];
    for (Group& part : group.parts) set_inter_cluster_costs(part, by_depth, depth + 1);
}

// So many sites of as many machines of as many hosts.
Hierarchy grid(int sites, int machines, int hosts) {
    std::string text;
    int rank = 0;
    for (int site = 0; site < sites; ++site) {
        text += "(";
        for (int machine = 0; machine < machines; ++machine) {
            text += "(";
            for (int host = 0; host < hosts; ++host) text += std::to_string(rank++) + " ";
            text += ")";
        }
        text += ")";
    }
    Hierarchy hierarchy = parse_hierarchy(text);
    set_inter_cluster_costs(hierarchy.top, {between_sites, between_machines, between_hosts});
    return hierarchy;
}

std::string shape_of(Operation operation, const Hierarchy& hierarchy, Bytes bytes) {
    const Request request{operation, &hierarchy, 0, true};
    const auto choice = shaped(request, bytes);
    if (!choice) return "none";
    EXPECT_EQ(verify(request, [&](Rank me) { return plan(*choice, request, me); }), "");
    return to_text(*choice);
}

}  // namespace

TEST(Shape, TimesByHand) {
    // Sent at 0, 1, 2; the last arrives 10 after it was sent.
    EXPECT_DOUBLE_EQ(time_along({Shape::star}, 4, 1, 1, 10), 12);
    EXPECT_DOUBLE_EQ(time_along({Shape::star}, 4, 3, 1, 10), 12 + 2 * 3);
    EXPECT_DOUBLE_EQ(time_along({Shape::chain}, 4, 1, 1, 10), 30);
    EXPECT_DOUBLE_EQ(time_along({Shape::chain}, 4, 3, 1, 10), 32);
    // The root sends to 4, 2, 1; 4 to 6 and 5; 6 to 7.
    EXPECT_DOUBLE_EQ(time_along({Shape::binomial}, 8, 1, 1, 1), 3);
    // On a bus the messages of all parts follow each other.
    EXPECT_DOUBLE_EQ(time_along({Shape::binomial}, 8, 2, 1, 1, true), 7 + 7);
    EXPECT_DOUBLE_EQ(time_along({Shape::star}, 8, 2, 1, 1, true), 7 + 7);
    EXPECT_DOUBLE_EQ(time_along({Shape::star}, 1, 5, 1, 1), 0);
}

TEST(Shape, FlatWhereLatencyDominates) {
    const Hierarchy hierarchy = grid(4, 1, 1);
    Hierarchy sites = hierarchy;
    set_inter_cluster_costs(sites.top, {between_sites});
    EXPECT_EQ(shape_of(Operation::bcast, sites, 16), "tree:top=star,inner=star,segments=1");
}

TEST(Shape, EachLevelItsOwn) {
    // Between 8 machines 11 messages are sent before the first has arrived, between 8 hosts 2.
    EXPECT_EQ(shape_of(Operation::bcast, grid(3, 8, 8), 16),
              "tree:top=star,inner=postal2,segments=1");
    // Between 32 machines the first to get it help.
    EXPECT_EQ(shape_of(Operation::bcast, grid(3, 32, 2), 16),
              "tree:top=star/postal10,inner=star,segments=1");
}

TEST(Shape, ChainsWithSegmentsForLongMessages) {
    const auto text = shape_of(Operation::bcast, grid(4, 1, 8), 1 << 20);
    EXPECT_EQ(text.substr(0, 26), "tree:top=chain,inner=chain") << text;
    EXPECT_NE(text.find("segments="), std::string::npos);
}

TEST(Shape, AnExchangeForAllreduceAndBarrier) {
    EXPECT_EQ(shape_of(Operation::allreduce, grid(3, 2, 8), 16), "exchange:inner=postal2");
    EXPECT_EQ(shape_of(Operation::barrier, grid(3, 2, 3), 0), "exchange:inner=star");
}

TEST(Shape, BalancedBetweenBuses) {
    Hierarchy hierarchy = parse_hierarchy("(0 1 2) (3 4 5) (6 7)");
    set_inter_cluster_costs(hierarchy.top, {between_sites, between_hosts});
    for (Group& part : hierarchy.top.parts) part.medium_known = true;
    EXPECT_EQ(shape_of(Operation::bcast, hierarchy, 16), "tree:top=balanced,inner=star,segments=1");
}

TEST(Shape, NoneWhereNothingIsKnown) {
    const Hierarchy unknown = parse_hierarchy("(0 1 2) (3 4 5)");
    EXPECT_EQ(shape_of(Operation::bcast, unknown, 16), "none");
    EXPECT_EQ(shape_of(Operation::scatter, grid(3, 2, 2), 16), "none");
}

}  // namespace eco
