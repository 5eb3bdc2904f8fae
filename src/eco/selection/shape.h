// SPDX-License-Identifier: BSD-3-Clause
// Turns the cost of messages between the parts of each level (topology/inter_cluster_cost.h) and a
// message size into a tree shape for each level: a star where latency dominates; binomial or postal
// trees where the overhead of sending counts too (Bar-Noy and Kipnis, 1992; Karonis, section 2.2);
// chains with segments for long messages, so that all levels work at once; balanced between buses.
// Called by candidates and by choose.
#pragma once

#include <optional>
#include <vector>

#include "eco/planners/planner.h"

namespace eco {

// Seconds until the last of so many parts has all of `segments` messages that go one after the
// other along a tree of this form: busy until a part can send its next one, whole until it has
// come. On a bus all parts wait for each other.
Seconds time_along(Form form, int parts, int segments, Seconds busy, Seconds whole,
                   bool bus = false);

// The shape and the segments that take least by this account: for broadcast and reduce a tree, for
// allreduce and barrier an exchange. None for other operations, and where inter-cluster costs are
// not known.
std::optional<Choice> shaped(const Request& request, Bytes bytes);

}  // namespace eco
