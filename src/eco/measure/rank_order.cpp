// SPDX-License-Identifier: BSD-3-Clause
#include "eco/measure/rank_order.h"

#include <algorithm>
#include <numeric>
#include <random>

namespace eco {

std::vector<int> in_order(std::vector<int> ring, const std::string& order) {
    if (order == "near") return ring;
    if (order == "launched") {
        std::sort(ring.begin(), ring.end());
        return ring;
    }
    std::mt19937 random(static_cast<unsigned>(std::stoul(order.substr(10))));
    // Not std::shuffle: its draws differ between standard libraries.
    for (std::size_t i = ring.size(); i > 1; --i) std::swap(ring[i - 1], ring[random() % i]);
    return ring;
}

int root_apart(int round, int ranks) {
    // About the golden section, so that each root lies in the middle of the widest gap; with no
    // factor in common, so that all have their turn.
    int step = std::max(1, ranks * 382 / 1000);
    while (std::gcd(step, ranks) != 1) ++step;
    return static_cast<int>(static_cast<long>(round) * step % ranks);
}

}  // namespace eco
