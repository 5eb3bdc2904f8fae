// SPDX-License-Identifier: BSD-3-Clause
#include "eco/topology/host_names.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>

namespace eco {

TEST(HostNames, ShortForFullAndFullForShort) {
    const HostNames full({"n0.a.org", "n1.a.org"}, "n0", "");
    EXPECT_EQ(full.find("n1.a.org"), 1);
    EXPECT_EQ(full.find("n1"), 1);
    EXPECT_EQ(full.find("n2"), -1);
    const HostNames plain({"n0", "n1"}, "n0.a.org", "");
    EXPECT_EQ(plain.find("n1"), 1);
    EXPECT_EQ(plain.find("n1.a.org"), 1);
    EXPECT_EQ(plain.find("n1.b.org"), -1);
}

TEST(HostNames, TwoDomainsAreNotMixedUp) {
    const HostNames names({"n0.a.org", "n0.b.org", "n1.b.org"}, "n0.b.org", "");
    EXPECT_EQ(names.find("n0.a.org"), 0);
    EXPECT_EQ(names.find("n0.b.org"), 1);
    EXPECT_EQ(names.find("n0"), -1);
    EXPECT_EQ(names.find("n1"), 2);
}

TEST(HostNames, AddressesHaveNoDomain) {
    const HostNames names({"10.0.0.1", "10.0.0.2"}, "10.0.0.1", "");
    EXPECT_EQ(names.find("10.0.0.2"), 1);
    EXPECT_EQ(names.find("10"), -1);
}

TEST(HostNames, AliasesOfTheHostsFile) {
    const std::string path = testing::TempDir() + "eco-hosts-" + std::to_string(getpid());
    std::ofstream(path) << "127.0.1.1 n0 n1 loop\n# 10.0.0.9 n0 comment\n"
                           "10.0.0.1 n0.a.org n0 node-zero # n0 is old\n10.0.0.2 other strange\n";
    const HostNames names({"n0", "n1"}, "n0", path);
    EXPECT_EQ(names.find("node-zero"), 0);
    EXPECT_EQ(names.find("n0.a.org"), 0);
    EXPECT_EQ(names.find("loop"), -1);
    EXPECT_EQ(names.find("comment"), -1);
    EXPECT_EQ(names.find("strange"), -1);
    std::remove(path.c_str());
}

TEST(HostNames, ThoseOfContainers) {
    EXPECT_TRUE(is_made_up_name("9973d25de5aa"));
    EXPECT_FALSE(is_made_up_name("9973d25de5a"));
    EXPECT_FALSE(is_made_up_name("node25de5aac"));
}

}  // namespace eco
