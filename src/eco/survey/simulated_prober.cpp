// SPDX-License-Identifier: BSD-3-Clause
#include "eco/survey/simulated_prober.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <numeric>

#include "eco/base/at.h"

namespace eco {

namespace {

constexpr int trips = 5;
constexpr Seconds most_time = 20e-3;  // of a visit, but for one trip at least
// What rank 0 takes to send an order, and what a rank that sleeps takes to see it.
constexpr Seconds order_time = 20e-6, wake_up = 1.5e-3;

// From 0 to 1, always the same for a pair.
double fate(int a, int b) {
    auto x = static_cast<std::uint64_t>(a) * 0x9e3779b97f4a7c15U +
             static_cast<std::uint64_t>(b) * 0xbf58476d1ce4e5b9U;
    x = (x ^ x >> 31) * 0x94d049bb133111ebU;
    return static_cast<double>((x ^ x >> 29) >> 11) * 0x1p-53;
}

}  // namespace

Seconds DrawnNetwork::of(int a, int b) const {
    const auto [low, high] = std::minmax(a, b);
    const DrawnHost &x = hosts[at(low)], &y = hosts[at(high)];
    std::size_t place = 0;
    while (place < x.at.size() && x.at[place] == y.at[place]) ++place;
    return apart[place] * (1 + uneven * fate(low, high)) + (x.slow - 1 + y.slow - 1) * apart.back();
}

Seconds DrawnNetwork::seen(int a, int b, Seconds taken) const {
    if (look <= 0) return taken;
    // There and back: each side's looks end at other times.
    Seconds both = 0;
    for (const double offset : {fate(a, b), fate(b, a)})
        both += look * (std::ceil(taken / look - offset) + offset);
    return both / 2;
}

Levels DrawnNetwork::levels_of_all(double tolerance) const {
    const auto count = static_cast<int>(hosts.size());
    Matrix cost(count);
    for (int a = 0; a < count; ++a)
        for (int b = a + 1; b < count; ++b) cost.set(a, b, of(a, b));
    return find_levels(cost, tolerance);
}

std::vector<int> DrawnNetwork::racks() const {
    std::map<std::vector<int>, int> ids;
    std::vector<int> found;
    int next = 0;
    for (const auto& host : hosts) {
        if (host.slow > 1) {
            found.push_back(next++);
            continue;
        }
        const auto [id, fresh] = ids.emplace(host.at, next);
        if (fresh) ++next;
        found.push_back(id->second);
    }
    return found;
}

DrawnNetwork draw_network(const DrawSettings& settings, std::mt19937& random,
                          std::vector<Hint>& hints) {
    const auto between = [&](double low, double high) {
        return std::uniform_real_distribution<double>(low, high)(random);
    };
    const auto whole = [&](int low, int high) {
        return std::uniform_int_distribution<int>(low, high)(random);
    };
    DrawnNetwork network;
    const int sites = settings.racks > 0 ? 1 : whole(1, 3);
    const int racks = settings.racks > 0       ? settings.racks
                      : settings.useless_names ? whole(4, 8) * sites
                                               : std::max(4, settings.hosts / whole(24, 64));
    // Pods are several racks each, in some networks.
    const int racks_per_pod = settings.racks == 0 && whole(0, 1) == 1 ? whole(3, 6) : racks;
    const Seconds rack = between(30e-6, 100e-6), pod = rack * between(1.4, 2.5),
                  site = pod * between(1.4, 2.5);
    network.apart = {between(2e-3, 20e-3), site, pod, rack};
    network.disturbance = between(0.02, 0.2);
    // Racks of other sizes: some three times as large as others.
    std::vector<double> share;
    for (int i = 0; i < racks; ++i) share.push_back(settings.even ? 1 : between(0.5, 1.5));
    const double all = std::accumulate(share.begin(), share.end(), 0.0);
    double border = 0;
    for (int i = 0; i < racks; ++i) {
        const double before = border;
        border += share[at(i)] / all * settings.hosts;
        const int size = static_cast<int>(border + 0.5) - static_cast<int>(before + 0.5);
        const int site_number = i * sites / racks;
        for (int host = 0; host < size; ++host)
            network.hosts.push_back({{site_number, i / racks_per_pod, i}, 1});
    }
    const auto count = static_cast<int>(network.hosts.size());
    // Slower than the tolerance forgives, and than pods are apart: no cluster of their own.
    for (auto& host : network.hosts)
        if (between(0, 1) < settings.slow_hosts) host.slow = between(1.6, 4);
    std::vector<int> name(at(count));
    std::iota(name.begin(), name.end(), 0);
    if (settings.useless_names)
        std::shuffle(name.begin(), name.end(), random);
    else
        for (int moved = 0; moved < count / 50; ++moved)
            std::swap(name[at(whole(0, count - 1))], name[at(whole(0, count - 1))]);
    hints.clear();
    for (int host = 0; host < count; ++host)
        hints.push_back({"node" + std::to_string(name[at(host)]), "", ""});
    if (settings.speeds == 0) return network;
    std::vector<int> of_rack;
    for (int i = 0; i < racks; ++i) of_rack.push_back(whole(1, settings.speeds));
    for (int host = 0; host < count; ++host)
        hints[at(host)].megabits = 1000 * (between(0, 1) < settings.mixed_speeds
                                               ? whole(1, settings.speeds)
                                               : of_rack[at(network.hosts[at(host)].at.back())]);
    return network;
}

std::vector<std::vector<Seconds>> SimulatedProber::time(const std::vector<HostPair>& pairs, Bytes) {
    std::exponential_distribution<double> disturbance(1 / network_.disturbance);
    std::uniform_real_distribution<double> chance(0, 1);
    std::vector<std::vector<Seconds>> found;
    std::vector<Seconds> taken;
    for (const auto& [a, b] : pairs) {
        auto& samples = found.emplace_back();
        Seconds sum = 0;
        const bool busy = network_.busy > 0 && chance(random_) < network_.busy;
        // The first is not counted.
        for (int trip = 0; trip <= trips; ++trip) {
            Seconds half = network_.of(a, b) * (1 + disturbance(random_));
            if (chance(random_) < network_.hiccups) half *= 1 + 10 * chance(random_);
            if (busy) half += 2 * chance(random_) * network_.busy_time;
            half = network_.seen(a, b, half);
            sum += 2 * half;
            if (trip > 0) samples.push_back(half);
            if (trip > 0 && sum >= most_time) break;
        }
        taken.push_back(sum);
        ++visits_of_[at(a)];
        ++visits_of_[at(b)];
    }
    for (const auto& part : disjoint_parts(pairs, static_cast<int>(network_.hosts.size()))) {
        Seconds longest = 0;
        for (const std::size_t pair : part) longest = std::max(longest, taken[pair]);
        clock_ += longest + wake_up + order_time * 2 * static_cast<double>(part.size());
    }
    return found;
}

int SimulatedProber::most_visits() const {
    return *std::max_element(visits_of_.begin(), visits_of_.end());
}

}  // namespace eco
