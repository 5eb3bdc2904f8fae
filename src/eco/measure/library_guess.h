// SPDX-License-Identifier: BSD-3-Clause
// What a collective of the library takes that was not timed, from those that were. Pure. Called by
// cell_table.
#pragma once

#include <vector>

#include "eco/base/units.h"
#include "eco/schedule/collective.h"

namespace eco {

struct LibraryCall {
    Operation operation;
    Bytes bytes = 0;
    bool near = true;  // the ranks' order: beside each other by the network; else scattered
    Seconds baseline =
        0;               // what the best topology-unaware schedule takes by prediction; 0: unknown
    Seconds native = 0;  // 0: not timed
};

// What was timed of the same operation and is most like it: of scattered ranks the same message
// with ranks beside each other, which takes the library no longer; else the longest shorter message
// in the same order; null: none.
const LibraryCall* similar_call(const LibraryCall& call, const std::vector<LibraryCall>& all);

struct LibraryGuess {
    Seconds time = 0;  // 0: not known
    // From a timed call of the library; else from the model alone, which tells nothing of how far
    // guesses err.
    bool from_timed = false;
};

// As the library took at the similar call, and as its baseline and this one's differ, or, if these
// are not known, the lengths; without one the baseline's own time.
LibraryGuess guess(const LibraryCall& call, const LibraryCall* similar);

}  // namespace eco
