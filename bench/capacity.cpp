// SPDX-License-Identifier: BSD-3-Clause
// Finds shared capacity on drawn networks with simulated streams, which share full links as
// unevenly as TCP's: how many are exact, the Rand index of racks, rounds, seconds of the stage.
//
//     cmake --build build/release --target capacity_bench
//     build/release/bin/capacity_bench 256 100 8 40 2 8 [pods] [slow-ports]
//
// HOSTS NETWORKS, then hosts of a rack and ports over uplink, from and to. With pods: two to seven
// racks share an uplink of their own. With slow-ports: one host of fifty has one. Always: one
// stream of ten is disturbed, others' traffic takes half of some uplink in a fifth of the rounds,
// and the names of the hosts of one network of four say nothing.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <random>
#include <string>

#include "eco/survey/nested_capacity.h"
#include "eco/survey/simulated_streams.h"

namespace {

struct Range {
    double from, to;
};

template <typename Random>
double drawn(const Range& range, Random& random) {
    return range.from + (range.to - range.from) * std::generate_canonical<double, 32>(random);
}

struct Drawn {
    eco::StreamNetwork network;
    std::vector<int> rack;  // per host
    std::vector<std::vector<int>> pods;
};

template <typename Random>
Drawn draw(int hosts, const Range& sizes, const Range& over, bool with_pods, bool slow_ports,
           Random& random) {
    Drawn found;
    auto& [network, rack, pods] = found;
    network.others = 0.2;
    network.port.assign(static_cast<std::size_t>(hosts), 1);
    for (double& port : network.port)
        if (slow_ports && random() % 50 == 0) port = drawn({0.3, 0.8}, random);
    const int least = static_cast<int>(sizes.from);
    for (int next = 0; next < hosts;) {
        int size =
            least + static_cast<int>(random() % static_cast<unsigned>(sizes.to - sizes.from + 1));
        if (hosts - next - size < least) size = hosts - next;
        eco::DrawnUplink uplink;
        uplink.out = uplink.in = size / drawn(over, random);
        for (int i = 0; i < size; ++i, ++next) {
            uplink.hosts.push_back(next);
            rack.push_back(static_cast<int>(network.uplinks.size()));
        }
        network.uplinks.push_back(std::move(uplink));
    }
    const std::size_t racks = network.uplinks.size();
    for (std::size_t first = 0; with_pods && racks > 3 && first < racks;) {
        std::size_t size = 2 + random() % 5;
        if (racks - first - std::min(size, racks - first) < 2) size = racks - first;
        if (size == racks) break;
        eco::DrawnUplink pod;
        for (std::size_t r = first; r < first + size; ++r) {
            const auto& part = network.uplinks[r];
            pod.hosts.insert(pod.hosts.end(), part.hosts.begin(), part.hosts.end());
            pod.out += part.out;
        }
        pod.in = pod.out /= drawn({2, 4}, random);
        pods.push_back(pod.hosts);
        network.uplinks.push_back(std::move(pod));
        first += size;
    }
    return found;
}

// Of pairs of hosts, the share that both put together, or both apart.
double rand_index(const std::vector<int>& a, const std::vector<int>& b) {
    double same = 0, all = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
        for (std::size_t j = 0; j < i; ++j, ++all) same += (a[i] == a[j]) == (b[i] == b[j]);
    return same / all;
}

}  // namespace

int main(int count, char** words) {
    if (count < 7)
        return std::fprintf(stderr,
                            "capacity_bench HOSTS NETWORKS RACK_FROM RACK_TO RATIO_FROM RATIO_TO "
                            "[pods] [slow-ports]\n"),
               2;
    const int hosts = std::atoi(words[1]), networks = std::atoi(words[2]);
    const Range sizes{std::atof(words[3]), std::atof(words[4])},
        over{std::atof(words[5]), std::atof(words[6])};
    bool with_pods = false, slow_ports = false;
    for (int word = 7; word < count; ++word) {
        with_pods = with_pods || words[word] == std::string("pods");
        slow_ports = slow_ports || words[word] == std::string("slow-ports");
    }
    // Of 10 Gbit/s: rounds that cluster, and those in which rates are the result.
    constexpr double round = 0.15, exact_round = 1.6 * round;
    int exact = 0, right_pods = 0, pods = 0;
    double index = 0, least = 1, rounds = 0, seconds = 0, longest = 0, work = 0;
    for (int number = 0; number < networks; ++number) {
        std::mt19937 random(static_cast<unsigned>(number + 1));
        Drawn drawn_network = draw(hosts, sizes, over, with_pods, slow_ports, random);
        auto& [network, rack, pod_hosts] = drawn_network;
        eco::SimulatedStreams prober(network, static_cast<unsigned>(number));
        std::vector<int> all(static_cast<std::size_t>(hosts));
        std::iota(all.begin(), all.end(), 0);
        std::vector<int> order = all;
        if (number % 4 == 3) std::shuffle(order.begin(), order.end(), random);
        eco::NestedSearch search(order, static_cast<unsigned>(number));
        double taken = 0, thought = 0;
        int own = 0;
        while (!search.is_done()) {
            auto start = std::chrono::steady_clock::now();
            const auto flows = search.next();
            const bool testing = search.is_testing();
            thought +=
                std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
            const auto rates = prober.rates(flows);
            start = std::chrono::steady_clock::now();
            search.take(rates);
            thought +=
                std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
            taken += testing ? exact_round : round;
            ++own;
        }
        const auto found = eco::finest(search.result(), all);
        const double r = rand_index(found, rack);
        const bool same = found == rack;
        int has = 0;
        for (auto each : pod_hosts)
            for (const auto& cluster : search.result()) {
                auto sorted = cluster.hosts;
                std::sort(sorted.begin(), sorted.end());
                std::sort(each.begin(), each.end());
                has += sorted == each;
            }
        exact += same;
        right_pods += has;
        pods += static_cast<int>(pod_hosts.size());
        index += r;
        least = std::min(least, r);
        rounds += own;
        seconds += taken;
        longest = std::max(longest, taken);
        work = std::max(work, thought);
        if (!same || has < static_cast<int>(pod_hosts.size()))
            std::printf(
                "network %d: Rand index %.4f, %zu racks, %d found, %d of %zu pods, %d rounds\n",
                number, r, network.uplinks.size() - pod_hosts.size(),
                1 + *std::max_element(found.begin(), found.end()), has, pod_hosts.size(), own);
        std::fflush(stdout);
    }
    std::printf(
        "%d hosts: %d of %d exact, Rand index %.4f (least %.4f), %d of %d pods, %.0f rounds, %.1f "
        "s "
        "(longest %.1f), at most %.1f s of work\n",
        hosts, exact, networks, index / networks, least, right_pods, pods, rounds / networks,
        seconds / networks, longest, work);
}
