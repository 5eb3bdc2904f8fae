// SPDX-License-Identifier: BSD-3-Clause
// Streams between vertices as flows between their hosts, and rates of these as those of the
// streams. Header-only; called by find_capacity.h.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "eco/base/at.h"
#include "eco/survey/capacity_clusters.h"
#include "eco/topology/media.h"

namespace eco {

inline std::vector<std::pair<int, int>> edges_of(const std::vector<StreamRate>& streams) {
    std::vector<std::pair<int, int>> found;
    for (const StreamRate& each : streams) found.emplace_back(each.from, each.to);
    return found;
}

class VertexFlows {
public:
    VertexFlows() = default;
    // vertices: the hosts of each, of which as many send as the other end has hosts.
    VertexFlows(const std::vector<std::vector<int>>& vertices,
                std::vector<std::pair<int, int>> edges)
        : edges_(std::move(edges)) {
        for (std::size_t e = 0; e < edges_.size(); ++e) {
            const auto &from = vertices[at(edges_[e].first)], &to = vertices[at(edges_[e].second)];
            for (std::size_t i = 0; i < std::min(from.size(), to.size()); ++i) {
                flows_.push_back({from[i], to[i]});
                edge_of_.push_back(e);
            }
        }
    }

    const std::vector<Flow>& flows() const { return flows_; }
    // rates: of the flows, in the same order.
    std::vector<StreamRate> with(const std::vector<double>& rates) const {
        std::vector<StreamRate> found;
        for (const auto& [from, to] : edges_) found.push_back({from, to, 0});
        for (std::size_t f = 0; f < rates.size(); ++f) found[edge_of_[f]].rate += rates[f];
        return found;
    }

private:
    std::vector<std::pair<int, int>> edges_;
    std::vector<Flow> flows_;
    std::vector<std::size_t> edge_of_;  // per flow
};

}  // namespace eco
