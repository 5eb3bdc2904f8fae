// SPDX-License-Identifier: BSD-3-Clause
// Finds the pairwise times that decide the partition but are too uncertain to do so, so that they
// are measured again before levels are made. Called by the probe; pure, so that it is tested
// without a network.
#pragma once

#include <utility>
#include <vector>

#include "eco/base/units.h"
#include "eco/topology/matrix.h"

namespace eco {

// Seconds by which the least of so many samples may lie above what the pair takes undisturbed, in
// 19 of 20 cases, where disturbances are spread exponentially. spread: of the samples, relative, as
// in a profile. At least what waking up costs a host counts as disturbance.
Seconds uncertainty(Seconds least, double spread, int samples);

// Pairs (a < b) without which the levels would be others, if they took as much less as their
// uncertainty allows: between subnets those that would join them, inside a subnet those that would
// raise the bar for its other edges; the same with the clusters of each level. O(H³ log H) at
// worst.
std::vector<std::pair<int, int>> unclear_pairs(const Matrix& cost, const Matrix& uncertainty,
                                               double tolerance);

}  // namespace eco
