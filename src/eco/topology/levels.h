// SPDX-License-Identifier: BSD-3-Clause
// Turns pairwise costs into nested levels: the partition of Fig. 2, then the same again with the
// subnets as vertices, until one is left or nothing merges.
#pragma once

#include <vector>

#include "eco/topology/matrix.h"

namespace eco {

// One array per level, widest first, a cluster id per host; the last is the partition into subnets.
using Levels = std::vector<std::vector<int>>;

Levels find_levels(const Matrix& cost, double tolerance);

// The least cost between any two hosts of different clusters, per pair of clusters.
Matrix cost_between(const Matrix& cost, const std::vector<int>& cluster);

// Puts the wider levels before the one that is there: clusters as vertices, until one is left or
// nothing merges.
Levels widened(Levels levels, const Matrix& cost, double tolerance);

}  // namespace eco
