// SPDX-License-Identifier: BSD-3-Clause
#include "eco/multicast/load.h"

#include "eco/base/at.h"

namespace eco::multicast {

void Load::work_out(Rank from, Rank to, Pair& pair) const {
    // Frames make long messages longer by a share; of a short one the headers count.
    const double stretch = 1 + static_cast<double>(network_.frame.overhead) /
                                   static_cast<double>(network_.frame.payload);
    const auto headers = static_cast<double>(network_.frame.message);
    const int a = host_of_[at(from)], b = host_of_[at(to)];
    const auto route = network_.route(a, b);
    for (const int link : route) {
        const double rate = network_.links[at(link)].rate;
        pair.occupied.push_back({link, headers / rate, stretch / rate});
    }
    const Cost& send = network_.send[at(a)];
    const Cost& receive = network_.receive[at(b)];
    const int first = static_cast<int>(network_.links.size());
    const double inside = a == b ? network_.local.per_byte : 0;
    pair.occupied.push_back({first + from, send.fixed, send.per_byte + inside});
    pair.occupied.push_back({first + to, receive.fixed, receive.per_byte});
    pair.delay = network_.delay(a, b, route, network_.frame.payload);
}

}  // namespace eco::multicast
