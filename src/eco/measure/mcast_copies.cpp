// SPDX-License-Identifier: BSD-3-Clause
#include "eco/measure/mcast_copies.h"

#include <algorithm>
#include <set>

#include "eco/base/at.h"

namespace eco {

namespace {

// Of the datagrams: some may be lost, and others send packets that nobody wants as well.
constexpr double got_them = 0.5, got_none = 0.25;

}  // namespace

FloodPlan plan_flood(const std::vector<std::vector<int>>& areas, const std::vector<int>& subnet) {
    FloodPlan plan{std::vector<bool>(subnet.size()), std::vector<bool>(subnet.size())};
    std::vector<std::vector<int>> widest_first = areas;
    std::stable_sort(widest_first.begin(), widest_first.end(),
                     [](const auto& a, const auto& b) { return a.size() > b.size(); });
    std::set<int> done;
    for (const auto& area : widest_first) {
        if (area.size() < 2 ||
            std::any_of(area.begin(), area.end(), [&](int host) { return done.contains(host); }))
            continue;
        done.insert(area.begin(), area.end());
        plan.sends[at(area.front())] = true;
        std::set<int> joined;
        for (const int host : area) plan.joins[at(host)] = joined.insert(subnet[at(host)]).second;
        // Else nobody would see what comes to those that have not joined.
        if (joined.size() == area.size()) plan.joins[at(area.back())] = false;
    }
    return plan;
}

double unwanted_beside(double usual, double packets, int datagrams) {
    return usual > got_none * datagrams ? -1 : std::max(0.0, packets - usual);
}

std::optional<bool> is_flooded(const std::vector<int>& area, const FloodPlan& plan,
                               const std::vector<int>& subnet, const std::vector<HostGot>& got,
                               int datagrams) {
    // Datagrams came to the member of this subnet; or it has none.
    const auto come_near = [&](int host) {
        for (std::size_t other = 0; other < subnet.size(); ++other)
            if (subnet[other] == subnet[at(host)] && plan.joins[other])
                return plan.sends[other] || got[other].came >= got_them * datagrams;
        return true;
    };
    std::set<int> seen, known;  // subnets
    for (const int host : area) {
        const double unwanted = got[at(host)].unwanted;
        if (plan.joins[at(host)]) continue;
        if (unwanted >= got_them * datagrams) return true;
        seen.insert(subnet[at(host)]);
        if (unwanted >= 0 && unwanted <= got_none * datagrams && come_near(host))
            known.insert(subnet[at(host)]);
    }
    if (seen.empty() || known != seen) return std::nullopt;
    return false;
}

}  // namespace eco
