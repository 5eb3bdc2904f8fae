// SPDX-License-Identifier: BSD-3-Clause
// The profile of a large network: what surveying, filling, the model and writing make of it.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <set>

#include "eco/base/at.h"
#include "eco/survey/fill.h"
#include "eco/survey/notes.h"
#include "eco/survey/odd.h"
#include "eco/survey/simulated_prober.h"
#include "eco/survey/slow_for_long.h"
#include "eco/survey/survey.h"
#include "eco/topology/profile.h"
#include "eco/topology/transfer.h"

namespace eco {

namespace {

// What longer messages take more.
constexpr double factor[] = {1, 1.1, 3};
constexpr double factor_of_slow_nics = 9;

// The times of some sizes beside the survey's, as the probe takes them.
void add_sizes(const std::vector<HostPair>& pairs, const std::set<int>& slow_nics, Prober& prober,
               std::vector<Timings>& timings) {
    std::vector<HostPair> missing;
    for (const auto& [a, b] : pairs)
        if (!timings[2].has(a, b)) missing.emplace_back(a, b);
    const auto samples = prober.time(missing, 0);
    for (const std::size_t size : {0U, 1U, 2U})
        for (std::size_t i = 0; i < missing.size(); ++i) {
            if (timings[size].has(missing[i].first, missing[i].second)) continue;
            const bool slow =
                slow_nics.contains(missing[i].first) || slow_nics.contains(missing[i].second);
            auto scaled = samples[i];
            for (Seconds& sample : scaled)
                sample *= size == 2 && slow ? factor_of_slow_nics : factor[size];
            timings[size].add(missing[i], scaled);
        }
}

// As time_pairs of the probe does it. slow_nics: hosts that are slow for long messages alone.
Profile surveyed_well(const DrawnNetwork& network, const std::vector<Hint>& hints, unsigned seed,
                      Notes& notes, const std::set<int>& slow_nics = {}) {
    const int hosts = static_cast<int>(hints.size());
    SimulatedProber prober(network, seed);
    Profile profile;
    profile.sizes = {1, 1024, 16384};
    profile.partition_bytes = 1024;
    profile.tolerance = 0.2;
    profile.round_trips = 5;
    profile.repeats = 3;
    for (const Hint& hint : hints) profile.hosts.push_back(hint.name);
    const Survey found = survey(likely_orders(hints), prober, {}, Timings(hosts));
    std::vector<Timings> timings(3, Timings(hosts));
    timings[1] = found.timings;
    add_sizes(pairs_for_all_sizes(found.timings, found.levels), slow_nics, prober, timings);
    add_sizes(pairs_to_tell_apart(long_pairs(profile, timings), timings[1], found.levels.back()),
              slow_nics, prober, timings);
    Filled filled = fill(timings, 1, found.levels);
    profile.minimum = std::move(filled.minimum);
    profile.spread = std::move(filled.spread);
    derive_topology(profile, profile.repeats);
    auto& measured =
        notes.surveyed.emplace(Surveyed{found.checks, found.not_compared, {}}).measured;
    for (const auto& timing : timings) {
        auto& list = measured.emplace_back();
        for (const auto& entry : timing.entries()) list.emplace_back(entry.a, entry.b);
        std::sort(list.begin(), list.end());
    }
    return profile;
}

// Every host's overheads are its own.
void add_model(Profile& profile) {
    std::mt19937 random(1);
    std::uniform_real_distribution<double> overhead(1e-6, 2e-6);
    Model& model = profile.model.emplace();
    for (std::size_t host = 0; host < profile.hosts.size(); ++host) {
        model.send.push_back({overhead(random), overhead(random) * 1e-4});
        model.receive.push_back({overhead(random), overhead(random) * 1e-4});
    }
    find_transfer(model, profile.sizes, profile.minimum);
}

}  // namespace

TEST(ManyHosts, HaveAShortProfileThatSaysTheSame) {
    for (unsigned seed = 1; seed <= 4; ++seed) {
        Notes notes;
        std::mt19937 random(seed);
        std::vector<Hint> hints;
        const DrawnNetwork network = draw_network({.hosts = 1024}, random, hints);
        Profile profile = surveyed_well(network, hints, seed, notes);
        add_model(profile);
        auto document = nlohmann::json::parse(to_json(profile));
        put_notes(notes, document);
        const std::string text = document.dump();
        const auto start = std::chrono::steady_clock::now();
        const Profile again = parse_profile(text, "x.json");
        const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
        std::printf("%.2f MB, read in %.2f s; %d subnets\n",
                    1e-6 * static_cast<double>(text.size()), taken.count(),
                    document["minimum"][1].is_object()
                        ? static_cast<int>(document["minimum"][1]["blocks"].size())
                        : 0);
        EXPECT_LT(text.size(), 2'000'000U) << seed;
        EXPECT_EQ(again.model, profile.model);
        for (std::size_t size = 0; size < profile.sizes.size(); ++size)
            for (int a = 0; a < 1024; ++a)
                for (int b = 0; b < 1024; ++b) {
                    ASSERT_EQ(again.minimum[size](a, b), profile.minimum[size](a, b));
                    ASSERT_EQ(again.spread[size](a, b), profile.spread[size](a, b));
                }
        EXPECT_EQ(to_json(again), to_json(profile));
    }
}

// All that were drawn, and no other.
TEST(ManyHosts, SlowOnesAreNamed) {
    int drawn = 0;
    for (unsigned seed = 1; seed <= 4; ++seed) {
        std::mt19937 random(seed);
        std::vector<Hint> hints;
        const DrawnNetwork network = draw_network({.hosts = 1024}, random, hints);
        std::set<int> slow, slow_nics, named;
        for (int host = 0; host < 1024; ++host) {
            if (network.hosts[at(host)].slow > 1)
                slow.insert(host);
            else if (host % 200 == 100)
                slow_nics.insert(host);
        }
        Notes notes;
        const Profile profile = surveyed_well(network, hints, seed, notes, slow_nics);
        for (const Odd& odd :
             all_odd(slow_hosts(profile), slow_for_long(profile, notes.surveyed), {}, {})) {
            EXPECT_EQ(odd.what, "slow");
            named.insert(odd.hosts.front());
        }
        drawn += static_cast<int>(slow.size());
        std::set<int> wanted = slow;
        wanted.insert(slow_nics.begin(), slow_nics.end());
        EXPECT_EQ(named, wanted) << seed;
    }
    EXPECT_GT(drawn, 10);
}

}  // namespace eco
