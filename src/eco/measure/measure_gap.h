// SPDX-License-Identifier: BSD-3-Clause
// The part of measuring that finds out whether hosts share processors, as emulated ones may
// (docs/formats.md, "shared_gap"): short messages along a ring of all hosts at once.
#pragma once

#include <vector>

#include "eco/topology/profile.h"

namespace eco {

// Collective over MPI_COMM_WORLD; about a second. profile: on rank 0 with its ring and model;
// leader: per host the rank that measures. The result on rank 0. Throws MpiError.
Seconds measure_shared_gap(const Profile& profile, const std::vector<int>& leader);

}  // namespace eco
