// SPDX-License-Identifier: BSD-3-Clause
#include "eco/selection/groups.h"

#include <algorithm>
#include <cmath>

#include "eco/base/log2.h"
#include "eco/planners/tree.h"

namespace eco {

bool has_groups_inside(const Group& group) {
    if (group.is_innermost()) return false;
    return std::any_of(group.parts.begin(), group.parts.end(), [](const Group& part) {
        return part.is_innermost() ? !part.is_rank() : has_groups_inside(part);
    });
}

std::set<int> carrier_counts(const Group& top) {
    std::vector<int> sizes;
    for (const Group& part : top.parts) sizes.push_back(static_cast<int>(part.ranks.size()));
    if (sizes.size() < 2) return {};
    std::sort(sizes.rbegin(), sizes.rend());
    return {1, sizes[1]};
}

int widest(const Group& top) {
    std::size_t most = 1;
    for (const Group& part : top.parts) most = std::max(most, part.ranks.size());
    return static_cast<int>(most);
}

const Group* widest_switch(const Group& group) {
    const Group* widest = nullptr;
    if (!group.is_rank() && !has_groups(group) && !(group.medium_known && group.shared) &&
        group.parts.size() > 7)
        widest = &group;
    for (const Group& part : group.parts)
        if (const Group* inside = widest_switch(part);
            inside && (!widest || inside->parts.size() > widest->parts.size()))
            widest = inside;
    return widest;
}

Bytes even_length(const Group& group, Bytes bytes) {
    constexpr Bytes half_frame = 700;
    constexpr double headers = 100;
    double overhead = headers;
    if (group.inter_cluster_cost && group.inter_cluster_cost->busy.per_byte > 0)
        overhead = std::max(overhead, group.inter_cluster_cost->busy.fixed /
                                          group.inter_cluster_cost->busy.per_byte);
    const double steps = portable_log2(static_cast<double>(group.parts.size()));
    const double ideal = std::sqrt(static_cast<double>(bytes) * overhead / steps);
    Bytes length = half_frame;
    while (1.5 * static_cast<double>(length) < ideal) length *= 2;
    return length;
}

}  // namespace eco
