#include "eco/topology/clusters.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "eco/topology/hierarchy.h"

namespace eco {

namespace {

std::vector<int> numbered(const std::vector<int>& keys) {
    std::map<int, int> number;
    std::vector<int> ids;
    for (const int key : keys)
        ids.push_back(number.emplace(key, static_cast<int>(number.size())).first->second);
    return ids;
}

}  // namespace

Clusters find_clusters(const Profile& profile, const std::vector<int>& host_of) {
    std::vector<std::vector<int>> levels;
    for (const auto& keys : keys_by_level(profile, host_of)) levels.push_back(numbered(keys));
    const std::size_t of_network = profile.levels.size();
    levels.emplace_back(host_of.size());
    std::iota(levels.back().begin(), levels.back().end(), 0);

    Clusters clusters(host_of.size());
    for (std::size_t rank = 0; rank < clusters.size(); ++rank) {
        std::ptrdiff_t above = 0;
        for (std::size_t l = 0; l < levels.size(); ++l) {
            const auto members = std::count(levels[l].begin(), levels[l].end(), levels[l][rank]);
            if (l < of_network || members < above) clusters[rank].push_back(levels[l][rank]);
            above = members;
        }
    }
    return clusters;
}

}  // namespace eco
