// The first half of measuring: half round trips of all pairs of hosts (ECO §3), one pair at a time,
// the least of several kept, and how far the others lie above it. Called by measure.h on rank 0.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "eco/probe/crew.h"
#include "eco/topology/profile.h"

namespace eco {

using HostPair = std::pair<int, int>;

// Called with the seconds that pairs will take from now on, infinite at first, and what is done
// now.
using ShowLeft = std::function<void(Seconds, const std::string&)>;

// Fills profile.minimum and spread for these pairs; their other parameters say how. speaker: per
// host the rank that measures. Few round trips where one takes long: between sites 10 ms apart a
// pair takes about 0.3 s. Afterwards those are timed again without which the partition is not
// clear. Throws MpiError.
void time_pairs(Profile& profile, const std::vector<HostPair>& pairs,
                const std::vector<int>& speaker, const Crew& crew, const ShowLeft& show);

}  // namespace eco
