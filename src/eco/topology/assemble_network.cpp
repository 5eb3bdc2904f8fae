// SPDX-License-Identifier: BSD-3-Clause
// The clusters and links of a network, before anything is known of what pairs of hosts take.
#include <algorithm>
#include <cmath>
#include <map>

#include "eco/base/at.h"
#include "eco/base/check.h"
#include "eco/topology/network.h"

namespace eco {

namespace {

// Clusters of two hosts or more; one that divides nothing stands for the one around it.
void nest_clusters(Network& network, const Levels& levels,
                   std::map<std::pair<int, int>, int>& numbers) {
    Cluster all;
    for (int host = 0; host < static_cast<int>(network.hosts.size()); ++host)
        all.hosts.push_back(host);
    network.cluster_of.assign(all.hosts.size(), 0);
    network.clusters.push_back(all);
    for (int l = 0; l < static_cast<int>(levels.size()); ++l) {
        std::map<int, std::vector<int>> members;
        for (const int host : all.hosts) members[levels[at(l)][at(host)]].push_back(host);
        for (const auto& [id, hosts] : members) {
            if (hosts.size() < 2) continue;
            const int around = network.cluster_of[at(hosts.front())];
            int& number = numbers[{l, id}];
            number = around;
            if (network.clusters[at(around)].hosts.size() == hosts.size()) continue;
            number = static_cast<int>(network.clusters.size());
            Cluster cluster;
            cluster.level = l;
            cluster.id = id;
            cluster.parent = around;
            cluster.depth = network.clusters[at(around)].depth + 1;
            cluster.hosts = hosts;
            network.clusters.push_back(cluster);
            for (const int host : hosts) network.cluster_of[at(host)] = number;
        }
    }
}

int add_link(Network& network, const Link& link) {
    network.links.push_back(link);
    return static_cast<int>(network.links.size()) - 1;
}

}  // namespace

Network assemble_network(const std::vector<std::string>& hosts, const Levels& levels,
                         const std::vector<Medium>& media, const std::vector<double>& port_rates,
                         std::vector<int> row_of) {
    Network network;
    network.hosts = hosts;
    network.send.assign(hosts.size(), {});
    network.receive.assign(hosts.size(), {});
    network.row_of = std::move(row_of);
    std::size_t rows = 0;
    for (int host = 0; host < static_cast<int>(hosts.size()); ++host)
        rows = std::max(rows, network.row(host) + 1);
    network.fixed = Table(rows, std::vector<double>(rows, 0));
    network.cap = network.fixed;
    std::map<std::pair<int, int>, int> numbers;
    nest_clusters(network, levels, numbers);
    std::vector<double> bursts(network.clusters.size(), 0);
    for (const Medium& medium : media) {
        const auto found = numbers.find({medium.level, medium.cluster});
        ECO_CHECK(found != numbers.end());
        const int number = found->second;
        Cluster& cluster = network.clusters[at(number)];
        bursts[at(number)] = medium.burst;
        if (medium.kind == Medium::Kind::bus && cluster.bus < 0)
            cluster.bus =
                add_link(network, {Link::Kind::bus, medium.rate, number, -1, medium.burst});
        const double burst = medium.uplink_burst;
        if (cluster.parent >= 0 && medium.uplink > 0 && cluster.uplink_out < 0)
            cluster.uplink_out =
                add_link(network, {Link::Kind::uplink_out, medium.uplink, number, -1, burst});
        if (cluster.parent >= 0 && medium.into() > 0 && cluster.uplink_in < 0)
            cluster.uplink_in =
                add_link(network, {Link::Kind::uplink_in, medium.into(), number, -1, burst});
    }
    network.port_out.assign(hosts.size(), -1);
    network.port_in.assign(hosts.size(), -1);
    for (int host = 0; host < static_cast<int>(hosts.size()); ++host) {
        const double rate = port_rates.empty() ? 0 : port_rates[at(host)];
        const int cluster = network.cluster_of[at(host)];
        if (network.clusters[at(cluster)].bus >= 0 || rate <= 0 || !std::isfinite(rate)) continue;
        const double burst = bursts[at(cluster)];
        network.port_out[at(host)] =
            add_link(network, {Link::Kind::port_out, rate, cluster, host, burst});
        network.port_in[at(host)] =
            add_link(network, {Link::Kind::port_in, rate, cluster, host, burst});
    }
    return network;
}

}  // namespace eco
