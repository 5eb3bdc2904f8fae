// SPDX-License-Identifier: BSD-3-Clause
#include "eco/topology/rail_network.h"

#include <algorithm>
#include <functional>
#include <numeric>

#include "eco/base/at.h"

namespace eco {

namespace {

class OverRails {
public:
    OverRails(const Network& one, const MeasuredRails& measured, int most)
        : one_(one), result_(one), hosts_(static_cast<int>(one.hosts.size())) {
        result_.railed.clear();
        result_.first_flight *= most;
        const Table none(one.hosts.size(), std::vector<double>(one.hosts.size(), 0));
        together_ = more_ = latency_ = none;
        const double share =
            one.wire(one.frame.payload, 0) / static_cast<double>(one.frame.payload);
        for (int a = 0; a < hosts_; ++a)
            for (int b = 0; b < hosts_; ++b) add_pair(measured, a, b, most, share);
    }

    Network run() {
        ports();
        media();
        caps();
        latencies();
        return std::move(result_);
    }

private:
    void add_pair(const MeasuredRails& measured, int a, int b, int most, double share) {
        std::vector<double> rates;
        for (const MeasuredRail& rail : measured.rails) {
            const double rate = rail.bandwidth[at(a)][at(b)], latency = rail.latency[at(a)][at(b)];
            if (rate <= 0) continue;
            rates.push_back(rate * share);
            double& least = latency_[at(a)][at(b)];
            if (least <= 0 || latency < least) least = latency;
        }
        if (rates.empty()) return;
        std::sort(rates.begin(), rates.end(), std::greater<>());
        if (rates.size() > at(most)) rates.resize(at(most));
        together_[at(a)][at(b)] = std::accumulate(rates.begin(), rates.end(), 0.0);
        more_[at(a)][at(b)] = together_[at(a)][at(b)] - rates.front();
    }

    void ports() {
        for (int host = 0; host < hosts_; ++host) {
            const auto& rates = together_[at(host)];
            const double rate = *std::max_element(rates.begin(), rates.end());
            for (const int link : {one_.port_out[at(host)], one_.port_in[at(host)]})
                if (link >= 0)
                    result_.links[at(link)].rate = std::max(result_.links[at(link)].rate, rate);
        }
    }

    // One rail is what was measured as bus or uplink; the others may be cables of their own, as
    // wide as the hosts' cards.
    void media() {
        for (const Cluster& cluster : one_.clusters)
            for (const int host : cluster.hosts) {
                const auto& more = more_[at(host)];
                double outside = 0;
                for (int other = 0; other < hosts_; ++other)
                    if (!std::binary_search(cluster.hosts.begin(), cluster.hosts.end(), other))
                        outside = std::max(outside, more[at(other)]);
                for (const int link : {cluster.uplink_out, cluster.uplink_in})
                    if (link >= 0) result_.links[at(link)].rate += outside;
                if (cluster.bus >= 0)
                    result_.links[at(cluster.bus)].rate +=
                        *std::max_element(more.begin(), more.end());
            }
    }

    // Two hosts joined by fewer rails than their ports carry.
    void caps() {
        for (int a = 0; a < hosts_; ++a)
            for (int b = 0; b < hosts_; ++b) {
                if (a == b) continue;
                const auto route = one_.route(a, b);
                const double own = std::max(together_[at(a)][at(b)], one_.rate(a, b, route));
                double& cap = result_.cap[at(a)][at(b)];
                cap = 0;
                if (own < hardly_limits * result_.rate(a, b, route)) cap = own;
            }
    }

    void latencies() {
        for (int a = 0; a < hosts_; ++a)
            for (int b = 0; b < hosts_; ++b) {
                const Seconds latency = latency_[at(a)][at(b)];
                if (latency <= 0) continue;
                Seconds &send = result_.send[at(a)].fixed, &receive = result_.receive[at(b)].fixed;
                const double share = latency / std::max(latency, send + receive);
                send *= share;
                receive *= share;
                Seconds& fixed = result_.fixed[at(a)][at(b)];
                fixed = std::min(fixed, std::max(0.0, latency - send - receive));
            }
    }

    const Network& one_;
    Network result_;
    int hosts_;
    Table together_, more_;  // bytes on the wire per second; more: than the fastest rail alone
    Table latency_;          // the least; 0: no rail joins the two
};

}  // namespace

Network over_rails(const Network& one, const MeasuredRails& measured, int most) {
    return OverRails(one, measured, most).run();
}

}  // namespace eco
