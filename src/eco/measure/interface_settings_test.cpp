// SPDX-License-Identifier: BSD-3-Clause
#include "eco/measure/interface_settings.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>

#include "eco/base/error.h"

namespace eco {
namespace {

using Set = std::vector<std::pair<std::string, std::string>>;

IpAddress address(const char* interface, const char* text, int prefix) {
    IpAddress found{interface, {}, prefix};
    inet_pton(AF_INET6, text, &found.address);
    return found;
}

const std::vector<IpAddress> own{address("eth0", "::ffff:10.9.0.1", 16),
                                 address("eth1", "::ffff:10.10.0.1", 16),
                                 address("eth2", "fd00::1", 64)};

TEST(InterfaceSettings, OfOpenMpiNameNetworksOfIpv4) {
    EXPECT_EQ(interface_settings({"10.9.0.0/16", "eth1", "fd00::/64"}, "Open MPI v5.0.11", own),
              (Set{{"OMPI_MCA_btl_tcp_if_include", "10.9.0.0/16,eth1,eth2"},
                   {"OMPI_MCA_btl_tcp_if_exclude", ""}}));
}

// MPICH's packages hold UCX and libfabric together.
TEST(InterfaceSettings, OfMpichNameThoseOfThisHostForBothNetworkModules) {
    EXPECT_EQ(interface_settings({"10.10.0.0/16", "eth0"}, "MPICH Device: ch4:ucx ofi", own),
              (Set{{"FI_TCP_IFACE", "eth1"}, {"UCX_NET_DEVICES", "eth1,eth0"}}));
}

TEST(InterfaceSettings, NeedOneThatThisHostHas) {
    // What other hosts have, beside one of this host.
    EXPECT_EQ(interface_settings({"ib0", "eth0"}, "MPICH", own),
              (Set{{"FI_TCP_IFACE", "eth0"}, {"UCX_NET_DEVICES", "eth0"}}));
    EXPECT_THROW(interface_settings({"ib0", "10.9.0.0/24"}, "MPICH", own), Error);
}

}  // namespace
}  // namespace eco
