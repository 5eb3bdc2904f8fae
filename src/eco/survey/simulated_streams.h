// SPDX-License-Identifier: BSD-3-Clause
// Answers streams from a drawn network of racks and pods, as unfair as TCP on full links: for tests
// and bench/capacity.cpp, with many hosts.
#pragma once

#include <random>
#include <vector>

#include "eco/topology/media.h"

namespace eco {

// A rack, a pod: what its hosts share. Rates in those of a host's port.
struct DrawnUplink {
    std::vector<int> hosts;
    double out = 0, in = 0;
};

struct StreamNetwork {
    std::vector<double> port;  // per host
    std::vector<DrawnUplink> uplinks;
    // All hosts together, as where emulated ones share processors; 0: no limit.
    double processors = 0;
    // As measured in the lab: weights of streams on one full link differ by this power of e; a
    // share of the streams is disturbed and gets a part of its rate.
    double uneven = 0.6, disturbed = 0.1;
    // Of the rounds in so many others' traffic takes half of some uplink.
    double others = 0;
};

class SimulatedStreams {
public:
    SimulatedStreams(StreamNetwork network, unsigned seed)
        : network_(std::move(network)), random_(seed) {}
    // Of all at once, in the same order.
    std::vector<double> rates(const std::vector<Flow>& streams);

private:
    StreamNetwork network_;
    std::mt19937 random_;
};

}  // namespace eco
