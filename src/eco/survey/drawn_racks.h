// SPDX-License-Identifier: BSD-3-Clause
// Networks of racks for tests. Header-only.
#pragma once

#include <random>
#include <utility>
#include <vector>

#include "eco/base/at.h"
#include "eco/survey/simulated_streams.h"

namespace eco {

// over: per rack, ports of its hosts over what its uplink carries.
inline StreamNetwork racks_of(const std::vector<int>& sizes, const std::vector<double>& over) {
    StreamNetwork network;
    int next = 0;
    for (std::size_t r = 0; r < sizes.size(); ++r) {
        DrawnUplink uplink{{}, sizes[r] / over[r], sizes[r] / over[r]};
        for (int i = 0; i < sizes[r]; ++i) uplink.hosts.push_back(next++);
        network.uplinks.push_back(std::move(uplink));
    }
    network.port.assign(at(next), 1);
    return network;
}

inline StreamNetwork racks_of(const std::vector<int>& sizes, double over) {
    return racks_of(sizes, std::vector<double>(sizes.size(), over));
}

// Racks of 8 to 40 hosts, at 2:1 to 8:1.
template <typename Random>
StreamNetwork uneven_racks(int hosts, Random& random) {
    std::vector<int> sizes;
    std::vector<double> over;
    for (int left = hosts; left > 0; left -= sizes.back()) {
        const int size = 8 + static_cast<int>(random() % 33);
        sizes.push_back(left - size < 8 ? left : size);
    }
    for (std::size_t r = 0; r < sizes.size(); ++r)
        over.push_back(2 + 6 * std::generate_canonical<double, 32>(random));
    return racks_of(sizes, over);
}

// Per host its rack.
inline std::vector<int> racks(const StreamNetwork& network) {
    std::vector<int> found(network.port.size(), 0);
    for (std::size_t u = 0; u < network.uplinks.size(); ++u)
        for (const int host : network.uplinks[u].hosts) found[at(host)] = static_cast<int>(u);
    return found;
}

}  // namespace eco
