// SPDX-License-Identifier: BSD-3-Clause
// The minimum time in which one of several parties sends the same bytes to all others over its own
// link, if the others may forward them; in reverse, in which it gets the sum of all others. Used by
// the bound.
#pragma once

#include <vector>

#include "eco/bounds/distances.h"

namespace eco {

// Hosts behind one link: a port, or an uplink. Places are those of the distances.
using Party = std::vector<std::size_t>;

class RelayBound {
public:
    // outside: all other places, of no party, which may pass the bytes on too. O(H² + P²) time,
    // O(P²) space; the distances must outlive it.
    RelayBound(const Distances& distances, std::vector<Party> parties, Party outside);

    // For the party `own`, from the first crossing of its link (backwards: before the last one),
    // where `once` is the time that one copy of the bytes takes to cross it. What crosses so early
    // that another party can still pass it on may cross once, all else once for each. Of fewer than
    // three parties: 0. O(H of own · H).
    Seconds over(std::size_t own, Seconds once, bool backwards) const;

private:
    // Of the others of a party, by how far they are.
    struct Nearest {
        std::size_t first = 0;
        Seconds to_first = never, to_second = never;
        void add(std::size_t other, Seconds distance);
        Seconds but(std::size_t other) const { return other == first ? to_second : to_first; }
    };

    Seconds crossing(std::size_t own, const Party& other, bool backwards) const;
    Seconds by_outside(std::size_t own, bool backwards) const;

    const Distances& distances_;
    std::vector<Party> parties_;
    Party outside_;
    std::vector<std::vector<Seconds>> direct_;  // P×P, row = source; or by way of what is outside
    std::vector<Nearest> away_, towards_;       // per party
    std::vector<Seconds> leave_, enter_;        // per party, to what is outside and from there
};

}  // namespace eco
