// SPDX-License-Identifier: BSD-3-Clause
// What learning from blocking and from non-blocking calls has in common: limits, the mean of
// disturbed times, the order of arms. Pure. Called by class_learner.cpp and
// nonblocking_learner.cpp.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "eco/base/units.h"

namespace eco {

inline constexpr long longest_wait = 15;  // times the calls so far, as the first ones tell little

// An arm whose least time is above the best one's mean by more is dropped, in percent.
inline constexpr Nanoseconds far_behind = 250;

// The preferred arm stays unless another one is faster by more, in percent.
inline constexpr Nanoseconds tie = 103;

// A settled class is checked after so many calls, of which the last few are timed; less often where
// an exchange would cost more than a thousandth of them.
inline constexpr long first_check = 20;
// What was only predicted: after so many calls of the class, more than make connections, so that it
// is right within 50 calls, a trial of two arms included.
inline constexpr long soon = 12;
inline constexpr Nanoseconds check_share = 1000;

// Percent of the time when it was chosen, below or above which the network is another one.
inline constexpr Nanoseconds slower = 130, faster = 70;

// From one check to the next, at most.
inline constexpr long longest_period = 1 << 20;

// Without the longest quarter; 0 of none.
inline Nanoseconds undisturbed_mean(std::vector<Nanoseconds> times) {
    if (times.empty()) return 0;
    std::sort(times.begin(), times.end());
    times.resize(times.size() - times.size() / 4);
    return std::accumulate(times.begin(), times.end(), Nanoseconds{0}) /
           static_cast<Nanoseconds>(times.size());
}

// 0 of none.
inline Nanoseconds least_time(const std::vector<Nanoseconds>& times) {
    return times.empty() ? 0 : *std::min_element(times.begin(), times.end());
}

// The arm of the least mean, of those still tried; a tie, and what is not known, goes to the
// preferred one. mean: of an arm, 0 if not known.
template <typename Mean>
std::size_t best_arm(std::size_t preferred, const std::vector<std::size_t>& alive, Mean mean) {
    const bool still = std::find(alive.begin(), alive.end(), preferred) != alive.end();
    std::size_t best = still ? preferred : alive.front();
    for (const std::size_t arm : alive) {
        if (mean(arm) == 0) continue;
        const Nanoseconds handicap = best == preferred ? tie : 100;
        if (mean(best) == 0 || mean(arm) * handicap < mean(best) * 100) best = arm;
    }
    return best;
}

// A settled class is checked after so many calls. reference: what one takes; cost: of an exchange;
// 0: not known.
inline long calls_to_check(Nanoseconds reference, Nanoseconds cost) {
    if (reference <= 0 || cost <= 0) return first_check;
    return std::clamp<long>(check_share * cost / reference, first_check, longest_period);
}

// Every round in another order, on all ranks the same: a call finds the network, its queues and
// TCP's windows as the ones before left them.
inline void shuffle(std::vector<std::size_t>& arms, std::uint32_t& random) {
    for (std::size_t i = arms.size(); i > 1; --i) {
        random ^= random << 13;
        random ^= random >> 17;
        random ^= random << 5;
        std::swap(arms[i - 1], arms[random % i]);
    }
}

}  // namespace eco
