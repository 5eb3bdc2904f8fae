// SPDX-License-Identifier: BSD-3-Clause
// Turns pairwise costs into subnets: hosts that have their cheapest edges to each other (ECO §4.1,
// Fig. 2). Called by levels.h; always gives every host exactly one subnet.
#pragma once

#include <vector>

#include "eco/topology/matrix.h"

namespace eco {

// How far above the least cost an edge may lie and still join its ends; the paper's 20 %.
inline constexpr double default_tolerance = 0.20;

struct CostEdge {
    double weight;
    int a, b;
};

// cost: seconds between hosts. Returns a subnet id per host, numbered from 0 by each subnet's first
// host. O(H² log H).
std::vector<int> partition(const Matrix& cost, double tolerance = default_tolerance);

// The same where only these edges are known: what is missing joins nobody. excess: by so much, in
// seconds, each may cost more than undisturbed, beside the tolerance. O(E log E).
std::vector<int> partition(int hosts, std::vector<CostEdge> edges, double tolerance,
                           double excess = 0);

}  // namespace eco
