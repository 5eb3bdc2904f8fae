// SPDX-License-Identifier: BSD-3-Clause
#include "eco/measure/pair_samples.h"

#include <algorithm>
#include <cmath>

#include "eco/measure/experiment.h"
#include "eco/planners/planner.h"

namespace eco {

PairSamples::PairSamples(const Profile& profile)
    : profile_(profile),
      partition_size_(eco::partition_size(profile)),
      by_size_(profile.sizes.size(), Timings(static_cast<int>(profile.hosts.size()))) {}

bool PairSamples::has(std::size_t size, HostPair pair) const {
    return by_size_[size].has(pair.first, pair.second);
}

int PairSamples::visits(std::size_t size, HostPair pair) const {
    const auto* entry = by_size_[size].find(pair.first, pair.second);
    return entry ? entry->visits : 0;
}

Seconds PairSamples::least_of(std::size_t size, HostPair pair) const {
    return by_size_[size].find(pair.first, pair.second)->least();
}

bool PairSamples::is_far(HostPair pair) const {
    const std::size_t size = has(0, pair) ? 0 : partition_size_;
    return least_of(size, pair) >= long_way;
}

bool PairSamples::is_very_far(HostPair pair) const {
    return has(0, pair) && 2 * least_of(0, pair) >= time_per_size;
}

bool PairSamples::must_be_very_far(HostPair pair) const {
    const auto [a, b] = pair;
    for (int third = 0; third < hosts(); ++third) {
        const auto* to_a = by_size_[0].find(third, a);
        const auto* to_b = by_size_[0].find(third, b);
        if (to_a && to_b && 2 * std::abs(to_a->least() - to_b->least()) >= time_per_size)
            return true;
    }
    return false;
}

// A longer message needs one that is not counted before it, on long ways too, and a second one that
// is, as those are not timed again.
bool PairSamples::is_long(std::size_t size) const {
    return profile_.sizes[size] > std::max(first_flight, profile_.partition_bytes);
}

bool PairSamples::is_known(HostPair pair) const {
    if (!has(0, pair)) return false;
    const auto sizes = sizes_again(pair);
    return std::all_of(sizes.begin(), sizes.end(),
                       [&](std::size_t size) { return has(size, pair); });
}

SizesOf PairSamples::sizes_of(int repeat) const {
    return [this, repeat](HostPair pair) {
        std::vector<std::size_t> sizes;
        for (std::size_t size = 0; size < by_size_.size(); ++size)
            if (visits(size, pair) <= (is_long(size) || is_very_far(pair) ? 0 : repeat))
                sizes.push_back(size);
        return sizes;
    };
}

std::vector<std::size_t> PairSamples::sizes_again(HostPair pair) const {
    std::vector<std::size_t> sizes;
    for (std::size_t size = 0; size < by_size_.size(); ++size)
        if (!is_long(size) || !has(size, pair)) sizes.push_back(size);
    return sizes;
}

std::vector<std::size_t> PairSamples::sizes_without(HostPair pair) const {
    std::vector<std::size_t> sizes;
    for (std::size_t size = 0; size < by_size_.size(); ++size)
        if (!has(size, pair)) sizes.push_back(size);
    return sizes;
}

// Long messages vary less and cost more.
int PairSamples::most_trips(std::size_t size) const {
    const int trips = profile_.round_trips;
    return profile_.sizes[size] > profile_.partition_bytes ? (trips + 1) / 2 : trips;
}

Seconds PairSamples::time_of_another_visit(HostPair pair) const {
    if (is_very_far(pair)) return 0;
    Seconds sum = 0;
    for (const std::size_t size : sizes_again(pair)) {
        const Seconds trip = 2 * least_of(size, pair);
        const bool counts = !is_long(size) && trip >= 2 * long_way;
        const int trips = 1 + static_cast<int>(time_per_size / trip);
        sum += trip * (std::min(trips, most_trips(size)) + (counts ? 0 : 1));
    }
    return sum;
}

}  // namespace eco
