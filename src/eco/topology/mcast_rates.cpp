// SPDX-License-Identifier: BSD-3-Clause
#include "eco/topology/mcast_rates.h"

#include <algorithm>

namespace eco {

namespace {

// Each group gets the rate of the narrowest area that holds all its hosts.
void set_mcast(Group& group, const MeasuredMcast& mcast, const Levels& levels,
               const std::vector<int>& host_of) {
    const auto holds = [&](const McastArea& area) {
        return std::all_of(group.ranks.begin(), group.ranks.end(), [&](Rank rank) {
            const auto host = static_cast<std::size_t>(host_of[static_cast<std::size_t>(rank)]);
            return !mcast.interfaces[host].empty() &&
                   (area.level < 0 ||
                    levels[static_cast<std::size_t>(area.level)][host] == area.cluster);
        });
    };
    int narrowest = -2;
    for (const McastArea& area : mcast.areas)
        if (area.level > narrowest && area.level < static_cast<int>(levels.size()) && holds(area)) {
            narrowest = area.level;
            group.mcast_rate = area.rate;
        }
    for (Group& part : group.parts) set_mcast(part, mcast, levels, host_of);
}

}  // namespace

void set_mcast_rates(Hierarchy& hierarchy, const MeasuredMcast& mcast, const Levels& levels) {
    set_mcast(hierarchy.top, mcast, levels, hierarchy.host_of);
}

static void clear_mcast(Group& group) {
    group.mcast_rate = 0;
    for (Group& part : group.parts) clear_mcast(part);
}

void clear_mcast_rates(Hierarchy& hierarchy) { clear_mcast(hierarchy.top); }

}  // namespace eco
