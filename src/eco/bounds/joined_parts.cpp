// SPDX-License-Identifier: BSD-3-Clause
#include "eco/bounds/joined_parts.h"

#include <algorithm>
#include <utility>

#include "eco/base/at.h"

namespace eco {

JoinedParts::JoinedParts(const Network& network, const std::vector<int>& hosts)
    : network_(network), hosts_(hosts) {}

bool JoinedParts::has_ranks(int host) const {
    return std::binary_search(hosts_.begin(), hosts_.end(), host);
}

Joined JoinedParts::of_host(int host) const {
    return {{host}, network_.port_out[at(host)], network_.port_in[at(host)], -1};
}

Joined JoinedParts::of_cluster(const Cluster& cluster) const {
    Joined found{{}, cluster.uplink_out, cluster.uplink_in, cluster.bus};
    for (const int host : cluster.hosts)
        if (has_ranks(host)) found.hosts.push_back(host);
    return found;
}

std::vector<Joined> JoinedParts::in(int cluster) const {
    std::vector<Joined> parts;
    for (const int host : network_.clusters[at(cluster)].hosts)
        if (network_.cluster_of[at(host)] == cluster && has_ranks(host))
            parts.push_back(of_host(host));
    for (const Cluster& inner : network_.clusters) {
        if (inner.parent != cluster) continue;
        parts.push_back(of_cluster(inner));
        if (parts.back().hosts.empty()) parts.pop_back();
    }
    return parts;
}

bool JoinedParts::are_reached_together(const std::vector<Joined>& parts) const {
    const auto reached = [&](const Network::McastReach& reach) {
        std::vector<char> outside(reach.holds.begin(), reach.holds.end());
        std::ptrdiff_t parties = 0;
        for (const Joined& part : parts) {
            bool any = false;
            for (const int host : part.hosts) any |= std::exchange(outside[at(host)], 0) != 0;
            parties += any;
        }
        parties += std::any_of(hosts_.begin(), hosts_.end(),
                               [&](int host) { return outside[at(host)] != 0; });
        return parties > 2;
    };
    return std::any_of(network_.mcasts.begin(), network_.mcasts.end(), reached);
}

}  // namespace eco
