// SPDX-License-Identifier: BSD-3-Clause
// Which links are timed in both directions, to find those that are slower in one. Pure. Called by
// measure_model.cpp.
#pragma once

#include <vector>

#include "eco/survey/timings.h"

namespace eco {

// What matters most first, as the time may be over: pairs of neighbouring subnets until every
// subnet is in one; then `inside`, pairs inside subnets; then all other neighbouring subnets, and
// subnets of two hosts. subnet: the id of each host's. Each pair once, a subnet's first host for
// it.
std::vector<HostPair> links_to_try(const std::vector<int>& subnet,
                                   const std::vector<HostPair>& inside);

// Of several subnets, those that no tried pair joins to another one.
int subnets_not_tried(const std::vector<int>& subnet, const std::vector<HostPair>& tried);

}  // namespace eco
