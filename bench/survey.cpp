// SPDX-License-Identifier: BSD-3-Clause
// Surveys drawn networks with the simulated prober: visits a host, seconds, whether the levels are
// those of all pairs, and whether the slow hosts are named.
//
//     cmake --build build/release --target survey_bench
//     build/release/bin/survey_bench 1024 100 [racks [speeds [mixed]]]
//
// With racks other than 0: so many of equal size, and names that say nothing. With speeds: so many
// different ones of NICs, which hints tell; each rack has one, but for a share `mixed` of the
// hosts.
#include "eco/survey/survey.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "eco/survey/fill.h"
#include "eco/survey/odd.h"
#include "eco/survey/simulated_prober.h"

namespace {

std::vector<int> named_slow(const eco::Survey& found) {
    eco::Profile profile;
    profile.hosts.resize(static_cast<std::size_t>(found.timings.hosts()));
    profile.sizes = {1024};
    profile.partition_bytes = 1024;
    profile.minimum = eco::fill({found.timings}, 0, found.levels).minimum;
    profile.levels = found.levels;
    std::vector<int> hosts;
    for (const auto& odd : eco::slow_hosts(profile)) hosts.push_back(odd.hosts.front());
    return hosts;
}

}  // namespace

int main(int count, char** words) {
    if (count < 3)
        return std::fprintf(stderr, "survey_bench HOSTS NETWORKS [RACKS [SPEEDS [MIXED]]]\n"), 2;
    const int hosts = std::atoi(words[1]), networks = std::atoi(words[2]);
    const int racks = count > 3 ? std::atoi(words[3]) : 0;
    int same = 0, same_subnets = 0, slow = 0, named = 0, named_wrongly = 0;
    double most_visits = 0, sum_visits = 0, longest = 0, most_of_one = 0, work = 0;
    for (int number = 0; number < networks; ++number) {
        const auto seed = static_cast<unsigned>(number + 1);
        std::mt19937 random(seed);
        eco::DrawSettings settings;
        settings.hosts = hosts;
        settings.useless_names = racks > 0 || number % 4 == 3;
        settings.even = racks > 0;
        settings.racks = racks;
        settings.speeds = count > 4 ? std::atoi(words[4]) : 0;
        settings.mixed_speeds = count > 5 ? std::atof(words[5]) : 0;
        std::vector<eco::Hint> hints;
        const auto network = eco::draw_network(settings, random, hints);
        eco::SimulatedProber prober(network, seed);
        const auto start = std::chrono::steady_clock::now();
        const auto found = eco::survey(eco::likely_orders(hints), prober, {},
                                       eco::Timings(static_cast<int>(hints.size())));
        work = std::max(
            work, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
        const bool subnets = found.levels.back() == network.racks();
        const bool all = hosts > 2048 ? subnets : found.levels == network.levels_of_all(0.2);
        // Matrices of more hosts need more memory than they tell.
        if (hosts <= 2048) {
            for (const auto& host : network.hosts) slow += host.slow > 1 ? 1 : 0;
            for (const int host : named_slow(found))
                ++(network.hosts[static_cast<std::size_t>(host)].slow > 1 ? named : named_wrongly);
        }
        same_subnets += subnets ? 1 : 0;
        same += all ? 1 : 0;
        const double visits = 2.0 * static_cast<double>(found.visits) / hosts;
        if (!all) {
            std::printf("network %d differs: %.1f visits, %s names; clusters by level", number,
                        visits, settings.useless_names ? "useless" : "useful");
            for (const auto& level : found.levels)
                std::printf(" %d", 1 + *std::max_element(level.begin(), level.end()));
            if (hosts <= 2048) {
                std::printf(", not");
                for (const auto& level : network.levels_of_all(0.2))
                    std::printf(" %d", 1 + *std::max_element(level.begin(), level.end()));
            }
            std::printf("\n");
        }
        most_visits = std::max(most_visits, visits);
        sum_visits += visits;
        longest = std::max(longest, prober.clock());
        most_of_one = std::max(most_of_one, static_cast<double>(prober.most_visits()));
    }
    std::printf(
        "%d networks of %d hosts: %d as from all pairs, %d with the racks drawn; visits a host "
        "%.1f in the mean, %.1f at most, of one host %.0f; %.1f s at most; computing %.1f s\n",
        networks, hosts, same, same_subnets, sum_visits / networks, most_visits, most_of_one,
        longest, work);
    std::printf("of %d slow hosts %d were named, and %d others\n", slow, named, named_wrongly);
    return 0;
}
