// SPDX-License-Identifier: BSD-3-Clause
// Trees for several multicasts at once that spread a network's load: every rank that has a message
// may forward it, so that a slow bus is crossed once on the way out, and links with free capacity
// carry the rest. Wu's planners ignore contention; this one considers nothing else.
#pragma once

#include <cstdint>

#include "eco/multicast/delivery.h"
#include "eco/multicast/load.h"

namespace eco::multicast {

// From each message's own star, moves one destination at a time below another, or one up past who
// it got the message from, while that lowers the busiest resources' load (the sum of the eighth
// powers). Deterministic. Of large patterns it tries places below some of the ranks only, evenly
// chosen, and ends after a bounded number of trials, so that it takes a few tenths of a second at
// most; adds these to `work`.
Deliveries spread(const Load& load, const std::vector<Message>& messages,
                  std::int64_t* work = nullptr);

}  // namespace eco::multicast
