// SPDX-License-Identifier: BSD-3-Clause
#include "eco/topology/clusters.h"

#include <gtest/gtest.h>

namespace eco {

// Karonis, Figs. 1 and 2: 16 processes on an SP of 4-way nodes at one site; 8 on an Origin and 8 on
// another SP at a second site.
class Figure2 : public testing::Test {
protected:
    Figure2() {
        std::vector<int> sites, machines;
        const auto add = [&](int hosts, int processes, int site, int machine) {
            for (int h = 0; h < hosts; ++h) {
                const int host = static_cast<int>(profile_.hosts.size());
                profile_.hosts.push_back("h" + std::to_string(host));
                profile_.ring.push_back(host);
                sites.push_back(site);
                machines.push_back(machine);
                for (int p = 0; p < processes; ++p) host_of_.push_back(host);
            }
        };
        add(4, 4, 0, 0);
        add(1, 8, 1, 1);
        add(8, 1, 1, 2);
        profile_.levels = {sites, machines};
    }
    Profile profile_;
    std::vector<int> host_of_;
};

TEST_F(Figure2, DepthsAndClusterIds) {
    const Clusters clusters = find_clusters(profile_, host_of_);
    ASSERT_EQ(clusters.size(), 32U);
    for (int rank = 0; rank < 32; ++rank) {
        const auto& ids = clusters[static_cast<std::size_t>(rank)];
        EXPECT_EQ(ids.size(), rank < 16 ? 4U : 3U) << rank;
        EXPECT_EQ(ids[0], rank < 16 ? 0 : 1) << rank;
        EXPECT_EQ(ids[1], rank < 16 ? 0 : rank < 24 ? 1 : 2) << rank;
        if (rank < 16) {
            EXPECT_EQ(ids[2], rank / 4) << rank;
        }
    }
}

TEST_F(Figure2, APartOfTheRanks) {
    // One rank of each node: the node does not divide what it is in.
    const Clusters clusters = find_clusters(profile_, {0, 1, 4, 5});
    for (const auto& ids : clusters) EXPECT_LE(ids.size(), 3U);
    EXPECT_EQ(clusters[3], (std::vector<int>{1, 2}));
}

// Inside a host the levels are those of its ranks' bindings, as deep as each rank has them.
TEST_F(Figure2, LevelsInsideHosts) {
    const std::vector<int> hosts{0, 0, 0, 0, 0, 4, 4, 5};
    const std::vector<Binding> bindings{{0, 0, 0}, {8, 8}, {0, 0, 2}, {0, 4}, {}, {0}, {8}, {}};
    EXPECT_EQ(find_clusters(profile_, hosts, bindings), (Clusters{{0, 0, 0, 0, 0},
                                                                  {0, 0, 1},
                                                                  {0, 0, 0, 0, 1},
                                                                  {0, 0, 0, 1},
                                                                  {0, 0, 2},
                                                                  {1, 1, 3},
                                                                  {1, 1, 4},
                                                                  {1, 2}}));
}

// Two ranks agree on an id of a level only if they are in one cluster of every wider one.
TEST_F(Figure2, IdsOfALevelAreOfOneClusterEach) {
    for (const auto& hosts : {std::vector<int>{0, 0, 0, 4, 4, 5, 5, 6}, host_of_}) {
        const Clusters clusters = find_clusters(profile_, hosts);
        for (const auto& a : clusters)
            for (const auto& b : clusters)
                for (std::size_t l = 1; l < std::min(a.size(), b.size()); ++l)
                    if (a[l] == b[l]) {
                        EXPECT_EQ(a[l - 1], b[l - 1]);
                    }
    }
}

}  // namespace eco
