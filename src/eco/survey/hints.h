// SPDX-License-Identifier: BSD-3-Clause
// Hints that need no measuring: which hosts are probably near each other. They decide what is timed
// first, never the result.
#pragma once

#include <string>
#include <vector>

namespace eco {

struct Hint {
    std::string name;
    std::string topology;  // of the scheduler, "switch0.switch3.node7"; empty: none
    std::string address;   // of the host's first card, 16 bytes (IPv4 as IPv6); empty: not known
    int megabits = 0;      // of that card, a second; 0: not known
};

// Different orders of the hosts, the likeliest first, in each of which neighbours are probably
// near: by the scheduler's topology and name; without that by the speed of the card, as hosts of
// different speeds rarely share a segment, and of one speed as in the next order; by address; by
// name with numbers as numbers. Those that say nothing are left out; at least one.
std::vector<std::vector<int>> likely_orders(const std::vector<Hint>& hosts);

}  // namespace eco
