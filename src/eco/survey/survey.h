// SPDX-License-Identifier: BSD-3-Clause
// Finds the subnets of many hosts, and the levels above them, from few visits: the result of Fig. 2
// on all pairs, but a host has a few dozen visits instead of one with every other. Pure: a Prober
// does the timing. Method and certainty: docs/algorithms.md, "Survey".
#pragma once

#include <functional>
#include <string>

#include "eco/survey/prober.h"
#include "eco/survey/survey_settings.h"
#include "eco/topology/levels.h"

namespace eco {

// Up to so many hosts every pair is timed.
inline constexpr int few_hosts = 12;

struct Survey {
    Timings timings;
    Levels levels;
    std::size_t visits = 0;  // of pairs; a host had 2·visits/H in the mean
    int checks = 0;          // per host inside its cluster; 0: all pairs were timed
    // Pairs of subnets that were never compared, as a share of all.
    double not_compared = 0;
};

// As find_levels, where only these pairs are known.
Levels find_levels(const Timings& timings, double tolerance, Seconds look = 0);

// Called before each batch of visits with how many come, and why.
using OnVisits = std::function<void(std::size_t, const std::string&)>;

// orders: of the hosts, as likely_orders; known: what was timed before, kept and not timed again.
Survey survey(const std::vector<std::vector<int>>& orders, Prober& prober,
              const SurveySettings& settings, Timings known, const OnVisits& on_visits = {});

}  // namespace eco
