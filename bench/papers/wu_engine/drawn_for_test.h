// SPDX-License-Identifier: BSD-3-Clause
// Patterns drawn from seeds for property tests.
#pragma once

#include "draw.h"

namespace eco::multicast {

// All reaches, lengths and spacings in turn; links that differ in every fourth.
inline Pattern drawn(std::uint64_t seed, int ranks, int sources) {
    Draw how;
    how.ranks = ranks;
    how.sources = sources;
    how.reach = static_cast<Destinations>(seed % 3);
    how.lengths = static_cast<Lengths>(seed / 3 % 3);
    how.spacing = static_cast<Spacing>(seed / 9 % 3);
    how.apart = seed % 2 == 1;
    how.bits_per_second = seed % 5 < 2 ? 1e9 : 155e6;
    Pattern pattern = draw(how, seed);
    if (seed % 4 == 1)
        for (std::size_t n = 0; n < pattern.model.transfers.size(); ++n)
            pattern.model.transfers[n].fixed = 1e-6 * static_cast<double>(n * 7919 % 1009);
    return pattern;
}

}  // namespace eco::multicast
