// SPDX-License-Identifier: BSD-3-Clause
// Turns costs and levels into a cyclic order of the hosts whose neighbours are near (ECO §6.2).
#pragma once

#include <vector>

#include "eco/topology/levels.h"

namespace eco {

// Every cluster of every level stays consecutive; within that, nearest neighbour improved by
// exchanging (2-opt). Starts at a border of the widest level. O(H²) per round of exchanges.
std::vector<int> near_ring(const Matrix& cost, const Levels& levels);

}  // namespace eco
