// SPDX-License-Identifier: BSD-3-Clause
#include "eco/topology/find_inter_cluster_costs.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "eco/topology/build_hierarchy.h"
#include "eco/topology/profile.h"
#include "eco/topology/runtime.h"

namespace eco {

namespace {

// Two sites of 2 and 3 hosts, 10 ms and 1 MB/s apart, 0.1 ms and 10 MB/s inside.
Profile two_sites() {
    Profile profile;
    profile.hosts = {"a", "b", "c", "d", "e"};
    profile.levels = {{0, 0, 1, 1, 1}};
    profile.ring = {0, 1, 2, 3, 4};
    Model& model = profile.model.emplace();
    model.send.assign(5, {1e-5, 1e-10});
    model.receive.assign(5, {2e-5, 0});
    model.fixed.assign(5, std::vector<double>(5, 10e-3));
    model.per_byte.assign(5, std::vector<double>(5, 1e-6));
    for (std::size_t a = 0; a < 5; ++a)
        for (std::size_t b = 0; b < 5; ++b)
            if (profile.levels[0][a] == profile.levels[0][b]) {
                model.fixed[a][b] = a == b ? 0 : 1e-4;
                model.per_byte[a][b] = a == b ? 0 : 1e-7;
            }
    return profile;
}

}  // namespace

TEST(InterClusterCost, OneForEachClusterOfSeveralParts) {
    const auto inter_cluster_costs = find_inter_cluster_costs(two_sites());
    ASSERT_EQ(inter_cluster_costs.size(), 3U);
    EXPECT_EQ(inter_cluster_costs[0].level, -1);
    EXPECT_EQ(inter_cluster_costs[0].busy, (Cost{1e-5, 1e-6}));
    EXPECT_DOUBLE_EQ(inter_cluster_costs[0].whole.fixed, 10.03e-3);
    EXPECT_EQ(inter_cluster_costs[2].level, 0);
    EXPECT_EQ(inter_cluster_costs[2].cluster, 1);
    EXPECT_DOUBLE_EQ(inter_cluster_costs[2].whole.fixed, 0.13e-3);
    EXPECT_DOUBLE_EQ(inter_cluster_costs[2].whole.per_byte, 1.001e-7);
}

TEST(InterClusterCost, IsWhatTheRuntimePartTells) {
    const Profile profile = two_sites();
    const Profile runtime = parse_runtime(runtime_json(profile));
    const auto is = find_inter_cluster_costs(runtime), was = find_inter_cluster_costs(profile);
    ASSERT_EQ(is.size(), was.size());
    for (std::size_t i = 0; i < is.size(); ++i) {
        EXPECT_EQ(std::pair(is[i].level, is[i].cluster), std::pair(was[i].level, was[i].cluster));
        // In single precision.
        EXPECT_NEAR(is[i].whole.fixed, was[i].whole.fixed, 1e-6 * was[i].whole.fixed);
        EXPECT_NEAR(is[i].busy.per_byte, was[i].busy.per_byte, 1e-6 * was[i].busy.per_byte);
    }
    // Ranks of the second site and one of the first.
    const Hierarchy hierarchy = build_hierarchy(runtime, {0, 2, 3, 4});
    ASSERT_TRUE(hierarchy.top.inter_cluster_cost);
    EXPECT_EQ(hierarchy.top.inter_cluster_cost->level, -1);
    EXPECT_EQ(hierarchy.top.parts[1].inter_cluster_cost->level, 0);
    EXPECT_FALSE(hierarchy.top.parts[0].inter_cluster_cost);
    EXPECT_EQ(build_hierarchy(runtime, {2, 3}).top.inter_cluster_cost->cluster, 1);
}

TEST(InterClusterCost, NoneWhereNothingWasMeasured) {
    Profile profile = two_sites();
    profile.model.reset();
    EXPECT_TRUE(find_inter_cluster_costs(profile).empty());
    EXPECT_FALSE(build_hierarchy(profile, {0, 1, 2}).top.inter_cluster_cost);
}

}  // namespace eco
