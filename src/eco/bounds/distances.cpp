// SPDX-License-Identifier: BSD-3-Clause
#include "eco/bounds/distances.h"

#include <algorithm>

#include "eco/base/at.h"

namespace eco {

Distances::Distances(const Network& network, const std::vector<int>& host_of)
    : network_(network), hosts_(host_of) {
    std::sort(hosts_.begin(), hosts_.end());
    hosts_.erase(std::unique(hosts_.begin(), hosts_.end()), hosts_.end());
    move_.assign(count(), std::vector<Seconds>(count(), 0));
    delay_ = move_;
    for (std::size_t a = 0; a < count(); ++a)
        for (std::size_t b = 0; b < count(); ++b) {
            if (a == b) continue;
            const auto route = network.route(hosts_[a], hosts_[b]);
            delay_[a][b] = network.delay(hosts_[a], hosts_[b], route, 0);
            const double rate = network.rate(hosts_[a], hosts_[b], route), wire = network.wire(0);
            move_[a][b] = (wire - network.passes(route, rate, wire)) / rate + delay_[a][b];
        }
}

std::size_t Distances::place(int host) const {
    return static_cast<std::size_t>(std::lower_bound(hosts_.begin(), hosts_.end(), host) -
                                    hosts_.begin());
}

Seconds Distances::send(std::size_t a) const { return network_.send[at(hosts_[a])].fixed; }
Seconds Distances::receive(std::size_t b) const { return network_.receive[at(hosts_[b])].fixed; }

Distances::Crossing Distances::crossing(const std::vector<Seconds>& ready) const {
    Crossing found;
    found.head.assign(network_.links.size(), never);
    found.tail = found.head;
    for (std::size_t a = 0; a < count(); ++a)
        for (std::size_t b = 0; b < count(); ++b) {
            if (a == b) continue;
            const Seconds start = ready[a] + send(a);
            const Seconds after = delay_[a][b] + receive(b);
            for (const int link : network_.route(hosts_[a], hosts_[b])) {
                found.head[at(link)] = std::min(found.head[at(link)], start);
                found.tail[at(link)] = std::min(found.tail[at(link)], after);
            }
        }
    return found;
}

// Dijkstra on a full graph.
std::vector<Seconds> Distances::shortest(std::size_t place, bool backwards) const {
    std::vector<Seconds> distance(count(), never);
    std::vector<char> done(count(), 0);
    distance[place] = 0;
    for (std::size_t round = 0; round < count(); ++round) {
        std::size_t near = count();
        for (std::size_t h = 0; h < count(); ++h)
            if (!done[h] && (near == count() || distance[h] < distance[near])) near = h;
        done[near] = 1;
        for (std::size_t h = 0; h < count(); ++h)
            if (!done[h])
                distance[h] = std::min(
                    distance[h], distance[near] + (backwards ? edge(h, near) : edge(near, h)));
    }
    return distance;
}

}  // namespace eco
