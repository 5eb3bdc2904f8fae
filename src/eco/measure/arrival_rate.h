// SPDX-License-Identifier: BSD-3-Clause
// At which rate a stream's messages arrived. Pure. Used by experiment.cpp.
#pragma once

#include <algorithm>
#include <vector>

#include "eco/base/units.h"

namespace eco {

// Of the time that counts, at least: messages that a rank without a processor takes late come all
// at once.
inline constexpr double least_counted = 0.75;

// Bytes/s between two moments. arrivals: of messages of so many bytes, in order. From the last
// arrival before that time to the first after it, so that messages which come in bunches are spread
// over the time in which nothing came.
inline double arrival_rate(const std::vector<Seconds>& arrivals, Seconds begin, Seconds end,
                           Bytes bytes) {
    if (arrivals.empty()) return 0;
    auto first = std::upper_bound(arrivals.begin(), arrivals.end(), begin);
    if (first != arrivals.begin()) --first;
    auto last = std::lower_bound(arrivals.begin(), arrivals.end(), end);
    if (last == arrivals.end()) --last;
    if (last <= first) return 0;
    const Seconds took = std::max(*last - *first, least_counted * (end - begin));
    return static_cast<double>(last - first) * static_cast<double>(bytes) / took;
}

}  // namespace eco
