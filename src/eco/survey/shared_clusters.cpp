// SPDX-License-Identifier: BSD-3-Clause
#include "eco/survey/shared_clusters.h"

#include <algorithm>

#include "eco/base/at.h"
#include "eco/survey/capacity_clusters.h"
#include "eco/survey/uplink_rounds.h"

namespace eco {

namespace {

// How many of the part's hosts are in the other cluster.
std::size_t within(const SharedCluster& part, const SharedCluster& wide) {
    return at(std::count_if(part.hosts.begin(), part.hosts.end(),
                            [&](int host) { return has_host(wide, host); }));
}

}  // namespace

bool has_host(const SharedCluster& cluster, int host) {
    return std::find(cluster.hosts.begin(), cluster.hosts.end(), host) != cluster.hosts.end();
}

std::vector<int> parts_of(const SharedClusters& clusters, int cluster) {
    std::vector<int> found;
    for (std::size_t c = 0; c < clusters.size(); ++c)
        if (clusters[c].wider == cluster) found.push_back(static_cast<int>(c));
    return found;
}

std::vector<int> finest(const SharedClusters& clusters, const std::vector<int>& hosts) {
    std::vector<int> found(hosts.size(), -1);
    for (int c = 0; at(c) < clusters.size(); ++c) {
        if (!parts_of(clusters, c).empty()) continue;
        for (std::size_t v = 0; v < hosts.size(); ++v)
            if (has_host(clusters[at(c)], hosts[v])) found[v] = c;
    }
    return numbered(found);
}

SharedClusters without_whole_ones(const SharedClusters& clusters) {
    std::vector<int> number(clusters.size(), -1);
    SharedClusters kept;
    for (int c = 0; at(c) < clusters.size(); ++c) {
        const SharedCluster& each = clusters[at(c)];
        if (each.out == 0 && each.in == 0 && !parts_of(clusters, c).empty()) continue;
        number[at(c)] = static_cast<int>(kept.size());
        kept.push_back(each);
    }
    for (SharedCluster& each : kept) {
        while (each.wider >= 0 && number[at(each.wider)] < 0)
            each.wider = clusters[at(each.wider)].wider;
        if (each.wider >= 0) each.wider = number[at(each.wider)];
    }
    return kept;
}

SharedClusters with_parts(const SharedClusters& clusters, SharedClusters parts) {
    SharedClusters found;
    for (int c = 0; at(c) < clusters.size(); ++c) {
        const SharedCluster& wide = clusters[at(c)];
        const bool still = std::all_of(parts.begin(), parts.end(), [&](const SharedCluster& part) {
            const std::size_t count = within(part, wide);
            return count == 0 || count == part.hosts.size();
        });
        if (still && !parts_of(clusters, c).empty())
            found.push_back({wide.hosts, wide.out, wide.in, -1});
    }
    const std::size_t wide_ones = found.size();
    found.insert(found.end(), parts.begin(), parts.end());
    // The smallest of those that hold it all.
    for (std::size_t c = 0; c < found.size(); ++c)
        for (std::size_t w = 0; w < wide_ones; ++w) {
            const std::size_t size = found[w].hosts.size();
            const bool smaller =
                found[c].wider < 0 || size < found[at(found[c].wider)].hosts.size();
            if (size > found[c].hosts.size() && smaller &&
                within(found[c], found[w]) == found[c].hosts.size())
                found[c].wider = static_cast<int>(w);
        }
    return found;
}

std::vector<int> some_of(const std::vector<int>& hosts, const std::vector<int>& places) {
    std::vector<int> found;
    for (const int place : places) found.push_back(hosts[at(place)]);
    return found;
}

std::vector<StreamRate> streams_of_whole(const SharedClusters& clusters, int cluster,
                                         const std::vector<int>& hosts, bool out,
                                         std::mt19937& random) {
    std::vector<std::vector<int>> own, others;
    for (const auto& members : members_of(finest(clusters, hosts))) {
        // Hosts in no cluster are one group here, on both sides.
        std::vector<int> within, beside;
        for (const int host : some_of(hosts, members))
            (has_host(clusters[at(cluster)], host) ? within : beside).push_back(host);
        if (!within.empty()) own.push_back(within);
        if (!beside.empty()) others.push_back(beside);
    }
    return out ? streams_between(own, others, random) : streams_between(others, own, random);
}

std::vector<StreamRate> streams_of_part(const SharedClusters& clusters, int cluster,
                                        const std::vector<int>& hosts, bool out,
                                        std::mt19937& random) {
    const SharedCluster& own = clusters[at(cluster)];
    std::vector<int> inside, outside, stay = own.hosts;
    for (const int host : hosts)
        if (!has_host(own, host))
            (has_host(clusters[at(own.wider)], host) ? inside : outside).push_back(host);
    std::shuffle(stay.begin(), stay.end(), random);
    const std::size_t staying = inside.empty()    ? 0
                                : outside.empty() ? stay.size()
                                                  : stay.size() / 2;
    const auto half = stay.begin() + static_cast<std::ptrdiff_t>(staying);
    const std::vector<int> leave(half, stay.end());
    stay.erase(half, stay.end());
    const auto between = [&](const std::vector<int>& some, const std::vector<int>& others) {
        return out ? streams_between({some}, {others}, random)
                   : streams_between({others}, {some}, random);
    };
    auto found = between(stay, inside);
    const auto wide = between(leave, outside);
    found.insert(found.end(), wide.begin(), wide.end());
    return found;
}

}  // namespace eco
