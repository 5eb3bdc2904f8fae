// SPDX-License-Identifier: BSD-3-Clause
// A network over all of its rails on which each host pays as little for a message as it does for
// the cheapest multicast. For bound.h: a schedule may multicast what the bound takes for a message.
#pragma once

#include <optional>

#include "eco/topology/network.h"

namespace eco {

class LeastCosts {
public:
    // Refers to this network.
    explicit LeastCosts(const Network& network) : given_(network.over(network.rails())) {
        for (const Network::McastReach& reach : given_.mcasts)
            for (std::size_t host = 0; host < reach.holds.size(); ++host)
                if (reach.holds[host]) {
                    lower(&Network::send, host, reach.send);
                    lower(&Network::receive, host, reach.receive);
                }
    }
    const Network& network() const { return changed_ ? *changed_ : given_; }

private:
    void lower(std::vector<Cost> Network::* of_hosts, std::size_t host, Seconds cost) {
        if (cost <= 0) return;
        if (!changed_) changed_ = given_;
        Cost& here = ((*changed_).*of_hosts)[host];
        here = {std::min(here.fixed, cost), 0};
    }

    const Network& given_;
    std::optional<Network> changed_;
};

}  // namespace eco
