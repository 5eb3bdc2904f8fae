// SPDX-License-Identifier: BSD-3-Clause
// The resources that sending a message occupies on a real network, and for how long: the links of
// its route, its sender and its receiver. Read by spread.cpp and hop_order.cpp.
#pragma once

#include <vector>

#include "eco/schedule/collective.h"
#include "eco/topology/network.h"

namespace eco::multicast {

struct Occupation {
    int resource;   // a link, or beyond these a rank
    double fixed;   // seconds of a message
    double factor;  // seconds of a byte
    Seconds of(Bytes bytes) const { return fixed + factor * static_cast<double>(bytes); }
};

class Load {
public:
    // host_of: per rank its index in network.hosts. O(ranks²).
    Load(const Network& network, const std::vector<int>& host_of);

    std::size_t resources() const { return resources_; }
    const std::vector<Occupation>& of(Rank from, Rank to) const {
        return pairs_[static_cast<std::size_t>(from) * ranks_ + static_cast<std::size_t>(to)];
    }
    // How much later than it leaves a message arrives.
    Seconds delay(Rank from, Rank to) const {
        return delays_[static_cast<std::size_t>(from) * ranks_ + static_cast<std::size_t>(to)];
    }

private:
    std::size_t ranks_, resources_;
    std::vector<std::vector<Occupation>> pairs_;
    std::vector<Seconds> delays_;
};

}  // namespace eco::multicast
