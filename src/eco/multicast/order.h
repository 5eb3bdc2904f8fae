// When deliveries compete for links: which goes first.
#pragma once

#include "eco/multicast/delivery.h"
#include "eco/multicast/load.h"

namespace eco::multicast {

// One segment of a message on one leg of its way.
struct Leg {
    int message = 0, segment = 0;
    Rank from = 0, to = 0;
    Seconds start = 0, arrival = 0;  // by in_order; the list goes by starts
};

// Every delivery in `segments` legs, in an order in which nobody passes on what he does not have
// yet. By list scheduling: links and ranks serve one leg after the other; next goes the leg that
// can start first, of several the one that most hangs on. Deterministic. O(legs log legs), and more
// where many wait for one link.
std::vector<Leg> in_order(const Load& load, const std::vector<Message>& messages,
                          const Deliveries& deliveries, int segments);

// The order of the list itself, segment after segment of each.
std::vector<Leg> as_listed(const Deliveries& deliveries, int segments);

}  // namespace eco::multicast
