// SPDX-License-Identifier: BSD-3-Clause
#include "eco/topology/processors.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace eco {

// Topologies by hwloc's synthetic descriptions; skipped where hwloc is not installed.
class Processors : public testing::Test {
protected:
    ~Processors() override { unsetenv("HWLOC_SYNTHETIC"); }
    Binding bound_to(const char* machine, const std::vector<int>& processors) {
        setenv("HWLOC_SYNTHETIC", machine, 1);
        return find_binding(processors);
    }
    void SetUp() override {
        if (bound_to("package:2 core:1 pu:1", {0}) == Binding{}) GTEST_SKIP() << "no hwloc";
    }
    // Two packages of two NUMA nodes, each with two caches of two cores.
    const char* const deep_ = "package:2 numa:2 l3:2 core:2 pu:1";
};

TEST_F(Processors, ABindingToACoreHasEveryLevel) {
    EXPECT_EQ(bound_to(deep_, {0}), (Binding{0, 0, 0}));
    EXPECT_EQ(bound_to(deep_, {3}), (Binding{0, 0, 2}));
    EXPECT_EQ(bound_to(deep_, {6}), (Binding{0, 4, 6}));
    EXPECT_EQ(bound_to(deep_, {15}), (Binding{8, 12, 14}));
}

TEST_F(Processors, ABindingThatSpansSeveralHasNone) {
    EXPECT_EQ(bound_to(deep_, {0, 1}), (Binding{0, 0, 0}));
    EXPECT_EQ(bound_to(deep_, {1, 2}), (Binding{0, 0, -1}));
    EXPECT_EQ(bound_to(deep_, {0, 4}), (Binding{0, -1, -1}));
    EXPECT_EQ(bound_to(deep_, {0, 8}), (Binding{-1, -1, -1}));
}

TEST_F(Processors, ACacheOfAllThatIsAroundItOrOfOneCoreIsNoLevel) {
    EXPECT_EQ(bound_to("package:2 l3:1 l2:2 core:1 pu:1", {0}), (Binding{0, 0, -1}));
    // The widest that is a part: two of the four L2 share an L3.
    EXPECT_EQ(bound_to("package:2 l3:2 l2:2 core:2 pu:1", {3}).cache, 0);
    EXPECT_EQ(bound_to("package:2 l3:2 l2:2 core:2 pu:1", {5}).cache, 4);
}

TEST_F(Processors, OnesThatAreNotInTheTopologyDoNotCount) {
    EXPECT_EQ(bound_to(deep_, {3, 99}), (Binding{0, 0, 2}));
    EXPECT_EQ(bound_to(deep_, {99}), Binding{});
    EXPECT_EQ(bound_to(deep_, {}), Binding{});
}

TEST_F(Processors, OfThisProcess) {
    EXPECT_FALSE(allowed_processors().empty());
    EXPECT_TRUE(may_be_bound());  // HWLOC_SYNTHETIC is set
}

}  // namespace eco
