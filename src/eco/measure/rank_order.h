// SPDX-License-Identifier: BSD-3-Clause
// Turns the name of an order ("near", "scattered:SEED") into the order in which a communicator's
// ranks are timed. Used by bench and tune.
#pragma once

#include <string>
#include <vector>

namespace eco {

// Of the ranks in ring order, or of their hosts: as they are ("near"), by their numbers
// ("launched"), or drawn ("scattered:SEED"), the same on every machine.
std::vector<int> in_order(std::vector<int> ring, const std::string& order);

// The root of a round, from 0 on: all ranks in turn, those of few rounds far apart, since what a
// root takes depends on where it is.
int root_apart(int round, int ranks);

}  // namespace eco
