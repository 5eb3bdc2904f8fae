// SPDX-License-Identifier: BSD-3-Clause
// Turns a choice into what of it decides in which order a reduction combines the ranks' elements.
// Floating-point sums have the same bits by two choices of one evaluation order, whatever else
// differs: how long segments are, how many messages are under way, over which transport they go.
// Pure. Called by learn/rivals (what may replace a choice without other bits) and by job/ (what
// runs where the job cannot multicast).
#pragma once

#include "eco/planners/choice.h"
#include "eco/schedule/collective.h"

namespace eco {

// The choice without all that does not change the order: the same for two choices only if each
// element is combined by the same expression. Needs supports(choice, request) and an operation that
// reduces. O(P).
Choice evaluation_order(const Choice& choice, const Request& request);

// The sum along the same tree without IP multicast, with the same bits; for a choice that
// multicasts a reduction.
Choice without_multicast(const Choice& choice);

// False for the library's own beside anything else, as its order is not known. Of an operation that
// does not reduce: true.
bool same_evaluation_order(const Choice& a, const Choice& b, const Request& request);

}  // namespace eco
