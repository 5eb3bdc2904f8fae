// SPDX-License-Identifier: BSD-3-Clause
#include "eco/planners/mcast_areas.h"

#include <algorithm>
#include <tuple>

namespace eco {

// leader: whom a message from outside comes to.
static Group led_by(Rank leader, const Group& group) {
    Group found;
    found.ranks = group.ranks;
    found.crossing = group.crossing;
    found.shared = group.shared;
    found.leader = leader;
    if (is_reached(group)) return found;
    for (const Group& part : group.parts)
        found.parts.push_back(led_by(part.holds(leader) ? leader : part.first(), part));
    return found;
}

Group between_areas(const Group& top) {
    Group found = top;
    if (is_reached(top)) found.parts.clear();
    for (Group& part : found.parts) part = led_by(part.first(), part);
    return found;
}

const Group* area_of(const Group& between, Rank rank) {
    if (between.is_rank()) return between.ranks.size() > 1 ? &between : nullptr;
    for (const Group& part : between.parts)
        if (part.holds(rank)) return area_of(part, rank);
    return nullptr;
}

static void add_vertices(const Group& group, std::vector<const Group*>& list) {
    if (group.is_rank()) list.push_back(&group);
    for (const Group& part : group.parts) add_vertices(part, list);
}

std::vector<Rank> ranks_outside(const Group& between, const Group& area) {
    std::vector<const Group*> vertices;
    add_vertices(between, vertices);
    std::size_t own = 0;
    while (!vertices[own]->holds(area.first())) ++own;
    std::vector<std::tuple<std::size_t, std::size_t, Rank>> order;  // place, steps back, rank
    for (std::size_t back = 1; back < vertices.size(); ++back) {
        const auto& ranks = vertices[(own + vertices.size() - back) % vertices.size()]->ranks;
        for (std::size_t place = 0; place < ranks.size(); ++place)
            order.emplace_back(place, back, ranks[place]);
    }
    std::sort(order.begin(), order.end());
    std::vector<Rank> found;
    for (const auto& [place, back, rank] : order) found.push_back(rank);
    return found;
}

}  // namespace eco
