// SPDX-License-Identifier: BSD-3-Clause
// Where datagrams go to and come from, for both versions of IP alike: a value that can be compared
// and copied, turned into what the kernel takes and back. Also what IP itself takes of a packet.
#pragma once

#include <sys/socket.h>

#include <array>
#include <compare>
#include <cstdint>

#include "eco/base/ip_family.h"
#include "eco/base/units.h"

namespace eco {

// Random, of one job: nobody else's datagrams are taken for its own.
using McastKey = std::array<std::uint64_t, 2>;

// A UDP port of a host or of a group.
struct McastAddress {
    std::array<std::uint8_t, 16> ip{};  // an IPv4 address a.b.c.d as ::ffff:a.b.c.d
    std::uint32_t link = 0;             // the interface's index, for link-local addresses of IPv6
    std::uint16_t port = 0;
    auto operator<=>(const McastAddress&) const = default;
};
inline constexpr McastAddress all_of_the_job{};

IpFamily family_of(const McastAddress& address);

// Derived from the key, with a port: of IPv4 the organisation's local range, 239.192.0.0/14; of
// IPv6 a group of the organisation's scope that nobody has assigned, of ff18::8000:0/97.
McastAddress mcast_group(const McastKey& key, IpFamily family);

// Another group, whose frames have the same Ethernet address; of IPv4 in 239.64.0.0/14.
McastAddress same_frames(const McastAddress& group);

// The kernel's form.
struct KernelAddress {
    sockaddr_storage storage{};
    socklen_t size = sizeof(sockaddr_storage);
    sockaddr* get() { return reinterpret_cast<sockaddr*>(&storage); }
};
KernelAddress kernel_address(const McastAddress& address);
McastAddress address_of(const sockaddr_storage& from);

// What IP and UDP take of an interface's MTU.
constexpr Bytes ip_and_udp(IpFamily family) { return family == IpFamily::ipv4 ? 28 : 48; }
// Bytes on the wire besides a datagram's payload: preamble, gap, Ethernet, IP and UDP.
constexpr Bytes mcast_frame(IpFamily family) { return 38 + ip_and_udp(family); }

}  // namespace eco
