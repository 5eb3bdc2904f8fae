// SPDX-License-Identifier: BSD-3-Clause
#include "eco/measure/later_steps.h"

#include <algorithm>
#include <set>

#include "eco/measure/flow_time.h"
#include "eco/survey/both_ways.h"

namespace eco {

namespace {

// Measured on eight to sixteen hosts of the lab.
constexpr Seconds time_of_processors = 0.6, time_of_nics = 0.3, way_of_multicast = 0.3,
                  trains_of_cluster = 0.25, most_of_multicast = 5, predicting_a_host = 0.6;
constexpr double trips_of_cluster = 8;
constexpr Seconds most_of_links = 15;

int subnets(const Profile& profile) {
    if (profile.levels.empty()) return 1;
    const auto& ids = profile.levels.back();
    return static_cast<int>(std::set<int>(ids.begin(), ids.end()).size());
}

// What has not been timed yet is no number.
Seconds trip(const Profile& profile, int a, int b) {
    return profile.minimum.empty() ? 0 : std::max(0.0, 2 * profile.minimum.front()(a, b));
}

}  // namespace

Seconds predicting_time(const Profile& profile) {
    return subnets(profile) > 1 ? predicting_a_host * static_cast<double>(profile.hosts.size()) : 0;
}

Seconds farthest(const Profile& profile) {
    Seconds most = 0;
    for (int host = 1; host < static_cast<int>(profile.hosts.size()); ++host)
        most = std::max(most, trip(profile, 0, host));
    return most;
}

LaterSteps::LaterSteps(const Profile& profile, bool tries_multicast, Seconds predicting) {
    if (!profile.levels.empty())
        for (const auto& [a, b] : links_to_try(profile.levels.back(), {}))
            times_[links] += 2 * one_flow(trip(profile, a, b));
    times_[links] = std::min(times_[links], most_of_links);
    if (predicting > 0) times_[processors] = time_of_processors;
    times_[nics] = time_of_nics;
    const double clusters = 1.0 + subnets(profile);
    if (tries_multicast)
        times_[multicast] =
            std::min(most_of_multicast,
                     way_of_multicast +
                         clusters * (trains_of_cluster + trips_of_cluster * farthest(profile)));
    // Before the levels are known there may be several.
    times_[predictions] =
        std::min(predicting, profile.levels.empty()
                                 ? predicting_a_host * static_cast<double>(profile.hosts.size())
                                 : predicting_time(profile));
}

}  // namespace eco
