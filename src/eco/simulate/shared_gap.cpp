// SPDX-License-Identifier: BSD-3-Clause
#include "eco/simulate/shared_gap.h"

#include <algorithm>

#include "eco/simulate/simulate.h"

namespace eco {

namespace {

// So much longer than predicted may be chance.
constexpr double clearly_longer = 1.25;
constexpr int halvings = 12;

}  // namespace

Seconds ring_time(const Network& network, const std::vector<int>& ring, Bytes bytes) {
    const Hierarchy hierarchy = flat_hierarchy(static_cast<int>(ring.size()));
    const Request request{Operation::allgather, &hierarchy, 0, true};
    return simulate(network, ring, parse_choice("ring"), request, bytes).time;
}

Seconds find_shared_gap(Network network, const std::vector<int>& ring, Bytes bytes,
                        Seconds measured, double two_longer) {
    network.shared_gap = 0;
    const Seconds alike = std::max(1.0, two_longer) * ring_time(network, ring, bytes);
    if (measured < clearly_longer * alike) return 0;
    const auto hosts = static_cast<double>(ring.size());
    // One message after the other, each of which takes at least half of it, would take all the
    // time.
    Seconds least = 0, most = 2 * measured / (hosts * (hosts - 1));
    for (int halving = 0; halving < halvings; ++halving) {
        network.shared_gap = (least + most) / 2;
        (ring_time(network, ring, bytes) < measured ? least : most) = network.shared_gap;
    }
    return (least + most) / 2;
}

}  // namespace eco
