// SPDX-License-Identifier: BSD-3-Clause
// Which of several deliveries that compete for a link goes first. Used where schedules are planned.
#pragma once

#include <cstdint>

#include "eco/multicast/delivery.h"
#include "eco/multicast/load.h"

namespace eco::multicast {

// One segment of a message on one hop of its way.
struct Hop {
    int message = 0, segment = 0;
    Rank from = 0, to = 0;
    Seconds start = 0, arrival = 0;  // by in_order; the list goes by starts
};

// Every delivery in `segments` hops, in an order in which no rank forwards what it does not have
// yet. By list scheduling: links and ranks serve one hop after the other; next goes the hop that
// can start first, of several the one that most depends on. Deterministic. O(hops log hops), and
// somewhat more where hops wait for several links in turn; adds its steps to `work`.
std::vector<Hop> in_order(const Load& load, const std::vector<Message>& messages,
                          const Deliveries& deliveries, int segments, std::int64_t* work = nullptr);

// The order of the list itself, segment after segment of each.
std::vector<Hop> as_listed(const Deliveries& deliveries, int segments);

}  // namespace eco::multicast
