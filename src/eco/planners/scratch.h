// SPDX-License-Identifier: BSD-3-Clause
// The memory that a choice takes of a rank beside the program's buffers. A choice that takes more
// than a rank has for it is not supported at that size (planner.h): the library takes less, and
// where memory is short the job ends.
#pragma once

#include "eco/planners/choice.h"
#include "eco/schedule/collective.h"

namespace eco {

// Of messages so short that no choice takes what a rank has, and of a size that is not known.
inline bool may_always_take(const Request& request, Bytes bytes) {
    // Some times all blocks of an all-to-all; few ranks hold a sum of each step or segment.
    const double ranks = request.ranks(), most_per_byte = 4 * ranks * ranks + 64;
    return bytes <= 0 || most_per_byte * static_cast<double>(bytes) <=
                             static_cast<double>(request.hierarchy->most_scratch);
}

// Bytes for each byte of the message size (of a reduce-scatter: of all blocks): banks of scratch;
// what arrives for a reduction, all of which is received at once (run/execution.h); and copies of
// messages whose blocks do not lie in one stretch. No rank takes more, whoever is the root; the
// same on all ranks. Needs a choice that the operation knows. Of one family each; for its entry
// (family.h), called by planner.h's scratch_per_byte(). On ranks: of a flat hierarchy.
double scratch_of_tree(const Choice& choice, const Request& request);
double scratch_of_exchange(const Choice& choice, const Request& request);
double scratch_of_ring(const Choice& choice, const Request& request);
double scratch_of_butterfly(const Choice& choice, const Request& request);
double scratch_of_index(const Choice& choice, const Request& request);
double scratch_of_ordered(const Choice& choice, const Request& request);

}  // namespace eco
