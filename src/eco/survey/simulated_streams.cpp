// SPDX-License-Identifier: BSD-3-Clause
#include "eco/survey/simulated_streams.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "eco/base/at.h"

namespace eco {

namespace {

struct Shared {
    double rate;
    std::vector<std::size_t> streams;
};

}  // namespace

// Max-min by weights: the link that gives least for a unit of weight is dealt out first.
std::vector<double> SimulatedStreams::rates(const std::vector<Flow>& streams) {
    std::vector<Shared> links;
    for (std::size_t host = 0; host < network_.port.size(); ++host) {
        Shared out{network_.port[host], {}}, in = out;
        for (std::size_t s = 0; s < streams.size(); ++s) {
            if (at(streams[s].from) == host) out.streams.push_back(s);
            if (at(streams[s].to) == host) in.streams.push_back(s);
        }
        links.push_back(out);
        links.push_back(in);
    }
    for (const DrawnUplink& uplink : network_.uplinks) {
        std::vector<bool> within(network_.port.size(), false);
        for (const int host : uplink.hosts) within[at(host)] = true;
        Shared out{uplink.out, {}}, in{uplink.in, {}};
        for (std::size_t s = 0; s < streams.size(); ++s) {
            const bool from = within[at(streams[s].from)], to = within[at(streams[s].to)];
            if (from && !to) out.streams.push_back(s);
            if (to && !from) in.streams.push_back(s);
        }
        links.push_back(out);
        links.push_back(in);
    }
    if (network_.processors > 0) {
        links.push_back({network_.processors, {}});
        for (std::size_t s = 0; s < streams.size(); ++s) links.back().streams.push_back(s);
    }
    std::normal_distribution<double> power(0, network_.uneven), noise(1, 0.02);
    std::uniform_real_distribution<double> chance(0, 1);
    std::vector<double> weight, rate(streams.size(), -1);
    for (std::size_t s = 0; s < streams.size(); ++s) weight.push_back(std::exp(power(random_)));
    while (true) {
        const Shared* scarcest = nullptr;
        double least = std::numeric_limits<double>::infinity();
        for (Shared& link : links) {
            std::erase_if(link.streams, [&](std::size_t s) { return rate[s] >= 0; });
            double sum = 0;
            for (const std::size_t s : link.streams) sum += weight[s];
            if (sum > 0 && link.rate / sum < least) {
                least = link.rate / sum;
                scarcest = &link;
            }
        }
        if (!scarcest) break;
        for (const std::size_t s : std::vector<std::size_t>(scarcest->streams)) {
            rate[s] = least * weight[s];
            for (Shared& link : links)
                if (std::count(link.streams.begin(), link.streams.end(), s) > 0)
                    link.rate = std::max(1e-9, link.rate - rate[s]);
        }
    }
    for (double& each : rate) {
        each = std::max(0.0, each) * std::max(0.5, noise(random_));
        if (chance(random_) < network_.disturbed) each *= 0.1 + 0.9 * chance(random_);
    }
    return rate;
}

}  // namespace eco
