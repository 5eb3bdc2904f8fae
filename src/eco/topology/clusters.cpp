// SPDX-License-Identifier: BSD-3-Clause
#include "eco/topology/clusters.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "eco/topology/build_hierarchy.h"

namespace eco {

Clusters find_clusters(const Profile& profile, const std::vector<int>& host_of,
                       const std::vector<Binding>& bindings) {
    auto keys = keys_by_level(profile, host_of, bindings);
    const std::size_t of_network = profile.levels.size();
    keys.emplace_back(host_of.size());
    std::iota(keys.back().begin(), keys.back().end(), 0);

    Clusters clusters(host_of.size());
    // Per level, by what divides there and its key: ranks of different depth may have a host and a
    // package at the same level.
    std::vector<std::map<std::pair<std::size_t, int>, int>> numbers(keys.size());
    for (std::size_t rank = 0; rank < clusters.size(); ++rank) {
        std::ptrdiff_t above = 0;
        for (std::size_t k = 0; k < keys.size(); ++k) {
            const int key = keys[k][rank];
            if (key < 0) continue;
            const auto members = std::count(keys[k].begin(), keys[k].end(), key);
            if (k < of_network || members < above) {
                auto& ids = numbers[clusters[rank].size()];
                clusters[rank].push_back(ids.emplace(std::pair{k, key}, ids.size()).first->second);
            }
            above = members;
        }
    }
    return clusters;
}

}  // namespace eco
