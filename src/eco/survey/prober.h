// SPDX-License-Identifier: BSD-3-Clause
// How a survey gets pairs of hosts timed: by a launch on the real hosts (measure/), or simulated.
#pragma once

#include <vector>

#include "eco/survey/timings.h"

namespace eco {

class Prober {
public:
    virtual ~Prober() = default;

    // One visit of each of these pairs with messages of `bytes`; pairs that have no host in common
    // may be timed at once. Their half round trips, in the same order.
    virtual std::vector<std::vector<Seconds>> time(const std::vector<HostPair>& pairs,
                                                   Bytes bytes) = 0;
};

}  // namespace eco
