// SPDX-License-Identifier: BSD-3-Clause
#include "eco/topology/partition.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "eco/base/at.h"

namespace eco {

namespace {

// Subnets as they grow: union-find, with the least edge inside each.
class Subnets {
public:
    explicit Subnets(int hosts)
        : parent_(static_cast<std::size_t>(hosts)),
          min_edge_(static_cast<std::size_t>(hosts), std::numeric_limits<double>::infinity()) {
        std::iota(parent_.begin(), parent_.end(), 0);
    }

    int find(int host) {
        while (parent_[at(host)] != host) {
            parent_[at(host)] = parent_[at(parent_[at(host)])];
            host = parent_[at(host)];
        }
        return host;
    }
    // Infinite while the host is alone, so that a lone host passes the test against its subnet.
    double min_edge(int host) { return min_edge_[at(find(host))]; }
    void merge(int a, int b, double weight) {
        const int first = std::min(find(a), find(b)), second = std::max(find(a), find(b));
        min_edge_[at(first)] = std::min({weight, min_edge_[at(first)], min_edge_[at(second)]});
        parent_[at(second)] = first;
    }

private:
    std::vector<int> parent_;
    std::vector<double> min_edge_;
};

}  // namespace

std::vector<int> partition(const Matrix& cost, double tolerance) {
    std::vector<CostEdge> edges;
    for (int a = 0; a < cost.size(); ++a)
        for (int b = a + 1; b < cost.size(); ++b) edges.push_back({cost(a, b), a, b});
    return partition(cost.size(), std::move(edges), tolerance);
}

std::vector<int> partition(int hosts, std::vector<CostEdge> edges, double tolerance,
                           double excess) {
    const auto most = [&](double least) { return (1.0 + tolerance) * least + excess; };
    std::vector<double> min_edge(static_cast<std::size_t>(hosts),
                                 std::numeric_limits<double>::infinity());
    for (const auto& [weight, a, b] : edges)
        for (const int end : {a, b}) {
            double& least = min_edge[static_cast<std::size_t>(end)];
            least = std::min(least, weight);
        }
    std::stable_sort(edges.begin(), edges.end(),
                     [](const CostEdge& x, const CostEdge& y) { return x.weight < y.weight; });

    Subnets subnets(hosts);
    for (const auto& [weight, a, b] : edges) {
        if (subnets.find(a) == subnets.find(b)) continue;
        if (weight > most(min_edge[static_cast<std::size_t>(a)])) continue;
        if (weight > most(min_edge[static_cast<std::size_t>(b)])) continue;
        if (weight > most(subnets.min_edge(a))) continue;
        if (weight > most(subnets.min_edge(b))) continue;
        subnets.merge(a, b, weight);
    }

    std::vector<int> id(static_cast<std::size_t>(hosts), -1), result;
    int next = 0;
    for (int host = 0; host < hosts; ++host) {
        int& subnet = id[static_cast<std::size_t>(subnets.find(host))];
        if (subnet < 0) subnet = next++;
        result.push_back(subnet);
    }
    return result;
}

}  // namespace eco
