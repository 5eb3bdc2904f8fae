// SPDX-License-Identifier: BSD-3-Clause
// How long ranks whose part of a timed call is over keep quiet. Pure. Used by bench.
#pragma once

#include <algorithm>
#include <vector>

#include "eco/base/units.h"

namespace eco {

// How long after the start of a call a rank keeps quiet, even if its own part is over: the
// message about the next call would take wires and processors from ranks that are still in it.
// samples: what such calls took so far, all ranks together. Their least counts, so that no call
// waits for one that was disturbed; 0 while nothing is known.
inline Seconds quiet_after(const std::vector<Seconds>& samples) {
    if (samples.empty()) return 0;
    const Seconds least = *std::min_element(samples.begin(), samples.end());
    return least + std::min(0.5 * least, 1e-3);
}

}  // namespace eco
