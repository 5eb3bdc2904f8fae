// SPDX-License-Identifier: BSD-3-Clause
// The part of network.h that is about multicasts.
#include <algorithm>
#include <set>

#include "eco/topology/network.h"

namespace eco {

Network::McastRoute Network::mcast_route(int from, const std::vector<int>& to) const {
    McastRoute found;
    const auto holds = [](const McastReach& reach, int host) {
        return reach.holds[static_cast<std::size_t>(host)];
    };
    for (std::size_t i = 0; i < mcasts.size() && found.reach < 0; ++i)
        if (holds(mcasts[i], from) &&
            std::all_of(to.begin(), to.end(), [&](int host) { return holds(mcasts[i], host); })) {
            found.rate = mcasts[i].rate;
            found.reach = static_cast<int>(i);
        }
    std::set<int> on_the_way;
    double fastest = 0;
    for (const int host : to)
        for (const int link : route(from, host)) {
            on_the_way.insert(link);
            fastest = std::max(fastest, links[static_cast<std::size_t>(link)].rate);
        }
    // Hosts with several NICs: multicasts faster than any of these links go by other NICs.
    if (railed.empty() || found.rate <= 1.2 * fastest)
        found.links.assign(on_the_way.begin(), on_the_way.end());
    return found;
}

std::vector<Network::McastReach> mcast_reaches(const MeasuredMcast& mcast, const Levels& levels) {
    std::vector<McastArea> areas = mcast.areas;
    std::stable_sort(areas.begin(), areas.end(),
                     [](const McastArea& a, const McastArea& b) { return a.level > b.level; });
    std::vector<Network::McastReach> reaches;
    for (const McastArea& area : areas) {
        if (area.level >= static_cast<int>(levels.size())) continue;
        Network::McastReach reach{{}, area.rate, area.send, area.receive};
        bool all = true;
        for (std::size_t host = 0; host < mcast.interfaces.size(); ++host) {
            const bool inside = area.level < 0 ||
                                levels[static_cast<std::size_t>(area.level)][host] == area.cluster;
            reach.holds.push_back(inside);
            all = all && (!inside || !mcast.interfaces[host].empty());
        }
        // As groups: one that has a host without an interface does not multicast (hierarchy.cpp).
        if (all) reaches.push_back(std::move(reach));
    }
    return reaches;
}

}  // namespace eco
