// SPDX-License-Identifier: BSD-3-Clause
#include "eco/multicast/load.h"

namespace eco::multicast {

Load::Load(const Network& network, const std::vector<int>& host_of)
    : ranks_(host_of.size()),
      resources_(network.links.size() + host_of.size()),
      pairs_(ranks_ * ranks_),
      delays_(ranks_ * ranks_, 0) {
    // Frames make long messages longer by a share; of a short one the headers count.
    const double stretch = 1 + static_cast<double>(network.frame.overhead) /
                                   static_cast<double>(network.frame.payload);
    const auto headers = static_cast<double>(network.frame.message);
    for (std::size_t from = 0; from < ranks_; ++from)
        for (std::size_t to = 0; to < ranks_; ++to) {
            if (from == to) continue;
            const int a = host_of[from], b = host_of[to];
            const auto route = network.route(a, b);
            auto& pair = pairs_[from * ranks_ + to];
            for (const int link : route) {
                const double rate = network.links[static_cast<std::size_t>(link)].rate;
                pair.push_back({link, headers / rate, stretch / rate});
            }
            const Cost& send = network.send[static_cast<std::size_t>(a)];
            const Cost& receive = network.receive[static_cast<std::size_t>(b)];
            const auto rank = [&](std::size_t number) {
                return static_cast<int>(network.links.size() + number);
            };
            const double inside = a == b ? network.local.per_byte : 0;
            pair.push_back({rank(from), send.fixed, send.per_byte + inside});
            pair.push_back({rank(to), receive.fixed, receive.per_byte});
            delays_[from * ranks_ + to] = network.delay(a, b, route, network.frame.payload);
        }
}

}  // namespace eco::multicast
