// SPDX-License-Identifier: BSD-3-Clause
// A multicast's schedule: per rank a list of sends and receives, done in this order, and when the
// model says that each begins and ends. A send takes its rank the send overhead and nothing more; a
// receive begins when it is issued, waits for its message and then takes the receive overhead
// (Wu, Yeh and Liu §2, §3).
#pragma once

#include <cstdint>
#include <vector>

#include "eco/multicast/pattern.h"

namespace eco::multicast {

enum class Direction : std::uint8_t { send, recv };

struct TimedTask {
    Direction direction;
    Rank peer;
    int message;  // index into Pattern::messages
    Seconds start = 0, end = 0;
};

struct Schedule {
    std::vector<std::vector<TimedTask>> ranks;
    Seconds completion = 0;  // when the last receive ends
};

// Sets every start, end and the completion, each task as early as the order allows. Throws
// Error{bad_input} where the lists cannot be done: a receive without a send, or a deadlock.
// O(tasks log tasks).
void run(const Pattern& pattern, Schedule& schedule);

}  // namespace eco::multicast
