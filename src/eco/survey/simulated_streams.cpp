// SPDX-License-Identifier: BSD-3-Clause
#include "eco/survey/simulated_streams.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "eco/base/at.h"

namespace eco {

namespace {

// Of weights, which are around 1: what is left of a sum is rounding.
constexpr double nothing_left = 1e-9;

struct Shared {
    double rate;
    std::vector<std::size_t> streams;
    double weight = 0;  // of those that have no rate yet
};

}  // namespace

// Max-min by weights: the link that gives least for a unit of weight is dealt out first.
std::vector<double> SimulatedStreams::rates(const std::vector<Flow>& streams) {
    std::normal_distribution<double> power(0, network_.uneven), noise(1, 0.02);
    std::uniform_real_distribution<double> chance(0, 1);
    std::vector<double> weight, rate(streams.size(), -1);
    for (std::size_t s = 0; s < streams.size(); ++s) weight.push_back(std::exp(power(random_)));
    std::vector<Shared> links;
    std::vector<std::vector<std::size_t>> links_of(streams.size());
    const auto add = [&](double carries, auto crosses) {
        Shared link{carries, {}};
        for (std::size_t s = 0; s < streams.size(); ++s) {
            if (!crosses(streams[s])) continue;
            link.streams.push_back(s);
            link.weight += weight[s];
            links_of[s].push_back(links.size());
        }
        links.push_back(std::move(link));
    };
    for (int host = 0; host < static_cast<int>(network_.port.size()); ++host) {
        add(network_.port[at(host)], [&](const Flow& flow) { return flow.from == host; });
        add(network_.port[at(host)], [&](const Flow& flow) { return flow.to == host; });
    }
    const DrawnUplink* used = nullptr;
    if (network_.others > 0 && !network_.uplinks.empty() && chance(random_) < network_.others)
        used = &network_.uplinks[random_() % network_.uplinks.size()];
    for (const DrawnUplink& uplink : network_.uplinks) {
        const double left = &uplink == used ? 0.5 : 1;
        std::vector<bool> within(network_.port.size(), false);
        for (const int host : uplink.hosts) within[at(host)] = true;
        const auto leaves = [&](int from, int to) { return within[at(from)] && !within[at(to)]; };
        add(left * uplink.out, [&](const Flow& flow) { return leaves(flow.from, flow.to); });
        add(left * uplink.in, [&](const Flow& flow) { return leaves(flow.to, flow.from); });
    }
    if (network_.processors > 0) add(network_.processors, [](const Flow&) { return true; });
    while (true) {
        const Shared* scarcest = nullptr;
        double least = std::numeric_limits<double>::infinity();
        for (const Shared& link : links)
            if (link.weight > nothing_left && link.rate / link.weight < least) {
                least = link.rate / link.weight;
                scarcest = &link;
            }
        if (!scarcest) break;
        for (const std::size_t s : scarcest->streams) {
            if (rate[s] >= 0) continue;
            rate[s] = least * weight[s];
            for (const std::size_t l : links_of[s]) {
                links[l].rate = std::max(1e-9, links[l].rate - rate[s]);
                links[l].weight -= weight[s];
            }
        }
    }
    for (double& each : rate) {
        each = std::max(0.0, each) * std::max(0.5, noise(random_));
        if (chance(random_) < network_.disturbed) each *= 0.1 + 0.9 * chance(random_);
    }
    return rate;
}

}  // namespace eco
