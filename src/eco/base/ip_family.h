// SPDX-License-Identifier: BSD-3-Clause
// The two versions of IP.
#pragma once

#include <cstdint>

namespace eco {

enum class IpFamily : std::uint8_t { ipv4, ipv6 };

}  // namespace eco
