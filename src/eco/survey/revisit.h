// SPDX-License-Identifier: BSD-3-Clause
// Where all pairs of few hosts were timed: which of them the partition hangs on though they may
// have been disturbed, so that they are visited again. Pure. Called by measure/measure_pairs.
#pragma once

#include <map>
#include <vector>

#include "eco/survey/timings.h"
#include "eco/topology/matrix.h"

namespace eco {

// The leasts of each pair's visits.
using LeastOfVisits = std::map<HostPair, std::vector<Seconds>>;

// a < b. cost: the leasts of timings, which has every pair. A time may be too long by what its few
// samples do not tell (unclear.h), and by a disturbance that took as long as each of its visits:
// how often and how much that happens, the visits of the nearest pairs show, and its own.
std::vector<HostPair> pairs_to_revisit(const Timings& timings, const LeastOfVisits& visits,
                                       const Matrix& cost, double tolerance);

// Those with a host that is a subnet of its own by these costs.
std::vector<HostPair> of_lone_hosts(std::vector<HostPair> pairs, const Matrix& cost,
                                    double tolerance);

}  // namespace eco
