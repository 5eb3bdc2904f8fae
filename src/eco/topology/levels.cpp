// SPDX-License-Identifier: BSD-3-Clause
#include "eco/topology/levels.h"

#include <algorithm>
#include <limits>

#include "eco/topology/partition.h"

namespace eco {

static int count_of(const std::vector<int>& cluster) {
    return cluster.empty() ? 0 : *std::max_element(cluster.begin(), cluster.end()) + 1;
}

Matrix cost_between(const Matrix& cost, const std::vector<int>& cluster) {
    const int clusters = count_of(cluster);
    Matrix between(clusters, std::numeric_limits<double>::infinity());
    for (int c = 0; c < clusters; ++c) between.set(c, c, 0.0);
    for (int a = 0; a < cost.size(); ++a)
        for (int b = a + 1; b < cost.size(); ++b) {
            const int x = cluster[static_cast<std::size_t>(a)],
                      y = cluster[static_cast<std::size_t>(b)];
            if (x != y && cost(a, b) < between(x, y)) between.set(x, y, cost(a, b));
        }
    return between;
}

Levels find_levels(const Matrix& cost, double tolerance) {
    return widened({partition(cost, tolerance)}, cost, tolerance);
}

Levels widened(Levels levels, const Matrix& cost, double tolerance) {
    while (count_of(levels.front()) > 1) {
        const auto& finest = levels.front();
        const auto merged = partition(cost_between(cost, finest), tolerance);
        if (count_of(merged) == count_of(finest) || count_of(merged) == 1) break;
        std::vector<int> wider;
        for (const int cluster : finest) wider.push_back(merged[static_cast<std::size_t>(cluster)]);
        levels.insert(levels.begin(), std::move(wider));
    }
    return levels;
}

}  // namespace eco
