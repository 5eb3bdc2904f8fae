// SPDX-License-Identifier: BSD-3-Clause
// The links between ranks, for placement.
#include <map>
#include <tuple>

#include "eco/base/at.h"
#include "eco/topology/network.h"
#include "eco/topology/placement.h"

namespace eco {

LinksBetween::LinksBetween(const Network& network, const std::vector<int>& host_of)
    : host_of_(host_of) {
    for (const Link& link : network.links) rates_.push_back(link.rate);
    // Hosts of a cluster without ports of their own have the same ways: one of them stands for all,
    // and a second one for the way inside.
    std::map<std::tuple<int, int, int>, int> places;
    std::vector<std::vector<int>> hosts;
    for (const int host : host_of) {
        const std::tuple links{network.cluster_of[at(host)], network.port_out[at(host)],
                               network.port_in[at(host)]};
        const auto [place, fresh] = places.emplace(links, static_cast<int>(hosts.size()));
        if (fresh) hosts.emplace_back();
        place_.push_back(place->second);
        auto& some = hosts[at(place->second)];
        if (some.size() < 2 && (some.empty() || some.front() != host)) some.push_back(host);
    }
    for (const auto& from : hosts) {
        routes_.emplace_back();
        for (const auto& to : hosts)
            routes_.back().push_back(
                network.route(from.front(), &from == &to ? to.back() : to.front()));
    }
}

const std::vector<int>& LinksBetween::between(Rank from, Rank to) const {
    if (host_of_[at(from)] == host_of_[at(to)]) return none_;
    return routes_[at(place_[at(from)])][at(place_[at(to)])];
}

}  // namespace eco
