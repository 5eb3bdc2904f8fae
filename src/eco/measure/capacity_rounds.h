// SPDX-License-Identifier: BSD-3-Clause
// Runs rounds of streams of many hosts at once: how long each is timed, and what a stream may have
// under way. Called on rank 0 by measure_capacity.h and check_uplinks.h.
#pragma once

#include <vector>

#include "eco/measure/model_timer.h"

namespace eco {

class CapacityRounds {
public:
    // In a round that searches, fast streams are told from slow ones; in an exact one rates, or
    // their sums, are the result.
    enum class Kind { search, exact };

    // heard: per host what its NICs carry while ECO sends nothing, B/s. Both are kept by
    // reference.
    CapacityRounds(const ModelTimer& timer, const std::vector<NicBytes>& heard)
        : timer_(timer), heard_(heard) {}
    // B/s of each; a host sends one and receives one at most. Throws MpiError.
    std::vector<double> rates(const std::vector<Flow>& flows, Kind kind);

private:
    const ModelTimer& timer_;
    const std::vector<NicBytes>& heard_;
    double fastest_ = 0;  // stream so far
};

}  // namespace eco
