// SPDX-License-Identifier: BSD-3-Clause
// The pending work of one rank while a multicast is simulated forward in time. Kept by Stage, and
// by replan of bench/papers/wu_engine.
#pragma once

#include <algorithm>

#include "eco/multicast/schedule.h"

namespace eco::multicast {

// A message that was sent and not received yet.
struct UnderWay {
    Seconds arrival;
    int k;
    Rank from;
    bool operator>(const UnderWay& other) const { return arrival > other.arrival; }
};

struct Lane {
    Seconds free = 0;     // when its task at hand ends
    Seconds backlog = 0;  // what receiving all that is under way to it takes
    Seconds fed = 0;      // when that would be received if it did nothing else
    Seconds rest = 0;     // what receiving all that nobody has sent yet takes

    void sent(Seconds arrival, Seconds takes) {
        rest -= takes;
        backlog += takes;
        fed = std::max(fed, arrival) + takes;
    }
    // The same as `fed`, as it stands at `now`.
    Seconds fed_at(Seconds now) const { return std::max(fed, std::max(now, free) + backlog); }
};

}  // namespace eco::multicast
