// SPDX-License-Identifier: BSD-3-Clause
// What the kernel counts of packets that came to this host, in the caller's network namespace. No
// privilege is needed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "eco/base/ip_family.h"

namespace eco {

// Packets since the system started that passed the filters of the NICs, and then were neither
// delivered here nor forwarded: multicasts of groups that nobody here has joined, and what a
// firewall drops. Empty where the kernel does not tell.
std::optional<std::int64_t> unwanted_packets(IpFamily family);

// From the text of /proc/net/snmp, or of IPv6 /proc/net/snmp6.
std::optional<std::int64_t> unwanted_packets_of(const std::string& text, IpFamily family);

}  // namespace eco
