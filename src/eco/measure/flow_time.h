// SPDX-License-Identifier: BSD-3-Clause
// How long a flow between two hosts is timed. Used by model_timer.cpp and for what its steps take.
#pragma once

#include <algorithm>

#include "eco/base/units.h"

namespace eco {

// At least; and in round trips, by which TCP reaches its rate.
inline constexpr Seconds flow_time = 0.1, warm_up = 0.03;
inline constexpr double round_trips_timed = 4, round_trips_to_full_rate = 6;

// Of hosts so far apart (there and back), with the first message's way.
inline Seconds one_flow(Seconds trip) {
    return std::max(warm_up, round_trips_to_full_rate * trip) +
           std::max(flow_time, round_trips_timed * trip) + trip;
}

}  // namespace eco
