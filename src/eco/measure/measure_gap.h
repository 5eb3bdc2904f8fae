// SPDX-License-Identifier: BSD-3-Clause
// The part of measuring that finds out whether hosts share processors, as emulated ones may
// (docs/formats.md, "shared_gap"): times short messages around rings of hosts.
#pragma once

#include <vector>

#include "eco/simulate/shared_gap.h"
#include "eco/topology/profile.h"

namespace eco {

// Collective over MPI_COMM_WORLD. profile: on rank 0 with its ring and model; leader: per host the
// rank that measures; most: on rank 0, seconds that it may take, of which it takes one at most, or
// little more. The result on rank 0. Throws MpiError.
SharedGap measure_shared_gap(const Profile& profile, const std::vector<int>& leader, Seconds most);

}  // namespace eco
