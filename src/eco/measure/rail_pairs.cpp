// SPDX-License-Identifier: BSD-3-Clause
#include "eco/measure/rail_pairs.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>

#include "eco/base/at.h"
#include "eco/survey/fill.h"
#include "eco/survey/survey.h"

namespace eco {

// Rates that differ by no more.
static constexpr double alike = 1.5;

// Of the time that is left, at most.
static constexpr double for_rails = 0.75, for_rails_of_many = 0.5;
static constexpr Seconds longest_of_many = 60;

// Of the members alone, by their places among them.
static Levels levels_among(const Levels& levels, const std::vector<int>& members) {
    Levels found;
    for (const auto& level : levels) {
        std::map<int, int> number;
        auto& own = found.emplace_back();
        for (const int host : members)
            own.push_back(
                number.emplace(level[at(host)], static_cast<int>(number.size())).first->second);
    }
    return found;
}

// Of each subnet, each host with one that is half of the subnet away.
static std::vector<HostPair> far_pairs(const std::vector<int>& subnet) {
    std::map<int, std::vector<int>> hosts;
    for (std::size_t host = 0; host < subnet.size(); ++host)
        hosts[subnet[host]].push_back(static_cast<int>(host));
    std::vector<HostPair> pairs;
    for (const auto& [number, own] : hosts) {
        const std::size_t half = own.size() / 2;
        for (std::size_t i = 0; half > 1 && i + half < own.size(); ++i)
            pairs.emplace_back(own[i], own[i + half]);
    }
    return pairs;
}

std::vector<HostPair> rail_pairs(const Levels& levels, const std::vector<int>& members,
                                 bool every) {
    const int count = static_cast<int>(members.size());
    if (count < 2) return {};
    const Levels among = levels_among(levels, members);
    std::vector<HostPair> all;
    if (every || levels.back().size() <= at(few_hosts)) {
        for (int a = 0; a < count; ++a)
            for (int b = a + 1; b < count; ++b) all.emplace_back(a, b);
    } else {
        all = pairs_for_all_sizes(Timings(count), among);
        const auto far = far_pairs(among.back());
        all.insert(all.end(), far.begin(), far.end());
    }
    std::vector<HostPair> inside, between, others;
    std::set<HostPair> begun;
    for (const auto& [a, b] : all) {
        const HostPair subnets = std::minmax(among.back()[at(a)], among.back()[at(b)]);
        auto& list = !begun.insert(subnets).second     ? others
                     : subnets.first == subnets.second ? inside
                                                       : between;
        list.emplace_back(members[at(a)], members[at(b)]);
    }
    inside.insert(inside.end(), between.begin(), between.end());
    inside.insert(inside.end(), others.begin(), others.end());
    return inside;
}

Seconds time_for_rails(std::size_t hosts, bool every, Seconds left) {
    if (every) return std::numeric_limits<Seconds>::infinity();
    if (hosts <= at(few_hosts)) return std::max(0.0, for_rails * left);
    return std::clamp(for_rails_of_many * left, 0.0, longest_of_many);
}

bool subnets_tell(const Table& bandwidth, const Levels& levels, const std::vector<int>& members) {
    const auto& subnet = levels.back();
    std::map<HostPair, std::pair<double, double>> range;
    for (const int a : members)
        for (const int b : members) {
            const double rate = bandwidth[at(a)][at(b)];
            if (a >= b || rate <= 0) continue;
            auto& [least, most] =
                range.emplace(std::minmax(subnet[at(a)], subnet[at(b)]), std::pair(rate, rate))
                    .first->second;
            least = std::min(least, rate);
            most = std::max(most, rate);
            if (most > alike * least) return false;
        }
    return true;
}

void infer_untimed(Table& figures, const Levels& levels, const std::vector<int>& members) {
    const int count = static_cast<int>(members.size());
    Timings timed(count);
    for (int i = 0; i < count; ++i)
        for (int j = i + 1; j < count; ++j)
            if (const double own = figures[at(members[at(i)])][at(members[at(j)])]; own > 0)
                timed.add({i, j}, {own});
    if (timed.entries().empty()) return;
    const Matrix filled = fill({timed}, 0, levels_among(levels, members)).minimum.front();
    for (int i = 0; i < count; ++i)
        for (int j = i + 1; j < count; ++j) {
            const auto a = at(members[at(i)]), b = at(members[at(j)]);
            if (figures[a][b] <= 0) figures[a][b] = figures[b][a] = filled(i, j);
        }
}

}  // namespace eco
