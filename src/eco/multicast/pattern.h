// SPDX-License-Identifier: BSD-3-Clause
// The multicast problem as a plain value (Wu, Yeh and Liu §2, §3): messages, each with a source, a
// size and its destinations, and the costs of sending and receiving for each rank. A Pattern is
// valid if every rank exists, no message goes to its own source or twice to a rank, and costs are
// finite and not negative.
#pragma once

#include <string>
#include <vector>

#include "eco/schedule/collective.h"
#include "eco/topology/model.h"

namespace eco::multicast {

// A send of m bytes takes the sender send[i].of(m); transfer(i, j).of(m) later the message is at
// its receiver, whom taking it costs receive[j].of(m). The wire is never the bottleneck.
struct CostModel {
    std::vector<Cost> send, receive;  // per rank
    std::vector<Cost> transfers;      // ranks × ranks, the sender's row

    int ranks() const { return static_cast<int>(send.size()); }
    const Cost& transfer(Rank from, Rank to) const {
        return transfers[static_cast<std::size_t>(from) * send.size() +
                         static_cast<std::size_t>(to)];
    }
};

using Message = Multicast;  // destinations ascending in a sound pattern

struct Pattern {
    CostModel model;
    std::vector<Message> messages;  // several may have one source

    int ranks() const { return model.ranks(); }
    std::size_t deliveries() const;  // one per message and destination
};

// Throws Error{bad_input} with one sentence about what is not valid; origin names the pattern in
// it. Sorts destinations.
void check(Pattern& pattern, const std::string& origin);

}  // namespace eco::multicast
