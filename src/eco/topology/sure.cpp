// SPDX-License-Identifier: BSD-3-Clause
#include "eco/topology/sure.h"

#include <algorithm>
#include <numeric>

#include "eco/base/at.h"
#include "eco/base/median.h"
#include "eco/base/units.h"

namespace eco {

namespace {

// Of a least spanning tree the longest edge (Prim); never for one host.
double dearest_needed(const Matrix& cost, const std::vector<int>& hosts) {
    if (hosts.size() < 2) return never;
    std::vector<double> distance(hosts.size(), never);
    std::vector<bool> reached(hosts.size());
    distance.front() = 0;
    double dearest = 0;
    for (std::size_t step = 0; step < hosts.size(); ++step) {
        std::size_t next = hosts.size();
        for (std::size_t i = 0; i < hosts.size(); ++i)
            if (!reached[i] && (next == hosts.size() || distance[i] < distance[next])) next = i;
        reached[next] = true;
        dearest = std::max(dearest, distance[next]);
        for (std::size_t i = 0; i < hosts.size(); ++i)
            if (!reached[i]) distance[i] = std::min(distance[i], cost(hosts[next], hosts[i]));
    }
    return dearest;
}

}  // namespace

Levels sure_levels(const Levels& levels, const Matrix& cost, const Matrix& uncertainty,
                   double tolerance) {
    const auto& finest = levels.back();
    std::vector<std::vector<int>> hosts_of;
    for (int host = 0; host < cost.size(); ++host) {
        hosts_of.resize(std::max(hosts_of.size(), at(finest[at(host)]) + 1));
        hosts_of[at(finest[at(host)])].push_back(host);
    }
    std::vector<double> held;
    for (const auto& hosts : hosts_of) held.push_back(dearest_needed(cost, hosts));
    std::vector<std::size_t> joined(hosts_of.size());
    std::iota(joined.begin(), joined.end(), std::size_t{0});
    bool all_sure = true;
    for (std::size_t x = 0; x < hosts_of.size(); ++x)
        for (std::size_t y = x + 1; y < hosts_of.size(); ++y) {
            const double inside = std::min(held[x], held[y]);
            if (inside == never) continue;
            std::vector<double> low;
            for (const int a : hosts_of[x])
                for (const int b : hosts_of[y]) low.push_back(cost(a, b) - uncertainty(a, b));
            if (upper_median(std::move(low)) > inside) continue;
            all_sure = false;
            const std::size_t first = std::min(joined[x], joined[y]),
                              second = std::max(joined[x], joined[y]);
            std::replace(joined.begin(), joined.end(), second, first);
        }
    if (all_sure) return levels;
    std::vector<int> merged, number(hosts_of.size(), -1);
    int next = 0;
    for (const int cluster : finest) {
        int& id = number[joined[at(cluster)]];
        if (id < 0) id = next++;
        merged.push_back(id);
    }
    return widened({merged}, cost, tolerance);
}

}  // namespace eco
