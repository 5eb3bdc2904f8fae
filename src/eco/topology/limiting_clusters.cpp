// SPDX-License-Identifier: BSD-3-Clause
#include "eco/topology/limiting_clusters.h"

#include <algorithm>
#include <limits>
#include <map>

#include "eco/base/at.h"
#include "eco/topology/network.h"

namespace eco {

namespace {

// Null: not known.
const Medium* medium_of(const Model& model, int level, int cluster) {
    const auto found = std::find_if(
        model.media.begin(), model.media.end(),
        [=](const Medium& each) { return each.level == level && each.cluster == cluster; });
    return found == model.media.end() ? nullptr : &*found;
}

// A cluster that stays, or a host that is in none.
struct Part {
    int key;
    double demand;  // bytes/s that its hosts send at most, by its ports and uplinks
};

}  // namespace

bool leave_out_what_limits_nothing(const Profile& profile, const std::vector<int>& host_of,
                                   std::vector<std::vector<int>>& keys) {
    if (!profile.model) return false;
    const int levels = static_cast<int>(profile.levels.size());
    const int hosts = static_cast<int>(profile.hosts.size());
    // Of a port that is not known, the fastest that is.
    double fastest = 0;
    for (const Medium& medium : profile.model->media)
        if (medium.level == levels - 1) fastest = std::max(fastest, medium.rate);
    if (fastest <= 0) fastest = std::numeric_limits<double>::infinity();
    std::map<int, Part> part_of;  // by host
    for (const int host : host_of) {
        const Medium* medium =
            medium_of(*profile.model, levels - 1, profile.levels.back()[at(host)]);
        part_of[host] = {levels * hosts + host, medium ? medium->rate : fastest};
    }
    bool divided = false, still_divided = false;
    for (int level = levels - 1; level >= 0; --level) {
        const auto& clusters = profile.levels[at(level)];
        std::map<int, std::map<int, double>> parts;  // of each cluster: demand by key
        for (const auto& [host, part] : part_of) parts[clusters[at(host)]][part.key] = part.demand;
        for (const auto& [cluster, demands] : parts) {
            double demand = 0;
            for (const auto& [key, each] : demands) demand += each;
            const Medium* medium = medium_of(*profile.model, level, cluster);
            const double uplink = medium ? std::min(medium->uplink, medium->into()) : 0;
            divided = divided || parts.size() > 1;
            if (demands.size() == 1) continue;
            if (medium && medium->found_by == Medium::FoundBy::capacity &&
                uplink >= hardly_limits * demand)
                continue;
            still_divided = still_divided || parts.size() > 1;
            if (uplink > 0) demand = std::min(demand, uplink);
            for (auto& [host, part] : part_of)
                if (clusters[at(host)] == cluster) part = {level * hosts + cluster, demand};
        }
        for (std::size_t rank = 0; rank < host_of.size(); ++rank)
            keys[at(level)][rank] = part_of[host_of[rank]].key;
    }
    return divided && !still_divided;
}

}  // namespace eco
