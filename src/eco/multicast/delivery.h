// SPDX-License-Identifier: BSD-3-Clause
// Which rank gets which message from which: a schedule without its times, from which one on a real
// network is made. Written by spread.h and from a Schedule; ordered by hop_order.h; turned into
// programs by programs.h.
#pragma once

#include <vector>

#include "eco/multicast/schedule.h"

namespace eco::multicast {

struct Delivery {
    int message = 0;
    Rank from = 0, to = 0;  // from: the message's source, or another of its destinations
    bool operator==(const Delivery&) const = default;
};

// One for each message and destination; nobody passes on what comes to him later in the list.
using Deliveries = std::vector<Delivery>;

// Each straight from its source, as a library does it that knows nothing of the network.
Deliveries direct(const std::vector<Message>& messages);

// In the order in which the schedule begins to send.
Deliveries deliveries(const Schedule& schedule);

}  // namespace eco::multicast
