// The time that one party of several needs to let all others have the same bytes over its own link,
// they passing them on or not; backwards, to have the sum of what all others have. Used by the
// bound.
#pragma once

#include <vector>

#include "eco/plan/distances.h"

namespace eco {

// Hosts behind one link: a port, or an uplink. Places are those of the distances.
using Party = std::vector<std::size_t>;

// From the first crossing of the giver's link (backwards: before the last crossing of the taker's
// link), where `once` is the time that one copy of the bytes takes to cross it. What crosses so
// early that another party can still pass it on may cross once, all else once for each. Of parties
// of which fewer than two are others: 0. O(H² + P³).
Seconds relay_bound(const Distances& distances, const std::vector<Party>& parties, std::size_t own,
                    Seconds once, bool backwards);

}  // namespace eco
