// SPDX-License-Identifier: BSD-3-Clause
// The NICs of this host, as the kernel reports them in the caller's network namespace.
#pragma once

#include <netinet/in.h>

#include <string>
#include <vector>

namespace eco {

// An IPv4 address of an interface, in network byte order.
struct Ipv4Address {
    std::string interface;
    in_addr_t address = 0, mask = 0;
};

// Those of interfaces that are up, but for the loopback's, in the kernel's order.
std::vector<Ipv4Address> ipv4_addresses();

// As 10.9.0.1.
std::string text_of(in_addr_t address);

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
