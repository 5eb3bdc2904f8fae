// SPDX-License-Identifier: BSD-3-Clause
// Turns a number of parties into the circulant graph on which a message of n blocks reaches all of
// them in n-1+ceil(log2 parties) rounds, the least there is where a party sends one block and
// receives one block at a time (Träff, 2024, arXiv 2407.18004). Called by circulant_planner.cpp.
#pragma once

#include <vector>

namespace eco {

class Circulant {
public:
    explicit Circulant(int parties);

    int parties() const { return skips_.back(); }
    int dimensions() const { return static_cast<int>(skips_.size()) - 1; }
    // How far a message goes in the rounds of a dimension. Skip 0 is 1; each is half of the next
    // one, rounded up; the last is the number of parties.
    int skip(int dimension) const { return skips_[static_cast<std::size_t>(dimension)]; }

    // What a party gets from party 0's message in the rounds of each dimension. Rounds go through
    // the dimensions, a phase after the other. It gets one block that is new in the phase (0 or
    // more), and of each other number the block of the phase before (less by the dimensions).
    // Party 0 sends block d in dimension d and gets nothing. O(log² parties).
    std::vector<int> blocks_to(int party) const;

private:
    int first_block(int party) const;

    std::vector<int> skips_;
};

}  // namespace eco
