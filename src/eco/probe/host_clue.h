// What the ranks' hosts know of themselves for nothing (measure/clues.h).
#pragma once

#include <vector>

#include "eco/measure/clues.h"

namespace eco {

// Collective over MPI_COMM_WORLD; per rank. Throws MpiError.
std::vector<Clue> all_clues();

}  // namespace eco
