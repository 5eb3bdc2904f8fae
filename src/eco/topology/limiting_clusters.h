// SPDX-License-Identifier: BSD-3-Clause
// Which clusters of a network limit the ranks of one communicator. A rack that was found by its
// full uplink is none for two of its hosts, which cannot fill it: with their like in other racks
// they are as on one switch. Called by build_hierarchy.
#pragma once

#include <vector>

#include "eco/topology/profile.h"

namespace eco {

// keys: keys_by_level's, of which those of the levels change: parts of a cluster that was found by
// capacity, and whose uplink carries what all of them send and receive, get keys of their own
// there. host_of: per rank, in profile.hosts. Returns whether that leaves no cluster that divides
// the ranks, where one did: they are as on one switch. What other communicators send meanwhile is
// not known.
// O(levels × clusters × (hosts + media)).
bool leave_out_what_limits_nothing(const Profile& profile, const std::vector<int>& host_of,
                                   std::vector<std::vector<int>>& keys);

}  // namespace eco
