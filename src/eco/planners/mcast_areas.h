// SPDX-License-Identifier: BSD-3-Clause
// Where the network's multicast reaches parts: its areas, the widest groups of which it reaches
// all. Called by the multicast planner.
#pragma once

#include <vector>

#include "eco/topology/hierarchy.h"

namespace eco {

// All ranks, with each area as one vertex, without parts: who gets a message for an area
// multicasts it there. LocalTree makes trees of it. What comes to an area from any rank outside
// comes to its leader.
Group between_areas(const Group& top);

// The area that a rank is in; null: none.
const Group* area_of(const Group& between, Rank rank);

// Who multicasts in an area what comes from outside, in this order: all ranks outside, the first
// ones of each vertex first, as their blocks arrive; of them first those that a chain of the
// vertices brings first.
std::vector<Rank> ranks_outside(const Group& between, const Group& area);

}  // namespace eco
