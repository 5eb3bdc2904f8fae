// SPDX-License-Identifier: BSD-3-Clause
// Patterns drawn from seeds for property tests.
#pragma once

#include <random>

#include "eco/multicast/pattern.h"

namespace eco::multicast {

// So many sources with a message each for some others, of 1 B to 1 MiB; every rank its own costs.
inline Pattern drawn(std::uint64_t seed, int ranks, int sources) {
    std::mt19937_64 dice(seed);
    const auto below = [&](std::uint64_t n) { return static_cast<int>(dice() % n); };
    const auto cost = [&] { return Cost{1e-6 * (80 + below(320)), 1e-10 * (1 + below(100))}; };
    Pattern pattern;
    for (int rank = 0; rank < ranks; ++rank) {
        pattern.model.send.push_back(cost());
        pattern.model.receive.push_back(cost());
    }
    for (int pair = 0; pair < ranks * ranks; ++pair)
        pattern.model.transfers.push_back({1e-6 * below(1000), seed % 2 == 0 ? 8e-9 : 5e-8});
    for (Rank source = 0; source < sources; ++source) {
        Message message{source, Bytes{1} << below(21), {}};
        for (Rank to = 0; to < ranks; ++to)
            if (to != source && (seed % 3 == 0 || below(2) == 0))
                message.destinations.push_back(to);
        pattern.messages.push_back(std::move(message));
    }
    check(pattern, "drawn");
    return pattern;
}

}  // namespace eco::multicast
