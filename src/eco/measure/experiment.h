// SPDX-License-Identifier: BSD-3-Clause
// The orders that rank 0 gives while a network is measured. Every rank with a part in an experiment
// gets its own order; the others sleep.
#pragma once

#include <vector>

#include "eco/base/units.h"

namespace eco {

struct Order {
    enum class Kind {
        end,           // all is done
        round_trips,   // time up to `count` of them with `to`
        answer_trips,  // the other side
        overheads,     // `count` times: time sends to `to` and one late receive
        answer_sends,  // the other side
        rail_trips,    // as round_trips, over the rails that use_rails() named
        answer_rail_trips,
        flow,          // send to `to`, receive from `from`, as fast as it goes
        train,         // `count` times: rest for `wait`, then send `in_flight` messages to `to`
        answer_train,  // time how far apart its first and its last one arrive, and its last ones
        listen,        // count what this host's NICs carry between `wait` and `duration`
    };
    Kind kind = Kind::end;
    int to = -1, from = -1;  // ranks; -1: none
    Bytes bytes = 0;         // of one message to `to`
    Bytes arriving = 0;      // flow: of one message from `from`
    int count = 0;
    int rails = 1;  // rail_trips: at most
    int least = 1;  // round_trips: so many in any case, no more once `duration` is over
    // round_trips: the pair has had messages before; answer_trips: it just had.
    bool warm = false;
    int in_flight = 0;  // messages sent before an answer
    Seconds wait = 0;   // overheads: until what was sent is surely there; flow, listen: warm-up
    Seconds duration = 0;
};

// Half a round trip from here on is long: what wakes a rank up or opens a connection is little
// beside it.
inline constexpr Seconds long_way = 1e-3;

class RailMessages;

// From now on; null: none.
void use_rails(RailMessages* rails);

// How many figures perform gives.
std::size_t figures_of(const Order& order);

// round_trips: the half round trips, after one that is not counted unless it was long and `warm`;
// then zeros, where time was up. overheads: seconds in a send
// call, the mean of each train, then in each receive call. flow: the bytes per second that arrived
// here between wait and duration, 0 if that is not known; then the bytes per second that its
// NICs received besides. listen: the bytes per second that they sent, and received. answer_train:
// seconds from the first arrival of each train to the last, then of each how far apart its last
// ones are. Throws MpiError.
std::vector<double> perform(const Order& order);

}  // namespace eco
