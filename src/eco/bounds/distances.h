// SPDX-License-Identifier: BSD-3-Clause
// How long the shortest message takes between the hosts of a call, directly and through others, and
// how long after the start of a call, and until its end, data may cross each link. Nothing can be
// faster. Used by the bound.
#pragma once

#include <vector>

#include "eco/schedule/collective.h"
#include "eco/topology/network.h"

namespace eco {

class Distances {
public:
    // host_of: per rank its index in network.hosts. O(H² · depth) time, O(H²) space.
    Distances(const Network& network, const std::vector<int>& host_of);

    // Those that have ranks, in order; all below are places in this list.
    const std::vector<int>& hosts() const { return hosts_; }
    std::size_t count() const { return hosts_.size(); }
    std::size_t place(int host) const;

    // Of an empty message: the sender's part, the way, what of it comes after it has crossed the
    // links, the receiver's part, and all of it.
    Seconds send(std::size_t a) const;
    Seconds move(std::size_t a, std::size_t b) const { return move_[a][b]; }
    Seconds delay(std::size_t a, std::size_t b) const { return delay_[a][b]; }
    Seconds receive(std::size_t b) const;
    Seconds edge(std::size_t a, std::size_t b) const { return send(a) + move_[a][b] + receive(b); }

    // By way of any others. O(H²).
    std::vector<Seconds> from(std::size_t place) const { return shortest(place, false); }
    std::vector<Seconds> to(std::size_t place) const { return shortest(place, true); }

    // Per link when something may begin to cross it, where the hosts begin when ready (per place),
    // and what comes at least after the last crossing; `never` where nothing crosses.
    struct Crossing {
        std::vector<Seconds> head, tail;
    };
    Crossing crossing(const std::vector<Seconds>& ready) const;

private:
    std::vector<Seconds> shortest(std::size_t place, bool backwards) const;

    const Network& network_;
    std::vector<int> hosts_;
    std::vector<std::vector<Seconds>> move_, delay_;
};

}  // namespace eco
