// SPDX-License-Identifier: BSD-3-Clause
// Turns a profile's levels, the hosts of a communicator's ranks and their bindings into a
// hierarchy. All ranks build the same one from the same inputs. Called where a communicator is
// placed.
#pragma once

#include <vector>

#include "eco/topology/binding.h"
#include "eco/topology/hierarchy.h"
#include "eco/topology/profile.h"

namespace eco {

// host_of (here and below): per rank its index in profile.hosts; bindings: per rank, or none if
// hosts have no levels inside. Per level, widest first, each rank's cluster id; then the hosts
// themselves, then the levels inside (binding.h).
std::vector<std::vector<int>> keys_by_level(const Profile& profile, const std::vector<int>& host_of,
                                            const std::vector<Binding>& bindings = {});

// A cluster that was found by capacity is none for ranks whose hosts cannot fill its uplink: the
// parts of it then stand beside others of the wider cluster.
Hierarchy build_hierarchy(const Profile& profile, const std::vector<int>& host_of,
                          const std::vector<Binding>& bindings = {});

}  // namespace eco
