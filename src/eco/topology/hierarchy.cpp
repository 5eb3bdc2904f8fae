// SPDX-License-Identifier: BSD-3-Clause
#include "eco/topology/hierarchy.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <numeric>
#include <set>

#include "eco/base/check.h"
#include "eco/base/error.h"
#include "eco/topology/host_names.h"
#include "eco/topology/limiting_clusters.h"
#include "eco/topology/mcast_rates.h"

namespace eco {

bool Group::holds(Rank rank) const {
    return std::find(ranks.begin(), ranks.end(), rank) != ranks.end();
}

bool Group::is_innermost() const {
    return on_one_host || std::all_of(parts.begin(), parts.end(),
                                      [](const Group& part) { return part.is_rank(); });
}

const Group& innermost(const Group& group, Rank rank) {
    if (group.is_innermost()) return group;
    const auto part = std::find_if(group.parts.begin(), group.parts.end(),
                                   [rank](const Group& each) { return each.holds(rank); });
    ECO_CHECK(part != group.parts.end());
    return innermost(*part, rank);
}

namespace {

Group lone(Rank rank) {
    Group group;
    group.ranks = {rank};
    return group;
}

// A group of the given parts; a single part stands for itself.
Group join(std::vector<Group> parts) {
    if (parts.size() == 1) return std::move(parts.front());
    Group group;
    for (const auto& part : parts)
        group.ranks.insert(group.ranks.end(), part.ranks.begin(), part.ranks.end());
    group.parts = std::move(parts);
    return group;
}

// Splits ranks (in ring order) by their key at each depth in turn; below the last, single ranks. A
// rank without a key is a part by itself. hosts: the depth whose keys are the hosts.
Group nest(const std::vector<Rank>& ranks, const std::vector<std::vector<int>>& keys,
           std::size_t hosts, std::size_t depth) {
    std::vector<Group> parts;
    if (depth == keys.size()) {
        for (const Rank rank : ranks) parts.push_back(lone(rank));
        return join(std::move(parts));
    }
    std::vector<std::pair<int, std::vector<Rank>>> split;
    for (const Rank rank : ranks) {
        const int key = keys[depth][static_cast<std::size_t>(rank)];
        auto found = std::find_if(split.begin(), split.end(), [key](const auto& entry) {
            return key >= 0 && entry.first == key;
        });
        if (found == split.end()) found = split.insert(split.end(), {key, {}});
        found->second.push_back(rank);
    }
    for (const auto& [key, members] : split) {
        parts.push_back(nest(members, keys, hosts, depth + 1));
        if (depth == hosts && members.size() > 1) parts.back().on_one_host = true;
    }
    return join(std::move(parts));
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

namespace {

bool all_consecutive(const Group& group) {
    const auto [least, most] = std::minmax_element(group.ranks.begin(), group.ranks.end());
    if (*most - *least + 1 != static_cast<int>(group.ranks.size())) return false;
    return group.on_one_host ||
           std::all_of(group.parts.begin(), group.parts.end(), all_consecutive);
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
    if (profile.mcast) set_mcast(hierarchy.top, *profile.mcast, profile.levels, host_of);
    // Inside hosts neighbours are near as well.
    hierarchy.ring = hierarchy.top.ranks;
    hierarchy.structure = structure_of(profile, host_of, hierarchy.top);
    return hierarchy;
}

Hierarchy flat_hierarchy(int ranks) {
    Hierarchy hierarchy;
    hierarchy.ring.resize(static_cast<std::size_t>(ranks));
    std::iota(hierarchy.ring.begin(), hierarchy.ring.end(), 0);
    hierarchy.top = nest(hierarchy.ring, {}, 0, 0);
    return hierarchy;
}

Hierarchy without_groups(const Hierarchy& hierarchy) {
    Hierarchy flat = hierarchy;
    flat.top = nest(hierarchy.ring, {}, 0, 0);
    return flat;
}

static void add_innermost(const Group& group, std::vector<Group>& list) {
    for (const Group& part : group.parts)
        if (part.is_innermost())
            list.push_back(part);
        else
            add_innermost(part, list);
}

bool has_levels(const Hierarchy& hierarchy) {
    return std::any_of(hierarchy.top.parts.begin(), hierarchy.top.parts.end(),
                       [](const Group& part) { return !part.is_innermost(); });
}

Hierarchy without_levels(const Hierarchy& hierarchy) {
    if (hierarchy.top.is_innermost()) return hierarchy;
    Hierarchy found = hierarchy;
    found.top.parts.clear();
    add_innermost(hierarchy.top, found.top.parts);
    return found;
}

double mcast_rate(const Group& top, Rank from, std::span<const Rank> to) {
    const Group* group = &top;
    while (true) {
        const auto part = std::find_if(group->parts.begin(), group->parts.end(),
                                       [&](const Group& each) { return each.holds(from); });
        if (part == group->parts.end() ||
            !std::all_of(to.begin(), to.end(), [&](Rank rank) { return part->holds(rank); }))
            return group->mcast_rate;
        group = &*part;
    }
}

bool is_reached(const Group& group) { return group.mcast_rate > 0 && !group.on_one_host; }

bool has_mcast(const Group& group) {
    if (group.is_rank() || group.on_one_host) return false;
    return group.mcast_rate > 0 || std::any_of(group.parts.begin(), group.parts.end(), has_mcast);
}

bool is_near(const Hierarchy& hierarchy) { return all_consecutive(hierarchy.top); }

const char* layout_name(const Hierarchy& hierarchy) {
    return is_near(hierarchy) ? "near" : "scattered";
}

static int most_on_a_host(const Group& group) {
    if (group.on_one_host) return static_cast<int>(group.ranks.size());
    int most = 1;
    for (const Group& part : group.parts) most = std::max(most, most_on_a_host(part));
    return most;
}

int ranks_per_host(const Hierarchy& hierarchy) { return most_on_a_host(hierarchy.top); }

std::string describe(const Group& group) {
    if (group.is_rank()) return std::to_string(group.ranks.front());
    std::string text;
    for (const auto& part : group.parts) {
        const bool in_parentheses = !part.is_rank() && !part.on_one_host;
        if (!text.empty()) text += ' ';
        if (in_parentheses) text += '(';
        text += describe(part);
        if (in_parentheses) text += ')';
    }
    return group.on_one_host ? "[" + text + "]" : text;
}

namespace {

bool closes(char character) { return character == ')' || character == ']' || character == '}'; }

void let_mcast(Group& group) {
    group.mcast_rate = 1e6;
    for (Group& part : group.parts) let_mcast(part);
}

Group parse_parts(const std::string& text, std::size_t& at) {
    std::vector<Group> parts;
    while (at < text.size() && !closes(text[at])) {
        if (text[at] == '(' || text[at] == '[' || text[at] == '{') {
            const char close = text[at] == '(' ? ')' : text[at] == '[' ? ']' : '}';
            ++at;
            parts.push_back(parse_parts(text, at));
            if (at == text.size() || text[at] != close)
                throw Error(Code::bad_input, "hierarchy: a (, [ or { without its end");
            if (close == ']' && !parts.back().is_rank()) parts.back().on_one_host = true;
            if (close == '}') let_mcast(parts.back());
            ++at;
        } else if (std::isdigit(static_cast<unsigned char>(text[at]))) {
            int rank = 0;
            for (; at < text.size() && std::isdigit(static_cast<unsigned char>(text[at])); ++at)
                rank = rank * 10 + (text[at] - '0');
            parts.push_back(lone(rank));
        } else {
            ++at;
        }
    }
    return join(std::move(parts));
}

}  // namespace

Hierarchy parse_hierarchy(const std::string& text) {
    std::size_t at = 0;
    Hierarchy hierarchy;
    hierarchy.top = parse_parts(text, at);
    const auto& parts = hierarchy.top.parts;
    hierarchy.one_subnet =
        std::all_of(parts.begin(), parts.end(), [](const Group& part) { return part.is_rank(); });
    hierarchy.ring = hierarchy.top.ranks;
    return hierarchy;
}

}  // namespace eco
