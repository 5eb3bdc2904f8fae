// SPDX-License-Identifier: BSD-3-Clause
// Turns round trips between some pairs of a communicator's hosts, as measured now and as the
// profile's model has them, into whether the network is still the one of the profile. Pure: all
// ranks that give the same counts get the same answer. Called by job/network_check.cpp.
//
// Traffic of others makes round trips longer, never shorter, and not between most hosts at once. So
// a network that others use is not taken for another one, and results have the same bits.
#pragma once

#include <utility>
#include <vector>

#include "eco/base/units.h"
#include "eco/topology/hierarchy.h"

namespace eco {

// What one pair of hosts says.
enum class PairFit { as_measured, faster, slower };

// trip: the least of some round trips with `bytes` each way. expected: by the profile's model.
PairFit fit_of(Seconds trip, Seconds expected, Bytes bytes);

// How many pairs say what, over all ranks.
struct PairCounts {
    int as_measured = 0, faster = 0, slower = 0;
    void add(PairFit fit);
    int all() const { return as_measured + faster + slower; }
};

// Whether the profile is of another network; traffic of others is not.
bool differs(const PairCounts& counts);

// Which pairs of ranks exchange messages: of each group of hosts the first two and the last two, so
// that few share a link. Rounds follow each other, outer groups first; no rank is twice in a round.
// host_of: per rank. The same on all ranks. O(ranks).
std::vector<std::vector<std::pair<Rank, Rank>>> pairs_to_check(const Group& top,
                                                               const std::vector<int>& host_of);

}  // namespace eco
