// SPDX-License-Identifier: BSD-3-Clause
// Tells a hierarchy what multicast reaches by the profile, also where the job itself cannot
// multicast, or that it reaches nothing. Called by simulate/hosts_predictor.h.
#pragma once

#include "eco/topology/hierarchy.h"
#include "eco/topology/measured_mcast.h"

namespace eco {

// Needs hierarchy.host_of.
void set_mcast_rates(Hierarchy& hierarchy, const MeasuredMcast& mcast, const Levels& levels);

void clear_mcast_rates(Hierarchy& hierarchy);

}  // namespace eco
