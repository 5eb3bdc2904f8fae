// SPDX-License-Identifier: BSD-3-Clause
// The plain numbers that all layers share.
#pragma once

#include <cstdint>

namespace eco {

using Rank = int;            // of a process, in the communicator at hand
using Bytes = std::int64_t;  // of memory or of a message
using Seconds = double;

}  // namespace eco
