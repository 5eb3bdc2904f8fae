// The orders in which a communicator's ranks are timed.
#pragma once

#include <string>
#include <vector>

namespace eco {

// Of the ranks in ring order, or of their hosts: as they are ("near"), by their numbers
// ("launched"), or drawn ("scattered:SEED"), the same on every machine.
std::vector<int> in_order(std::vector<int> ring, const std::string& order);

}  // namespace eco
