// SPDX-License-Identifier: BSD-3-Clause
// Collects hints about each host that need no measuring (survey/hints.h).
#pragma once

#include <vector>

#include "eco/survey/hints.h"

namespace eco {

// Collective over MPI_COMM_WORLD; per rank. Throws MpiError.
std::vector<Hint> all_hints();

}  // namespace eco
