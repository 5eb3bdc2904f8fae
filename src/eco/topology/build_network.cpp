// SPDX-License-Identifier: BSD-3-Clause
#include "eco/topology/build_network.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "eco/base/at.h"
#include "eco/base/median.h"
#include "eco/topology/derive_model.h"
#include "eco/topology/rail_network.h"

namespace eco {

namespace {

constexpr double no_limit = std::numeric_limits<double>::infinity();

// Ten segments, as RFC 6928 has it and Linux does.
constexpr Bytes ten_segments = 14480;

// The rows of a network's tables, each with a host or two that stand for those that share it.
class Rows {
public:
    explicit Rows(const std::vector<std::size_t>& row_of) {
        for (std::size_t host = 0; host < row_of.size(); ++host) {
            if (row_of[host] >= hosts_.size()) hosts_.resize(row_of[host] + 1);
            auto& some = hosts_[row_of[host]];
            if (some.size() < 2) some.push_back(static_cast<int>(host));
        }
    }
    std::size_t count() const { return hosts_.size(); }
    // step: of so many rows the first only.
    template <typename Body>
    void each_pair(Body body, std::size_t step = 1) const {
        for (std::size_t from = 0; from < hosts_.size(); from += step)
            for (std::size_t to = 0; to < hosts_.size(); to += step) {
                const int a = hosts_[from].front(),
                          b = from == to ? hosts_[to].back() : hosts_[to].front();
                if (a != b) body(a, b);
            }
    }

private:
    std::vector<std::vector<int>> hosts_;
};

std::vector<std::size_t> row_of_each(const Network& network) {
    std::vector<std::size_t> rows;
    for (int host = 0; host < static_cast<int>(network.hosts.size()); ++host)
        rows.push_back(network.row(host));
    return rows;
}

// Hosts that share a row of the model and the links on their way share one here.
std::vector<int> rows_of(const Network& bare, const Model& model) {
    if (model.row_of.empty()) return {};
    std::map<std::pair<int, int>, int> numbers;
    std::vector<int> rows;
    for (std::size_t host = 0; host < model.row_of.size(); ++host)
        rows.push_back(numbers
                           .emplace(std::pair(model.row_of[host], bare.cluster_of[host]),
                                    static_cast<int>(numbers.size()))
                           .first->second);
    return rows;
}

// Times of single messages between two hosts, without what their overheads take.
struct Samples {
    std::vector<Bytes> sizes;
    std::vector<Seconds> times;
};

Samples samples(const Profile& profile, const Model& model, int a, int b) {
    Samples found;
    found.sizes = profile.minimum.empty() ? std::vector<Bytes>{1, 1024, 16384} : profile.sizes;
    for (std::size_t s = 0; s < found.sizes.size(); ++s) {
        const Bytes bytes = found.sizes[s];
        const Seconds overheads = model.send[at(a)].of(bytes) + model.receive[at(b)].of(bytes);
        const Seconds least = 0.01 * overheads + 1e-9;
        found.times.push_back(profile.minimum.empty()
                                  ? std::max(model.transfer(a, b).of(bytes), least)
                                  : std::max(profile.minimum[s](a, b) - overheads, least));
    }
    return found;
}

// Bytes on the wire per second between two hosts by the smallest and the largest message, if they
// cross `hops` links of that rate: on all but one the first frame's time counts again, where frames
// are stored.
double rate_between(const Network& network, const Samples& known, std::size_t hops) {
    const auto bytes = [&](Bytes size) {
        return network.wire(size) + static_cast<double>(hops > 1 ? hops - 1 : 0) *
                                        network.wire(std::min(size, network.frame.payload));
    };
    const Seconds time = known.times.back() - known.times.front();
    const double more = bytes(known.sizes.back()) - bytes(known.sizes.front());
    return time > 0 && more > 0 ? more / time : no_limit;
}

bool on_bus(const Network& network, int host) {
    return network.clusters[at(network.cluster_of[at(host)])].bus >= 0;
}

std::size_t hops(const Network& network, int a, int b) {
    if (network.forwarding == Forwarding::cut_through) return 1;
    return network.route(a, b).size() +
           static_cast<std::size_t>(!on_bus(network, a) && network.port_out[at(a)] < 0) +
           static_cast<std::size_t>(!on_bus(network, b) && network.port_in[at(b)] < 0);
}

// For links alone, without what pairs of hosts take.
std::vector<int> one_row(const Profile& profile) {
    return std::vector<int>(profile.hosts.size(), 0);
}

// What each host's port carries: what one flow gets on its switch, where that was measured; else,
// or where the host is plainly faster, the most that was seen between hosts of its subnet, where it
// has others, or between any.
std::vector<double> port_rates(const Network& network, const Profile& profile, const Model& model,
                               const std::vector<Medium>& media, std::size_t step) {
    const int hosts = static_cast<int>(network.hosts.size());
    const Rows rows(row_of_each(network));
    std::vector<double> near(rows.count(), 0), any(rows.count(), 0);
    const auto of_pair = [&](int a, int b) {
        const double rate =
            rate_between(network, samples(profile, model, a, b), hops(network, a, b));
        const bool same = profile.levels.back()[at(a)] == profile.levels.back()[at(b)];
        for (const int host : {a, b}) {
            const std::size_t row = network.row(host);
            any[row] = std::max(any[row], rate);
            if (same) near[row] = std::max(near[row], rate);
        }
    };
    rows.each_pair(of_pair, step);
    std::vector<double> rates;
    for (int host = 0; host < hosts; ++host) {
        const std::size_t row = network.row(host);
        rates.push_back(near[row] > 0 ? near[row] : any[row]);
    }
    for (const Medium& medium : media)
        for (int host = 0; host < hosts; ++host)
            if (profile.levels[at(medium.level)][at(host)] == medium.cluster &&
                medium.level == static_cast<int>(profile.levels.size()) - 1 &&
                rates[at(host)] < 2 * medium.rate)
                rates[at(host)] = medium.rate;
    return rates;
}

// What alone() is where the other way has just carried as much.
Seconds to_and_fro(const Network& network, int a, int b, Bytes bytes) {
    const auto route = network.route(a, b);
    const double rate = network.rate(a, b, route);
    const double more =
        network.passes(route, rate, network.wire(bytes)) -
        network.passes_to_and_fro(a, b, bytes, network.fixed[network.row(a)][network.row(b)]);
    return network.alone(a, b, bytes) + more / rate;
}

// What each pair takes beyond its links: fixed so that the relative errors cancel.
void calibrate(Network& network, const Profile& profile, const Model& model, std::size_t step = 1) {
    const Rows rows(row_of_each(network));
    const auto of_pair = [&](int a, int b) {
        const auto route = network.route(a, b);
        const Samples known = samples(profile, model, a, b);
        const double own = rate_between(network, known, hops(network, a, b));
        if (own < network.rate(a, b, route)) network.cap[network.row(a)][network.row(b)] = own;
        const double rate = network.rate(a, b, route);
        double weights = 0, sum = 0;
        Seconds least = no_limit;
        for (std::size_t s = 0; s < known.sizes.size(); ++s) {
            const double passed = network.passes_to_and_fro(a, b, known.sizes[s], least);
            const Seconds links = (network.wire(known.sizes[s]) - passed) / rate +
                                  network.delay(a, b, route, known.sizes[s]);
            least = std::max(0.0, std::min(least, known.times[s] - links));
            const double weight = 1 / (known.times[s] * known.times[s]);
            weights += weight;
            sum += weight * (known.times[s] - links);
        }
        network.fixed[network.row(a)][network.row(b)] = std::max(0.0, sum / weights);
    };
    rows.each_pair(of_pair, step);
}

double median_error(const Network& network, const Profile& profile) {
    std::vector<double> errors;
    const int hosts = static_cast<int>(network.hosts.size());
    for (std::size_t s = 0; s < profile.minimum.size(); ++s)
        for (int a = 0; a < hosts; ++a)
            for (int b = 0; b < hosts; ++b)
                if (a != b)
                    errors.push_back(std::abs(to_and_fro(network, a, b, profile.sizes[s]) /
                                                  profile.minimum[s](a, b) -
                                              1));
    return upper_median(std::move(errors));
}

}  // namespace

Network shared_links(const Profile& profile) {
    return assemble_network(profile.hosts, profile.levels,
                            profile.model ? profile.model->media : std::vector<Medium>{}, {},
                            one_row(profile));
}

// Hosts, links and what messages take, of every step-th host.
static Network network_of(const Profile& profile, const Model& model, Forwarding forwarding,
                          std::size_t step = 1) {
    std::vector<Medium> media = model.media;
    for (Medium& medium : media) {
        medium.rate *= on_wire;
        medium.uplink *= on_wire;
    }
    // Once without ports, to see which links there are on the way of each pair.
    Network bare = assemble_network(profile.hosts, profile.levels, media, {}, one_row(profile));
    bare.frame = full_frame;
    bare.forwarding = forwarding;
    bare.row_of = rows_of(bare, model);
    Network network = assemble_network(profile.hosts, profile.levels, media,
                                       port_rates(bare, profile, model, media, step), bare.row_of);
    network.frame = full_frame;
    network.forwarding = forwarding;
    network.first_flight = ten_segments;
    network.send = model.send;
    network.receive = model.receive;
    network.assumed = model.assumed;
    network.shared_gap = model.shared_gap;
    calibrate(network, profile, model, step);
    return network;
}

Forwarding find_forwarding(const Profile& profile) {
    if (profile.forwarding) return *profile.forwarding;
    if (profile.minimum.empty() || !profile.model) return Forwarding::store;
    // Few hosts tell.
    constexpr std::size_t enough = 32;
    const std::size_t step = (profile.hosts.size() + enough - 1) / enough;
    const int hosts = static_cast<int>(profile.hosts.size());
    // Of all times between hosts with several links on their way, as a sum: with one link both ways
    // are the same, and of a message of one frame alone they differ much.
    const auto error = [&](Forwarding forwarding) {
        const Network network = network_of(profile, *profile.model, forwarding, step);
        double sum = 0;
        for (int a = 0; a < hosts; a += static_cast<int>(step))
            for (int b = 0; b < hosts; b += static_cast<int>(step)) {
                if (a == b || network.route(a, b).size() < 2) continue;
                for (std::size_t s = 0; s < profile.minimum.size(); ++s) {
                    const double ratio =
                        to_and_fro(network, a, b, profile.sizes[s]) / profile.minimum[s](a, b);
                    sum += std::max(ratio, 1 / ratio) - 1;
                }
            }
        return sum;
    };
    return error(Forwarding::cut_through) < error(Forwarding::store) ? Forwarding::cut_through
                                                                     : Forwarding::store;
}

Network build_network(const Profile& profile) {
    const Model model = profile.model ? *profile.model : derive_model(profile);
    Network network = network_of(profile, model, find_forwarding(profile));
    network.error = profile.minimum.empty() ? model.error : median_error(network, profile);
    std::vector<Network> railed;
    // A runtime part has no rates between hosts.
    if (profile.mcast) network.mcasts = mcast_reaches(*profile.mcast, profile.levels);
    const bool known = profile.rails && !profile.rails->rails.empty() &&
                       !profile.rails->rails.front().bandwidth.empty();
    for (int rails = 2; known && rails <= profile.rails->most; ++rails)
        railed.push_back(over_rails(network, *profile.rails, rails));
    network.railed = std::move(railed);
    return network;
}

}  // namespace eco
