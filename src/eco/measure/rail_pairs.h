// SPDX-License-Identifier: BSD-3-Clause
// Which pairs of hosts are timed over one network of NICs, and what is inferred for the others.
// Pure. Used by measure_rails.cpp.
#pragma once

#include <vector>

#include "eco/survey/timings.h"
#include "eco/topology/levels.h"
#include "eco/topology/model.h"

namespace eco {

// members: the hosts that have a NIC in the network, ascending. Of few hosts, or where
// `every` says so, all pairs; of many each host with one beside it and one far from it in its
// subnet, and between subnets as pairs_for_all_sizes. First a pair of each subnet, then those
// between subnets, so that little is missing if the time is over.
std::vector<HostPair> rail_pairs(const Levels& levels, const std::vector<int>& members, bool every);

// What timing pairs over all networks may take, of the seconds that are left; with `every` as long
// as it takes.
Seconds time_for_rails(std::size_t hosts, bool every, Seconds left);

// Whether pairs of the same two subnets that were timed are about alike: the levels are those of
// MPI's messages, which may go over another network.
bool subnets_tell(const Table& bandwidth, const Levels& levels, const std::vector<int>& members);

// Pairs of members that are 0 get the median of the narrowest clusters that were timed; nothing
// if no pair was.
void infer_untimed(Table& figures, const Levels& levels, const std::vector<int>& members);

}  // namespace eco
