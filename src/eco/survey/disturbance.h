// SPDX-License-Identifier: BSD-3-Clause
// How much visits of a pair are disturbed, as observed: one visit's samples follow each other, so
// what disturbs one of them (a busy processor, traffic of others) often disturbs all, and their
// spread does not show it. Only visits at other times do. Pure; used by survey and measure/.
#pragma once

#include <vector>

#include "eco/base/units.h"

namespace eco {

class Disturbance {
public:
    // The leasts of several visits of one pair.
    void add(const std::vector<Seconds>& least_of_visits);

    // The chance that the least of a visit lies above the undisturbed time by so much or more; 0 if
    // nothing was observed.
    double chance(Seconds excess) const;
    // That this happened in each of so many visits.
    bool may_explain(Seconds excess, int visits) const;
    // The longest that may have happened in each of so many visits.
    Seconds most(int visits) const;

private:
    std::vector<Seconds> excess_;
};

// Whether pairs that are timed at once disturb each other: the leasts of the same pairs, visited
// together and then alone. Together first: making their connections is a part of it.
bool undisturbed_at_once(const std::vector<Seconds>& together, const std::vector<Seconds>& alone);

}  // namespace eco
