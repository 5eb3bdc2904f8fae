// SPDX-License-Identifier: BSD-3-Clause
// The schedules among which predictions search: for an operation on a network, made by rules from
// the shapes of its groups. A form says which rank sends to which, a pace how long the segments are
// and how many are under way. Called by simulate/predict.h.
#pragma once

#include <vector>

#include "eco/planners/choice.h"
#include "eco/schedule/collective.h"

namespace eco {

// Tens at most, each supported, at a usual pace. bytes: message size, known to all ranks.
std::vector<Choice> forms(const Request& request, Bytes bytes);

// The same form at every pace that makes a difference for a message of this size, its own first.
std::vector<Choice> paces(const Choice& form, const Request& request, Bytes bytes);

// What a library does that knows nothing of the network: the topology-unaware baselines on
// contiguous ranks.
std::vector<Choice> baseline(const Request& request);

// About how many messages a schedule sends; its time to plan and to simulate goes with that.
double messages_of(const Choice& choice, const Request& request);

}  // namespace eco
