// SPDX-License-Identifier: BSD-3-Clause
// The NICs of this host, as the kernel reports them in the caller's network namespace.
#pragma once

#include <netinet/in.h>
#include <sys/socket.h>

#include <string>
#include <vector>

namespace eco {

// An address of an interface: IPv6, or IPv4 as ::ffff:10.9.0.1.
struct IpAddress {
    std::string interface;
    in6_addr address{};
    int prefix = 0;  // of its network, in bits of its own family
};

// Those of interfaces that are up, but for the loopback's, in the kernel's order: of each interface
// its IPv4 addresses; where it has none its IPv6 ones, without those that only its link knows.
std::vector<IpAddress> ip_addresses();

bool is_ipv4(const in6_addr& address);

// The address with all bits behind the prefix at 0.
in6_addr network_of(const in6_addr& address, int prefix);

// As 10.9.0.1 or fd00::1.
std::string text_of(const in6_addr& address);

// Of the address's network, as 10.9.0.0/16 or fd00::/64.
std::string network_text(const in6_addr& address, int prefix);

// For the system's calls; the port in network byte order. Returns the length that counts.
socklen_t socket_address(const in6_addr& address, in_port_t port, sockaddr_storage& found);

// The subnet of the interface that has this address, as 10.9.0.0/16; empty if none has it.
std::string subnet_of(const sockaddr_in& address, bool& is_loopback);

// A bridge inside this host, such as docker0 or virbr0.
bool is_bridge(const std::string& interface);

// Switched off, or without a carrier. False for what is no interface of the kernel's.
bool is_down(const std::string& interface);

// The longest packet that it sends, and its rate in Mbit/s; 0 if it does not tell.
int mtu_of(const std::string& interface);
int megabits_of(const std::string& interface);

}  // namespace eco
