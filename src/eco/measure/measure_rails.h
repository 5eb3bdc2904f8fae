// SPDX-License-Identifier: BSD-3-Clause
// The last part of measuring: which NICs of the hosts reach other hosts, and the latency and rate
// of each of these rails between each pair (docs/formats.md, "rails").
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "eco/measure/worker_pool.h"
#include "eco/topology/measured_rails.h"

namespace eco {

// Collective over MPI_COMM_WORLD. hosts: their names; levels: on rank 0 their clusters; leader:
// per host the rank that measures; not_joining: networks that are not tried
// (joined_networks.h), the same on all ranks; most: on rank 0, what timing pairs may take, of which
// each network gets its part; one pair of each is timed anyway; every: all pairs, also of many
// hosts (rail_pairs.h says how long both may take). One pair at a time, everybody else
// asleep; about 0.2 s for each pair and rail of 100 Mbit/s (which pairs: rail_pairs.h). The result
// on rank 0; none if no host has libfabric. Throws MpiError.
std::optional<MeasuredRails> measure_rails(
    const std::vector<std::string>& hosts, const Levels& levels, const std::vector<int>& leader,
    const std::set<std::string>& not_joining, const WorkerPool& workers, bool every, Seconds most,
    const std::function<void(double, const std::string&)>& show);

}  // namespace eco
