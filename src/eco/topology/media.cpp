// SPDX-License-Identifier: BSD-3-Clause
#include "eco/topology/media.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>

#include "eco/base/at.h"

namespace eco {

namespace {

// A bus carries 1, a switch 2 or more. As far from both as noise allows.
constexpr double bus_at_most = 1.4;
// What is expected of a switch must be farther off than that.
constexpr double tells_at_least = 1.6;
// Of what is expected: with two flows 1 is none shared, 0.5 all shared.
constexpr double uplink_at_most = 0.7;
// Rates of one kind of link.
constexpr double alike_slow = 0.67;

// Lists of hosts by their cluster of one level, in the order of the first host.
std::vector<std::vector<int>> by_cluster(const std::vector<int>& hosts,
                                         const std::vector<int>& level) {
    std::map<int, std::size_t> place;
    std::vector<std::vector<int>> parts;
    for (const int host : hosts) {
        const auto [found, fresh] = place.emplace(level[at(host)], parts.size());
        if (fresh) parts.emplace_back();
        parts[found->second].push_back(host);
    }
    return parts;
}

// One host of each part, then the next of each, and so on.
std::vector<int> in_turn(const std::vector<std::vector<int>>& parts) {
    std::vector<int> order;
    bool more = true;
    for (std::size_t turn = 0; more; ++turn) {
        more = false;
        for (const auto& part : parts) {
            if (turn >= part.size()) continue;
            order.push_back(part[turn]);
            more = true;
        }
    }
    return order;
}

void fastest_first(std::vector<Flow>& flows, const Table& per_byte) {
    const auto fastest =
        std::min_element(flows.begin(), flows.end(), [&](const Flow& a, const Flow& b) {
            return per_byte[at(a.from)][at(a.to)] < per_byte[at(b.from)][at(b.to)];
        });
    std::rotate(flows.begin(), fastest, flows.end());
}

// Flows that share so many bytes per second.
struct Shared {
    std::vector<std::size_t> flows;
    double rate;
};

std::vector<Shared> shared_media(const std::vector<Flow>& flows, const Levels& levels,
                                 const std::vector<Medium>& known) {
    std::vector<Shared> all;
    for (const auto& medium : known) {
        const auto& level = levels[at(medium.level)];
        Shared bus{{}, medium.rate}, out{{}, medium.uplink}, in{{}, medium.into()};
        for (std::size_t f = 0; f < flows.size(); ++f) {
            const bool from = level[at(flows[f].from)] == medium.cluster;
            const bool to = level[at(flows[f].to)] == medium.cluster;
            if (from || to) bus.flows.push_back(f);
            if (from && !to) out.flows.push_back(f);
            if (to && !from) in.flows.push_back(f);
        }
        if (medium.kind == Medium::Kind::bus) all.push_back(bus);
        if (out.rate > 0) all.push_back(out);
        if (in.rate > 0) all.push_back(in);
    }
    return all;
}

// Max-min fair: the scarcest share is dealt out first, again and again.
double fair_total(std::vector<Shared> media, std::size_t flows) {
    std::vector<bool> settled(flows, false);
    double total = 0;
    for (std::size_t left = flows; left > 0;) {
        double share = std::numeric_limits<double>::infinity();
        const Shared* scarcest = nullptr;
        for (auto& medium : media) {
            std::erase_if(medium.flows, [&](std::size_t f) { return settled[f]; });
            if (medium.flows.empty()) continue;
            const double each = medium.rate / static_cast<double>(medium.flows.size());
            if (each < share) {
                share = each;
                scarcest = &medium;
            }
        }
        if (!scarcest) break;
        for (const std::size_t flow : std::vector<std::size_t>(scarcest->flows)) {
            settled[flow] = true;
            --left;
            total += share;
            for (auto& medium : media)
                if (std::find(medium.flows.begin(), medium.flows.end(), flow) != medium.flows.end())
                    medium.rate -= share;
        }
    }
    return total;
}

bool far_from(double value, double limit) { return value < 0.85 * limit || value > 1.2 * limit; }

}  // namespace

std::vector<int> hosts_in(const std::vector<int>& level, int cluster) {
    std::vector<int> hosts;
    for (std::size_t host = 0; host < level.size(); ++host)
        if (level[host] == cluster) hosts.push_back(static_cast<int>(host));
    return hosts;
}

bool same_hosts(const std::vector<int>& level, int cluster, const std::vector<int>& other_level,
                int other_cluster) {
    return hosts_in(level, cluster) == hosts_in(other_level, other_cluster);
}

std::vector<Flow> flows_inside(const Levels& levels, int level, int cluster,
                               const Table& per_byte) {
    auto ends = hosts_in(levels[at(level)], cluster);
    if (at(level) + 1 < levels.size()) {
        const auto parts = by_cluster(ends, levels[at(level) + 1]);
        ends.clear();
        for (const auto& part : parts) ends.push_back(part.front());
    }
    if (ends.size() < 2) return {};
    ends.resize(std::min(ends.size(), most_flows));
    std::vector<Flow> flows;
    for (std::size_t i = 0; i < ends.size(); ++i)
        flows.push_back({ends[i], ends[(i + 1) % ends.size()]});
    fastest_first(flows, per_byte);
    return flows;
}

std::vector<Flow> flows_out(const Levels& levels, int level, int cluster, const Table& per_byte) {
    const auto& ids = levels[at(level)];
    const auto inside = hosts_in(ids, cluster);
    std::vector<int> others;
    for (std::size_t host = 0; host < ids.size(); ++host)
        if (ids[host] != cluster) others.push_back(static_cast<int>(host));
    if (inside.empty() || others.empty()) return {};
    const auto slowness = [&](const std::vector<int>& part) {
        double least = std::numeric_limits<double>::infinity();
        for (const int a : inside)
            for (const int b : part) least = std::min(least, per_byte[at(a)][at(b)]);
        return least;
    };
    auto outside = by_cluster(others, ids);
    const double least = slowness(others);
    std::erase_if(outside, [&](const auto& part) { return slowness(part) * alike_slow > least; });
    std::vector<std::vector<int>> targets;
    for (const auto& part : outside) targets.push_back(in_turn(by_cluster(part, levels.back())));
    const std::size_t most = targets.size() > 1 ? targets.size() : targets.front().size();
    const auto sources = in_turn(by_cluster(inside, levels.back())), ends = in_turn(targets);
    std::vector<Flow> flows;
    for (std::size_t i = 0; i < std::min({sources.size(), most, most_flows}); ++i)
        flows.push_back({sources[i], ends[i]});
    fastest_first(flows, per_byte);
    return flows;
}

double expected_total(const std::vector<Flow>& flows, double alone, const Table& per_byte,
                      const Levels& levels, const std::vector<Medium>& known) {
    auto media = shared_media(flows, levels, known);
    const double first = per_byte[at(flows[0].from)][at(flows[0].to)];
    for (std::size_t f = 0; f < flows.size(); ++f) {
        const double own = per_byte[at(flows[f].from)][at(flows[f].to)];
        media.push_back({{f}, first > 0 && own > first ? alone * first / own : alone});
    }
    return fair_total(std::move(media), flows.size());
}

bool is_bus(const Observed& seen) {
    return seen.expected >= tells_at_least * seen.alone &&
           seen.together <= bus_at_most * seen.alone;
}

bool could_tell(const Observed& seen) { return seen.expected >= bus_at_most * seen.alone; }

double shared_uplink(const Observed& seen) {
    if (!could_tell(seen) || seen.together > uplink_at_most * seen.expected) return 0;
    return std::max(seen.alone, seen.together);
}

bool clearly_bus_or_not(const Observed& seen) {
    return far_from(seen.together, bus_at_most * seen.alone);
}

bool clearly_shared_or_not(const Observed& seen) {
    return far_from(seen.together, uplink_at_most * seen.expected);
}

}  // namespace eco
