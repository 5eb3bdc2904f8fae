// SPDX-License-Identifier: BSD-3-Clause
#include "eco/multicast/delivery.h"

#include <algorithm>

namespace eco::multicast {

Deliveries direct(const std::vector<Message>& messages) {
    Deliveries list;
    for (std::size_t m = 0; m < messages.size(); ++m)
        for (const Rank to : messages[m].destinations)
            list.push_back({static_cast<int>(m), messages[m].source, to});
    return list;
}

Deliveries deliveries(const Schedule& schedule) {
    struct Sent {
        Seconds start;
        Delivery delivery;
    };
    std::vector<Sent> sends;
    for (std::size_t from = 0; from < schedule.ranks.size(); ++from)
        for (const TimedTask& task : schedule.ranks[from])
            if (task.direction == Direction::send)
                sends.push_back({task.start, {task.message, static_cast<Rank>(from), task.peer}});
    std::stable_sort(sends.begin(), sends.end(),
                     [](const Sent& a, const Sent& b) { return a.start < b.start; });
    Deliveries list;
    for (const Sent& sent : sends) list.push_back(sent.delivery);
    return list;
}

}  // namespace eco::multicast
