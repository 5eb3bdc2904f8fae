// SPDX-License-Identifier: BSD-3-Clause
// Collectives whose message size not all ranks know (MPI_Gatherv and so on) have one choice for all
// sizes, so it must be slower than native at none. Used by within_budget.
#pragma once

#include <optional>
#include <vector>

#include "eco/measure/cell.h"
#include "eco/measure/deadline.h"

namespace eco {

struct SizeExpected {
    Bytes bytes;
    Seconds native;  // what the library is expected to take
};

// Times the candidates beside the library at each size, few runs each, and the best again; the
// times are those of the size where it gains least. Null: the library's at some size would take
// more than is left, and nothing is known. sizes: ascending. allowance: for each size. Collective.
std::optional<Timed> choose_for_all_sizes(Lineup& lineup, Operation operation,
                                          const std::vector<SizeExpected>& sizes, Seconds allowance,
                                          Countdown& deadline);

}  // namespace eco
