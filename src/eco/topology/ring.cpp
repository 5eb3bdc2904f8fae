// SPDX-License-Identifier: BSD-3-Clause
#include "eco/topology/ring.h"

#include <algorithm>

namespace eco {

// How many levels two hosts share; hosts of one subnet share all.
static std::size_t shared_levels(const Levels& levels, int a, int b) {
    std::size_t shared = 0;
    for (const auto& level : levels)
        if (level[static_cast<std::size_t>(a)] == level[static_cast<std::size_t>(b)]) ++shared;
    return shared;
}

static bool keeps_clusters_whole(const Levels& levels, const std::vector<int>& ring) {
    for (const auto& level : levels) {
        const int clusters = *std::max_element(level.begin(), level.end()) + 1;
        int borders = 0;
        for (std::size_t i = 0; i < ring.size(); ++i)
            borders += level[static_cast<std::size_t>(ring[i])] !=
                       level[static_cast<std::size_t>(ring[(i + 1) % ring.size()])];
        if (clusters > 1 && borders > clusters) return false;
    }
    return true;
}

// Reverses stretches while that shortens the cycle. A clear gain only: noise is not worth a move.
static void exchange(const Matrix& cost, const Levels& levels, std::vector<int>& ring) {
    const std::size_t hosts = ring.size();
    bool improved = hosts > 3;
    for (int round = 0; improved && round < 100; ++round) {
        improved = false;
        for (std::size_t i = 0; i + 2 < hosts; ++i)
            for (std::size_t j = i + 2; j < hosts; ++j) {
                const int a = ring[i], b = ring[i + 1], c = ring[j], d = ring[(j + 1) % hosts];
                if (d == a) continue;
                const double before = cost(a, b) + cost(c, d), after = cost(a, c) + cost(b, d);
                if (after >= before * (1.0 - 1e-6)) continue;
                const auto first = ring.begin() + static_cast<std::ptrdiff_t>(i) + 1;
                const auto last = ring.begin() + static_cast<std::ptrdiff_t>(j) + 1;
                std::reverse(first, last);
                if (keeps_clusters_whole(levels, ring))
                    improved = true;
                else
                    std::reverse(first, last);
            }
    }
}

// Begins the cycle where the widest clusters border, so that cut open it still keeps them whole.
static void cut_at_border(const Levels& levels, std::vector<int>& ring) {
    std::size_t best = 0;
    const auto shared_before = [&](std::size_t i) {
        return shared_levels(levels, ring[(i + ring.size() - 1) % ring.size()], ring[i]);
    };
    for (std::size_t i = 1; i < ring.size(); ++i) {
        const auto here = shared_before(i), least = shared_before(best);
        if (here < least || (here == least && ring[i] < ring[best])) best = i;
    }
    std::rotate(ring.begin(), ring.begin() + static_cast<std::ptrdiff_t>(best), ring.end());
}

std::vector<int> near_ring(const Matrix& cost, const Levels& levels) {
    const int hosts = cost.size();
    std::vector<int> ring;
    std::vector<bool> placed(static_cast<std::size_t>(hosts), false);
    for (int step = 0, last = 0; step < hosts; ++step) {
        int next = -1;
        for (int host = 0; host < hosts; ++host) {
            if (placed[static_cast<std::size_t>(host)]) continue;
            if (next < 0) {
                next = host;
                if (step == 0) break;
                continue;
            }
            const auto near = shared_levels(levels, last, host);
            const auto best = shared_levels(levels, last, next);
            if (near > best || (near == best && cost(last, host) < cost(last, next))) next = host;
        }
        placed[static_cast<std::size_t>(next)] = true;
        ring.push_back(next);
        last = next;
    }
    exchange(cost, levels, ring);
    cut_at_border(levels, ring);
    return ring;
}

}  // namespace eco
