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
    // host_of: per rank its index in network.hosts. The network outlives this. A pair is worked out
    // when it is first asked for: few of many ranks' are.
    Load(const Network& network, const std::vector<int>& host_of)
        : network_(network),
          host_of_(host_of),
          resources_(network.links.size() + host_of.size()),
          pairs_(host_of.size() * host_of.size()) {}

    std::size_t resources() const { return resources_; }
    const std::vector<Occupation>& of(Rank from, Rank to) const { return pair(from, to).occupied; }
    // How much later than it leaves a message arrives.
    Seconds delay(Rank from, Rank to) const { return pair(from, to).delay; }

private:
    struct Pair {
        std::vector<Occupation> occupied;  // never empty once it is known
        Seconds delay = 0;
    };
    const Pair& pair(Rank from, Rank to) const {
        Pair& found =
            pairs_[static_cast<std::size_t>(from) * host_of_.size() + static_cast<std::size_t>(to)];
        if (found.occupied.empty()) work_out(from, to, found);
        return found;
    }
    void work_out(Rank from, Rank to, Pair& pair) const;

    const Network& network_;
    const std::vector<int> host_of_;
    std::size_t resources_;
    mutable std::vector<Pair> pairs_;
};

}  // namespace eco::multicast
