// SPDX-License-Identifier: BSD-3-Clause
// The processors that the calling process may run on, and where hwloc places them. hwloc is loaded
// on demand and never linked with: if it is not installed, nothing is known, and ranks have no
// levels inside their host. Called when a session begins.
#pragma once

#include <vector>

#include "eco/topology/binding.h"

namespace eco {

// By the system's numbers (hwloc: the os_index of a PU); empty if the system does not say.
std::vector<int> allowed_processors();

// False where the process may run anywhere on its host, so that find_binding has nothing to find.
bool may_be_bound();

// Where the processors lie in hwloc's topology of this host, or in that which HWLOC_SYNTHETIC or
// HWLOC_XMLFILE describes. Ids are the number of the first processor of each. Some 2 ms.
Binding find_binding(const std::vector<int>& processors);

}  // namespace eco
