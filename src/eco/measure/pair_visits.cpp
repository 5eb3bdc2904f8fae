// SPDX-License-Identifier: BSD-3-Clause
#include "eco/measure/pair_visits.h"

#include "eco/base/at.h"

namespace eco {

std::vector<TimedPair> PairVisits::of(const std::vector<HostPair>& pairs,
                                      const SizesOf& sizes_of) const {
    std::vector<std::pair<int, Order>> answers, trips;
    std::vector<TimedPair> timed;
    for (const auto& pair : pairs) {
        const int clock = leader_[at(pair.first)], other = leader_[at(pair.second)];
        for (const std::size_t size : sizes_of(pair)) {
            Order order;
            order.kind = Order::Kind::round_trips;
            order.to = other;
            order.bytes = profile_.sizes[size];
            order.count = samples_.most_trips(size);
            order.least = samples_.is_long(size) && !samples_.has(size, pair) ? 2 : 1;
            order.duration = time_per_size;
            const bool goes_on = !timed.empty() && timed.back().pair == pair;
            const bool again =
                samples_.has(samples_.partition_size(), pair) && samples_.is_far(pair);
            order.warm = (goes_on || again) && !samples_.is_long(size);
            trips.emplace_back(clock, order);
            order.kind = Order::Kind::answer_trips;
            order.to = clock;
            order.warm = goes_on && !samples_.is_long(size);
            answers.emplace_back(other, order);
            timed.push_back({pair, size, {}});
        }
    }
    if (timed.empty()) return timed;
    // The clock begins when its first order comes; the others know by then.
    auto orders = answers;
    orders.insert(orders.end(), trips.begin(), trips.end());
    const auto figures = workers_.run(orders);
    for (std::size_t i = 0; i < timed.size(); ++i) timed[i].samples = figures[answers.size() + i];
    return timed;
}

std::vector<std::vector<HostPair>> rows_by_clock(const std::vector<HostPair>& pairs) {
    std::vector<std::vector<HostPair>> found;
    for (const auto& pair : pairs) {
        if (found.empty() || found.back().front().first != pair.first) found.emplace_back();
        found.back().push_back(pair);
    }
    return found;
}

}  // namespace eco
