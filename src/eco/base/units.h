// SPDX-License-Identifier: BSD-3-Clause
// The plain numbers that all layers share.
#pragma once

#include <cstdint>
#include <limits>

namespace eco {

using Rank = int;            // of a process, in the communicator at hand
using Bytes = std::int64_t;  // of memory or of a message
using Seconds = double;
// Where all ranks must reckon alike: machines may round fractions differently.
using Nanoseconds = std::int64_t;

constexpr Seconds never = std::numeric_limits<Seconds>::infinity();  // later than any time

}  // namespace eco
