// SPDX-License-Identifier: BSD-3-Clause
#include "eco/topology/find_inter_cluster_costs.h"

#include <algorithm>
#include <map>

#include "eco/base/at.h"
#include "eco/base/median.h"
#include "eco/topology/derive_model.h"

namespace eco {

namespace {

Cost median(const std::vector<Cost>& costs) {
    std::vector<double> fixed, per_byte;
    for (const Cost& cost : costs) {
        fixed.push_back(cost.fixed);
        per_byte.push_back(cost.per_byte);
    }
    return {upper_median(std::move(fixed)), upper_median(std::move(per_byte))};
}

// Between hosts of different parts, of each pair of parts the nearest.
InterClusterCost inter_cluster_cost(const Model& model, const std::vector<int>& hosts,
                                    const std::vector<int>& part) {
    std::map<std::pair<int, int>, std::pair<int, int>> nearest;
    for (const int a : hosts)
        for (const int b : hosts) {
            if (part[at(a)] == part[at(b)]) continue;
            const auto [entry, fresh] =
                nearest.try_emplace({part[at(a)], part[at(b)]}, std::pair(a, b));
            const auto [c, d] = entry->second;
            if (model.fixed[at(a)][at(b)] < model.fixed[at(c)][at(d)]) entry->second = {a, b};
        }
    std::vector<Cost> busy, whole;
    for (const auto& [parts, ends] : nearest) {
        const auto [a, b] = ends;
        const Cost &send = model.send[at(a)], &receive = model.receive[at(b)];
        const double wire = model.per_byte[at(a)][at(b)];
        busy.push_back({send.fixed, std::max(send.per_byte, wire)});
        whole.push_back({send.fixed + model.fixed[at(a)][at(b)] + receive.fixed,
                         send.per_byte + wire + receive.per_byte});
    }
    InterClusterCost found;
    if (busy.empty()) return found;
    found.busy = median(busy);
    found.whole = median(whole);
    return found;
}

}  // namespace

std::vector<InterClusterCost> find_inter_cluster_costs(const Profile& profile) {
    const std::size_t hosts = profile.hosts.size();
    if (!profile.inter_cluster_costs.empty()) return profile.inter_cluster_costs;
    const bool measured = profile.model && profile.model->row_of.empty();
    if (!measured && profile.minimum.empty()) return {};
    const Model model = measured ? *profile.model : derive_model(profile);
    std::vector<InterClusterCost> inter_cluster_costs;
    for (int level = -1; level < static_cast<int>(profile.levels.size()); ++level) {
        std::map<int, std::vector<int>> clusters;
        std::vector<int> part;
        for (int host = 0; host < static_cast<int>(hosts); ++host) {
            const bool finest = level + 1 == static_cast<int>(profile.levels.size());
            part.push_back(finest ? host : profile.levels[at(level + 1)][at(host)]);
            clusters[level < 0 ? 0 : profile.levels[at(level)][at(host)]].push_back(host);
        }
        for (const auto& [cluster, members] : clusters) {
            InterClusterCost found = inter_cluster_cost(model, members, part);
            if (found.whole.fixed + found.whole.per_byte <= 0) continue;
            found.level = level;
            found.cluster = cluster;
            inter_cluster_costs.push_back(found);
        }
    }
    return inter_cluster_costs;
}

}  // namespace eco
