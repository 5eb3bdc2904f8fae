// SPDX-License-Identifier: BSD-3-Clause
#include "eco/topology/build_hierarchy.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <string>

#include "eco/topology/find_inter_cluster_costs.h"
#include "eco/topology/host_names.h"
#include "eco/topology/limiting_clusters.h"
#include "eco/topology/mcast_rates.h"

namespace eco {

namespace {

// Splits ranks (in ring order) by their key at each depth in turn; below the last, single ranks. A
// rank without a key is a part by itself. hosts: the depth whose keys are the hosts.
Group nest(const std::vector<Rank>& ranks, const std::vector<std::vector<int>>& keys,
           std::size_t hosts, std::size_t depth) {
    if (depth == keys.size()) return side_by_side(ranks);
    std::vector<std::pair<int, std::vector<Rank>>> split;
    for (const Rank rank : ranks) {
        const int key = keys[depth][static_cast<std::size_t>(rank)];
        auto found = std::find_if(split.begin(), split.end(), [key](const auto& entry) {
            return key >= 0 && entry.first == key;
        });
        if (found == split.end()) found = split.insert(split.end(), {key, {}});
        found->second.push_back(rank);
    }
    std::vector<Group> parts;
    for (const auto& [key, members] : split) {
        parts.push_back(nest(members, keys, hosts, depth + 1));
        if (depth == hosts && members.size() > 1) parts.back().on_one_host = true;
    }
    return joined(std::move(parts));
}

// Each group gets the medium of the narrowest cluster that holds all its hosts.
void set_media(Group& group, const Profile& profile, const std::vector<int>& host_of,
               double slowest) {
    const auto inside = [&](const Medium& medium) {
        const auto& level = profile.levels[static_cast<std::size_t>(medium.level)];
        return std::all_of(group.ranks.begin(), group.ranks.end(), [&](Rank rank) {
            const int host = host_of[static_cast<std::size_t>(rank)];
            return level[static_cast<std::size_t>(host)] == medium.cluster;
        });
    };
    const Medium* narrowest = nullptr;
    for (const Medium& medium : profile.model->media)
        if ((!narrowest || medium.level >= narrowest->level) && inside(medium)) narrowest = &medium;
    if (narrowest) {
        group.crossing = slowest / narrowest->rate;
        group.shared = narrowest->kind == Medium::Kind::bus;
        group.medium_known = true;
    }
    for (Group& part : group.parts) set_media(part, profile, host_of, slowest);
    if (group.is_innermost()) return;
    const auto busy = [](const Group& part) {
        return part.crossing * (part.shared ? static_cast<double>(part.ranks.size()) : 1);
    };
    const auto least =
        std::min_element(group.parts.begin(), group.parts.end(),
                         [&](const Group& a, const Group& b) { return busy(a) < busy(b); });
    group.leader = least->first();
}

// Each group that spans hosts gets the inter-cluster cost of the narrowest cluster that holds them
// all.
void set_inter_cluster_costs(Group& group, const std::vector<InterClusterCost>& inter_cluster_costs,
                             const Levels& levels, const std::vector<int>& host_of) {
    if (group.is_rank() || group.on_one_host) return;
    const auto holds = [&](const InterClusterCost& inter_cluster_cost) {
        return inter_cluster_cost.level < 0 ||
               std::all_of(
                   group.ranks.begin(), group.ranks.end(),
                   [&](Rank rank) {
                       const auto& level =
                           levels[static_cast<std::size_t>(inter_cluster_cost.level)];
                       const int host = host_of[static_cast<std::size_t>(rank)];
                       return level[static_cast<std::size_t>(host)] == inter_cluster_cost.cluster;
                   });
    };
    for (const InterClusterCost& inter_cluster_cost : inter_cluster_costs)
        if ((!group.inter_cluster_cost ||
             inter_cluster_cost.level >= group.inter_cluster_cost->level) &&
            holds(inter_cluster_cost))
            group.inter_cluster_cost = inter_cluster_cost;
    for (Group& part : group.parts)
        set_inter_cluster_costs(part, inter_cluster_costs, levels, host_of);
}

}  // namespace

std::vector<std::vector<int>> keys_by_level(const Profile& profile, const std::vector<int>& host_of,
                                            const std::vector<Binding>& bindings) {
    std::vector<std::vector<int>> keys;
    for (const auto& level : profile.levels) {
        keys.emplace_back();
        for (const int host : host_of) keys.back().push_back(level[static_cast<std::size_t>(host)]);
    }
    keys.push_back(host_of);
    for (auto& inside : keys_inside(host_of, bindings)) keys.push_back(std::move(inside));
    return keys;
}

// The same in whatever order its parts are.
static std::string count_hosts(const Group& group) {
    if (group.is_rank() || group.on_one_host) return "1";
    int lone = 0;
    std::vector<std::string> parts;
    for (const Group& part : group.parts) {
        const std::string text = count_hosts(part);
        if (text == "1")
            ++lone;
        else
            parts.push_back(text.find('+') == std::string::npos ? text : "(" + text + ")");
    }
    if (parts.empty()) return std::to_string(lone);
    parts.insert(parts.end(), static_cast<std::size_t>(lone), "1");
    std::sort(parts.begin(), parts.end());
    std::string text;
    for (const std::string& part : parts) text += (text.empty() ? "" : "+") + part;
    return text;
}

static std::string structure_of(const Profile& profile, const std::vector<int>& host_of,
                                const Group& top) {
    const std::size_t measured = profile.measured_hosts > 0
                                     ? static_cast<std::size_t>(profile.measured_hosts)
                                     : profile.hosts.size();
    if (std::set<int>(host_of.begin(), host_of.end()).size() == measured) return "";
    constexpr std::size_t most = 64;  // longer ones only need to differ from each other
    const std::string text = count_hosts(top);
    return text.size() <= most ? text : std::to_string(name_hash(text));
}

Hierarchy build_hierarchy(const Profile& profile, const std::vector<int>& host_of,
                          const std::vector<Binding>& bindings) {
    std::vector<int> place(profile.hosts.size());
    for (std::size_t i = 0; i < profile.ring.size(); ++i)
        place[static_cast<std::size_t>(profile.ring[i])] = static_cast<int>(i);
    Hierarchy hierarchy;
    hierarchy.ring.resize(host_of.size());
    std::iota(hierarchy.ring.begin(), hierarchy.ring.end(), 0);
    const auto place_of = [&](Rank rank) {
        return place[static_cast<std::size_t>(host_of[static_cast<std::size_t>(rank)])];
    };
    std::stable_sort(hierarchy.ring.begin(), hierarchy.ring.end(),
                     [&](Rank a, Rank b) { return place_of(a) < place_of(b); });
    auto keys = keys_by_level(profile, host_of, bindings);
    const auto& subnet = keys[profile.levels.size() - 1];
    hierarchy.one_subnet =
        std::all_of(subnet.begin(), subnet.end(), [&](int id) { return id == subnet.front(); });
    const bool as_one_switch = leave_out_what_limits_nothing(profile, host_of, keys);
    hierarchy.host_of = host_of;
    hierarchy.top = nest(hierarchy.ring, keys, profile.levels.size(), 0);
    hierarchy.rails = profile.rails ? profile.rails->most : 0;
    if (profile.model && !profile.model->media.empty()) {
        const auto& media = profile.model->media;
        const auto slowest =
            std::min_element(media.begin(), media.end(),
                             [](const Medium& a, const Medium& b) { return a.rate < b.rate; });
        set_media(hierarchy.top, profile, host_of, slowest->rate);
        if (as_one_switch) {
            hierarchy.top.shared = false;
            hierarchy.top.medium_known = true;
        }
    }
    set_inter_cluster_costs(hierarchy.top, find_inter_cluster_costs(profile), profile.levels,
                            host_of);
    if (profile.mcast) set_mcast_rates(hierarchy, *profile.mcast, profile.levels);
    // Inside hosts neighbours are near as well.
    hierarchy.ring = hierarchy.top.ranks;
    hierarchy.structure = structure_of(profile, host_of, hierarchy.top);
    return hierarchy;
}

}  // namespace eco
