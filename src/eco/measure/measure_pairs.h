// SPDX-License-Identifier: BSD-3-Clause
// The first half of measuring: half round trips of all pairs of hosts (ECO §3), one pair at a time:
// the minimum of several, and how far the others lie above it. Called by measure.h on rank 0.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "eco/measure/worker_pool.h"
#include "eco/survey/hints.h"
#include "eco/survey/notes.h"
#include "eco/survey/timings.h"
#include "eco/topology/profile.h"

namespace eco {

// Called with the seconds that pairs will take from now on, infinite at first, and what is done
// now.
using ShowLeft = std::function<void(Seconds, const std::string&)>;

// Fills profile.minimum and spread of all hosts, and surveyed where not every pair was timed; what
// it says is of the known hosts. The profile's other parameters say how. known: how many hosts, the
// first, have their times already; kept: what an earlier run told of others before it was cut short
// (keep_pairs.h), or nothing. leader, hints: per host the rank that measures, and what is
// known of it for nothing; look: what a look for a message takes a host (messages.h). Every pair up
// to few_hosts or where all_pairs says so, one after the other; else as survey.h decides, small
// messages in disjoint pairs at once where that changes nothing. Few round trips where one takes
// long: between sites 10 ms apart a pair takes about 0.1 s; and unless all_pairs, long messages
// only of some pairs of two sites, and small ones of the others several at once. Afterwards those
// are timed again without which the partition is not clear. most: what is left of all time; of
// every pair as many repeats are made as fit into half of it, one at least, which profile.repeats
// then says. Throws MpiError.
void time_pairs(Profile& profile, std::optional<Surveyed>& surveyed, int known,
                const std::string& kept, bool all_pairs, Seconds look,
                const std::vector<int>& leader, const std::vector<Hint>& hints,
                const WorkerPool& workers, Seconds most, const ShowLeft& show);

}  // namespace eco
