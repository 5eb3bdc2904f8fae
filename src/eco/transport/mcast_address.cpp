// SPDX-License-Identifier: BSD-3-Clause
#include "eco/transport/mcast_address.h"

#include <netinet/in.h>

#include <algorithm>
#include <cstring>

namespace eco {

namespace {

// What an IPv4 address begins with if it is written as one of IPv6.
constexpr std::array<std::uint8_t, 12> mapped{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};

}  // namespace

IpFamily family_of(const McastAddress& address) {
    return std::equal(mapped.begin(), mapped.end(), address.ip.begin()) ? IpFamily::ipv4
                                                                        : IpFamily::ipv6;
}

McastAddress mcast_group(const McastKey& key, IpFamily family) {
    McastAddress group;
    group.port = static_cast<std::uint16_t>(49152 + key[1] % 16384);
    std::uint32_t last = 0;
    if (family == IpFamily::ipv4) {
        std::copy(mapped.begin(), mapped.end(), group.ip.begin());
        // 239.192.0.0/14, but for the first and last 256, which others like to take.
        last = htonl(0xefc00000U | static_cast<std::uint32_t>(key[0] % ((1U << 18) - 512) + 256));
    } else {
        group.ip[0] = 0xff;
        group.ip[1] = 0x18;  // transient, of the organisation
        // RFC 3307: numbers that are taken as needed have the first bit.
        last = htonl(0x80000000U | static_cast<std::uint32_t>(key[0]));
    }
    std::memcpy(&group.ip[12], &last, sizeof last);
    return group;
}

// An Ethernet address has the last 23 bits of an IPv4 group, or the last 32 of one of IPv6.
McastAddress same_frames(const McastAddress& group) {
    McastAddress other = group;
    if (family_of(group) == IpFamily::ipv4)
        other.ip[13] ^= 0x80;
    else
        other.ip[11] ^= 1;
    return other;
}

KernelAddress kernel_address(const McastAddress& address) {
    KernelAddress found;
    if (family_of(address) == IpFamily::ipv4) {
        sockaddr_in four{};
        four.sin_family = AF_INET;
        four.sin_port = htons(address.port);
        std::memcpy(&four.sin_addr, &address.ip[12], sizeof four.sin_addr);
        std::memcpy(&found.storage, &four, sizeof four);
        found.size = sizeof four;
    } else {
        sockaddr_in6 six{};
        six.sin6_family = AF_INET6;
        six.sin6_port = htons(address.port);
        six.sin6_scope_id = address.link;
        std::memcpy(&six.sin6_addr, address.ip.data(), sizeof six.sin6_addr);
        std::memcpy(&found.storage, &six, sizeof six);
        found.size = sizeof six;
    }
    return found;
}

McastAddress address_of(const sockaddr_storage& from) {
    McastAddress found;
    if (from.ss_family == AF_INET) {
        sockaddr_in four{};
        std::memcpy(&four, &from, sizeof four);
        std::copy(mapped.begin(), mapped.end(), found.ip.begin());
        std::memcpy(&found.ip[12], &four.sin_addr, sizeof four.sin_addr);
        found.port = ntohs(four.sin_port);
    } else {
        sockaddr_in6 six{};
        std::memcpy(&six, &from, sizeof six);
        std::memcpy(found.ip.data(), &six.sin6_addr, sizeof six.sin6_addr);
        found.link = six.sin6_scope_id;
        found.port = ntohs(six.sin6_port);
    }
    return found;
}

}  // namespace eco
