// SPDX-License-Identifier: BSD-3-Clause
// The part of measuring that finds out where IP multicast reaches, and how fast it
// may be sent there without loss (docs/formats.md, "mcast").
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "eco/topology/profile.h"

namespace eco {

// Collective over MPI_COMM_WORLD. profile: on rank 0 with its levels and model; leader: per host
// the rank that measures, below 0: none; not_joining: networks that no NIC is tried in
// (joined_networks.h). Every host sends probes to all others, again where some
// are lost; then one train of datagrams or a few in each cluster in which all hosts receive them,
// four seconds for all, or `most`. On eight hosts of 10 Mbit/s about a second. The result on rank
// 0. Throws MpiError.
MeasuredMcast measure_mcast(const Profile& profile, const std::vector<int>& leader,
                            const std::set<std::string>& not_joining, Seconds most,
                            const std::function<void(double, const std::string&)>& show);

}  // namespace eco
