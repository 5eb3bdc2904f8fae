// SPDX-License-Identifier: BSD-3-Clause
#include "eco/topology/nesting.h"

#include <algorithm>
#include <map>
#include <set>

#include "eco/base/at.h"
#include "eco/topology/media.h"

namespace eco {

std::optional<std::pair<int, int>> find_cluster(const Levels& levels, std::vector<int> hosts) {
    std::sort(hosts.begin(), hosts.end());
    for (std::size_t l = levels.size(); l-- > 0;) {
        const int id = levels[l][at(hosts.front())];
        if (hosts_in(levels[l], id) == hosts) return std::pair(static_cast<int>(l), id);
    }
    return std::nullopt;
}

Levels parted(Levels levels, const std::vector<std::vector<int>>& parts) {
    std::vector<int> part(levels.back().size(), -1);
    for (std::size_t p = 0; p < parts.size(); ++p)
        for (const int host : parts[p]) part[at(host)] = static_cast<int>(p);
    std::map<std::pair<int, int>, int> ids;
    std::vector<int> finest;
    for (std::size_t host = 0; host < part.size(); ++host)
        finest.push_back(
            ids.emplace(std::pair(levels.back()[host], part[host]), static_cast<int>(ids.size()))
                .first->second);
    if (finest == levels.back()) return levels;
    const std::set<int> before(levels.back().begin(), levels.back().end());
    if (before.size() == 1) levels.pop_back();
    levels.push_back(std::move(finest));
    return levels;
}

Levels with_capacity(Levels levels, const Levels& old, const std::vector<Medium>& media) {
    for (std::size_t l = 0; l < old.size(); ++l) {
        std::vector<std::vector<int>> parts;
        for (const Medium& each : media) {
            if (each.level != static_cast<int>(l) || each.found_by != Medium::FoundBy::capacity)
                continue;
            auto hosts = hosts_in(old[l], each.cluster);
            std::set<int> within;
            for (const int host : hosts) within.insert(levels.back()[at(host)]);
            if (within.size() == 1) parts.push_back(std::move(hosts));
        }
        if (!parts.empty()) levels = parted(std::move(levels), parts);
    }
    return levels;
}

}  // namespace eco
