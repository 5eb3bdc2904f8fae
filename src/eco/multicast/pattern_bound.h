// SPDX-License-Identifier: BSD-3-Clause
// Times that no schedule of a pattern can beat. Called by the planner `best`, and by the paper's
// experiments and their tests (bench/papers/wu_engine), which hold every schedule against `least`.
#pragma once

#include "eco/multicast/pattern.h"

namespace eco::multicast {

struct PatternBound {
    // Wu, Yeh and Liu §3.1 to the letter. Where sizes differ it can lie above the optimum: equation
    // 2 takes messages by their earliest end, but a rank is done first if it takes them by their
    // earliest arrival. Paths lead over destinations only.
    Seconds paper = 0;

    // The largest of what follows; valid always.
    Seconds least = 0;
    // As the paper, by earliest arrival, and with a send of each of its own messages per rank.
    Seconds ranks = 0;
    // All sends and receives that there must be, shared out as well as can be over all ranks.
    Seconds work = 0;
    // How fast messages can spread: arrivals that all informed ranks together can have caused.
    Seconds spread = 0;
};

// O(M N²) and a hundred rounds of O(M N) for work.
PatternBound bound(const Pattern& pattern);

// The same without work, which rarely is the largest.
PatternBound quick_bound(const Pattern& pattern);

}  // namespace eco::multicast
