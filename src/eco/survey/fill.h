// SPDX-License-Identifier: BSD-3-Clause
// Turns the pairs that a survey visited into complete matrices: a pair that was not timed gets the
// median of pairs of the same two subnets.
#pragma once

#include <vector>

#include "eco/survey/timings.h"
#include "eco/topology/levels.h"
#include "eco/topology/matrix.h"

namespace eco {

// Pairs of which messages of all sizes should be timed, long ones too: inside each subnet every
// host once, of three hosts every pair, between subnets next to each other at a level one pair; all
// pairs of subnets where they are few, whatever the levels above them. Those that `timings` holds
// are preferred.
std::vector<HostPair> pairs_for_all_sizes(const Timings& timings, const Levels& levels);

struct Filled {
    std::vector<Matrix> minimum, spread;  // one per size
};

// Whose spread a pair has. Where pairs are visited equally often, that of all its samples; in a
// survey that of its best visit, so that it goes with as many samples everywhere.
enum class SpreadOf { all_visits, best_visit };

// timings: one per size, none empty; by: the one that the survey went by, which the others follow
// where they lack a pair of subnets. Every pair of one subnet, and of two, that was not timed has
// the same figures: medians.
Filled fill(const std::vector<Timings>& timings, std::size_t by, const Levels& levels,
            SpreadOf spread_of = SpreadOf::best_visit);

}  // namespace eco
