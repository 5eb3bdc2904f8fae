// SPDX-License-Identifier: BSD-3-Clause
#include "eco/topology/unclear.h"

#include <algorithm>
#include <numeric>
#include <set>

#include "eco/base/at.h"
#include "eco/topology/levels.h"
#include "eco/topology/partition.h"

namespace eco {

namespace {

// What a host that sleeps, or is busy otherwise, adds to a message.
constexpr Seconds waking = 20e-6;

using Pair = std::pair<int, int>;

class Edges {
public:
    // low: what each edge may cost at least.
    Edges(const Matrix& cost, const Matrix& low, double tolerance)
        : cost_(cost),
          low_(low),
          tolerance_(tolerance),
          cluster_(partition(cost, tolerance)),
          least_of_(cluster_.size(), never),
          least_in_(cluster_.size(), never) {
        for (int a = 0; a < cost.size(); ++a)
            for (int b = 0; b < cost.size(); ++b) {
                if (a == b) continue;
                least_of_[at(a)] = std::min(least_of_[at(a)], cost(a, b));
                double& inside = least_in_[at(cluster_[at(a)])];
                if (same(a, b)) inside = std::min(inside, cost(a, b));
            }
    }

    const std::vector<int>& cluster() const { return cluster_; }

    std::vector<Pair> unclear() const {
        std::vector<Pair> found;
        for (int a = 0; a < cost_.size(); ++a) {
            int nearest = -1;
            for (int b = 0; b < cost_.size(); ++b) {
                if (a == b) continue;
                if (!same(a, b) && a < b && may_join(a, b)) found.emplace_back(a, b);
                if (same(a, b) && (nearest < 0 || low_(a, b) < low_(a, nearest))) nearest = b;
            }
            if (nearest >= 0 && may_split(a, nearest))
                found.emplace_back(std::min(a, nearest), std::max(a, nearest));
        }
        return found;
    }

private:
    bool same(int a, int b) const { return cluster_[at(a)] == cluster_[at(b)]; }

    // As Fig. 2 joins subnets, were this edge the next.
    bool may_join(int a, int b) const {
        const double bar =
            std::min({least_of_[at(a)], least_of_[at(b)], least_in_[at(cluster_[at(a)])],
                      least_in_[at(cluster_[at(b)])]});
        return low_(a, b) <= (1 + tolerance_) * bar;
    }

    bool may_split(int a, int b) const {
        if (low_(a, b) >= std::min(least_of_[at(a)], least_of_[at(b)])) return false;
        Matrix lowered = cost_;
        lowered.set(a, b, low_(a, b));
        return partition(lowered, tolerance_) != cluster_;
    }

    const Matrix& cost_;
    const Matrix& low_;
    double tolerance_;
    std::vector<int> cluster_;
    std::vector<double> least_of_, least_in_;  // of a vertex; inside a cluster
};

}  // namespace

Seconds uncertainty(Seconds least, double spread, int samples) {
    // Of n samples the least exceeds x with probability exp(−n x / mean), and the median lies ln 2
    // means above it.
    const double to_be_sure = 3.0 / 0.69;
    return to_be_sure * std::max(spread * least, waking) / std::max(samples, 1);
}

std::vector<Pair> unclear_pairs(const Matrix& cost, const Matrix& uncertainty, double tolerance) {
    const int hosts = cost.size();
    Matrix low(hosts);
    for (int a = 0; a < hosts; ++a)
        for (int b = a + 1; b < hosts; ++b)
            low.set(a, b, std::max(0.01 * cost(a, b), cost(a, b) - uncertainty(a, b)));
    std::set<Pair> found;
    std::vector<int> vertex(at(hosts));  // of each host: itself, then its cluster
    std::iota(vertex.begin(), vertex.end(), 0);
    while (true) {
        const Matrix between = cost_between(cost, vertex), least = cost_between(low, vertex);
        const Edges edges(between, least, tolerance);
        const auto unclear = edges.unclear();
        for (int a = 0; a < hosts; ++a)
            for (int b = a + 1; b < hosts; ++b) {
                const auto [x, y] = std::minmax(vertex[at(a)], vertex[at(b)]);
                if (x != y && low(a, b) == least(x, y) &&
                    std::find(unclear.begin(), unclear.end(), Pair(x, y)) != unclear.end())
                    found.insert({a, b});
            }
        const auto& cluster = edges.cluster();
        const int clusters =
            cluster.empty() ? 0 : *std::max_element(cluster.begin(), cluster.end()) + 1;
        if (clusters == between.size() || clusters <= 1) break;
        for (int& each : vertex) each = cluster[at(each)];
    }
    return {found.begin(), found.end()};
}

}  // namespace eco
