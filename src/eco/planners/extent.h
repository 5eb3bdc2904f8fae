// SPDX-License-Identifier: BSD-3-Clause
// The length of the longest program of a rank for a choice. A choice beyond the limits is not
// supported (planner.h): one rank would plan for longer than many calls take, need megabytes for
// each call, and send so many messages, or copy so many blocks, that another choice is faster.
#pragma once

#include "eco/planners/choice.h"
#include "eco/schedule/collective.h"

namespace eco {

// Planned in 2 to 4 ms, and held in 1 MB, on a machine of today: half of what a new call may cost.
// A rank that leads 128 of 256 has as many blocks in an all-to-all.
inline constexpr double most_tasks = 16384, most_chunks = 65536;

struct Extent {
    double tasks = 0;
    double chunks = 0;  // of all its tasks together
};

// Of one family each; for its entry (family.h), called by planner.h's extent(). On ranks: of a flat
// hierarchy.
Extent extent_of_tree(const Choice& choice, const Request& request);
Extent extent_of_exchange(const Choice& choice, const Request& request);
Extent extent_of_ring(const Choice& choice, const Request& request);
Extent extent_of_butterfly(const Choice& choice, const Request& request);
Extent extent_of_direct(const Choice& choice, const Request& request);
Extent extent_of_index(const Choice& choice, const Request& request);
Extent extent_of_ordered(const Choice& choice, const Request& request);

inline bool fits(const Extent& extent) {
    return extent.tasks <= most_tasks && extent.chunks <= most_chunks;
}

}  // namespace eco
