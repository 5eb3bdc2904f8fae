// SPDX-License-Identifier: BSD-3-Clause
// Removes boundaries between subnets that the times do not support: crossing one may take no longer
// than staying inside, given the uncertainty of few samples. Pure. Called by derive_topology.
#pragma once

#include "eco/topology/levels.h"
#include "eco/topology/matrix.h"

namespace eco {

// levels: as find_levels made them from cost. uncertainty: by how much each cost may be too high
// (unclear.h). Two subnets become one where in the median of the pairs across them cost −
// uncertainty is not above the dearest link that either needs to hold together; wider levels follow
// from that. Two hosts that are each a subnet of their own stay so. O(H²) and find_levels' time.
Levels sure_levels(const Levels& levels, const Matrix& cost, const Matrix& uncertainty,
                   double tolerance);

}  // namespace eco
