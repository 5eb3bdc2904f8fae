// SPDX-License-Identifier: BSD-3-Clause
// Turns a request into the choices that are worth timing on its network, by rules from the shapes
// of its groups. Called by the chooser, and by tuning.
#pragma once

#include <vector>

#include "eco/planners/planner.h"

namespace eco {

// The likely best first; never empty, but native alone where there are too many ranks for all else
// (planners/extent.h). bytes: message size, or -1 where not all ranks know it.
std::vector<Choice> candidates(const Request& request, Bytes bytes);

}  // namespace eco
