// SPDX-License-Identifier: BSD-3-Clause
// The second half of Fig. 2's repetition: from subnets to the levels around them. Called by levels
// and sure.
#pragma once

#include "eco/topology/levels.h"

namespace eco {

// Puts the wider levels before the one that is there: clusters as vertices, until one is left or
// nothing merges.
Levels widened(Levels levels, const Matrix& cost, double tolerance);

}  // namespace eco
