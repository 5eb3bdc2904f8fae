// SPDX-License-Identifier: BSD-3-Clause
#include "eco/survey/shared_clusters.h"

#include <gtest/gtest.h>

namespace eco {

namespace {

// A pod of two racks, and a rack beside it.
SharedClusters pod_and_rack() {
    return {
        {{0, 1, 2, 3}, 2, 2, -1}, {{0, 1}, 1.5, 1.5, 0}, {{2, 3}, 1.5, 1.5, 0}, {{4, 5}, 1, 1, -1}};
}

const std::vector<int> all_hosts{0, 1, 2, 3, 4, 5};

}  // namespace

TEST(SharedClusters, HaveParts) {
    const auto clusters = pod_and_rack();
    EXPECT_EQ(parts_of(clusters, 0), (std::vector<int>{1, 2}));
    EXPECT_EQ(parts_of(clusters, -1), (std::vector<int>{0, 3}));
    EXPECT_EQ(finest(clusters, all_hosts), (std::vector<int>{0, 0, 1, 1, 2, 2}));
}

TEST(SharedClusters, WithoutRatesAreTheirParts) {
    auto clusters = pod_and_rack();
    EXPECT_EQ(without_whole_ones(clusters).size(), 4U);
    clusters[0].out = clusters[0].in = 0;
    const auto found = without_whole_ones(clusters);
    ASSERT_EQ(found.size(), 3U);
    EXPECT_EQ(found[0].hosts, (std::vector<int>{0, 1}));
    EXPECT_EQ(found[0].wider, -1);
}

// As a chain of four switches has them: hosts 2 to 5 are in no cluster without parts.
TEST(SharedClusters, AreFilledByAllOfTheirHosts) {
    const SharedClusters chain{
        {{0, 1, 2, 3}, 1, 1, -1}, {{4, 5, 6, 7}, 1, 1, -1}, {{0, 1}, 1, 1, 0}, {{6, 7}, 1, 1, 1}};
    const std::vector<int> hosts{0, 1, 2, 3, 4, 5, 6, 7};
    std::mt19937 random(1);
    for (const bool out : {true, false}) {
        const auto streams = streams_of_whole(chain, 0, hosts, out, random);
        EXPECT_EQ(streams.size(), 4U);
        for (const StreamRate& each : streams) EXPECT_EQ(each.from < 4, out);
        EXPECT_EQ(streams_of_part(chain, 2, hosts, out, random).size(), 2U);
    }
    // Nothing beside it in the wider one: all of its streams leave that.
    const SharedClusters same{{{0, 1, 2, 3}, 1, 1, -1}, {{0, 1, 2, 3}, 1, 1, 0}};
    EXPECT_EQ(streams_of_part(same, 1, hosts, true, random).size(), 4U);
}

TEST(SharedClusters, StayWhereTheyStillAreSomeParts) {
    const auto found =
        with_parts(pod_and_rack(), {{{0, 1, 2}, 1, 1, -1}, {{3}, 0, 0, -1}, {{4, 5}, 1, 1, -1}});
    ASSERT_EQ(found.size(), 4U);
    EXPECT_EQ(parts_of(found, 0), (std::vector<int>{1, 2}));
    // A host of the pod is in the other rack now.
    EXPECT_EQ(with_parts(pod_and_rack(), {{{0, 1, 2}, 1, 1, -1}, {{3, 4, 5}, 1, 1, -1}}).size(),
              2U);
}

}  // namespace eco
