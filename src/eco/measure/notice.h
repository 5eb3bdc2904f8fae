// SPDX-License-Identifier: BSD-3-Clause
// How long before its moment a start is told to the ranks, and which starts wait for all ranks
// first. Pure. Used by start.h.
#pragma once

#include <algorithm>
#include <utility>

#include "eco/base/units.h"

namespace eco {

// Which wait is decided by all ranks alike, from what greatest (start.h) tells them.
class Notice {
public:
    Notice() = default;
    Notice(Seconds round_trip, Seconds more) : round_trip_(round_trip), more_(more) {}

    // With the farthest rank, the least of several.
    void set_round_trip(Seconds round_trip) { round_trip_ = round_trip; }
    Seconds round_trip() const { return round_trip_; }
    Seconds more() const { return more_; }

    // One way, and something for chance.
    Seconds time() const { return std::max(least, 0.75 * round_trip_) + more_; }

    // After times of all ranks were exchanged: how late starts since the exchange before reached a
    // rank, those that waited for all ranks and those that did not. Only the former are told
    // earlier from now on. The latter came while a rank was not ready, however early they are told:
    // now as many exchanges are followed by a start that waits, each time twice as many.
    void judge(Seconds late_waited, Seconds late_at_once, Seconds round_trip) {
        more_ += late_waited;
        if (late_at_once > 0)
            waiting_ = next_waiting_, next_waiting_ = std::min(2 * next_waiting_, most_waiting);
        at_once_ = round_trip >= far_apart && waiting_ == 0;
        if (waiting_ > 0) --waiting_;
    }

    // Whether the next start need not wait: all ranks were here just now. Once after each exchange.
    bool take_at_once() { return std::exchange(at_once_, false); }

private:
    static constexpr Seconds least = 0.0005;
    // To wait for all ranks takes a message as long as half of this, or longer.
    static constexpr Seconds far_apart = 0.007;

    static constexpr int most_waiting = 1 << 10;

    Seconds round_trip_ = 0, more_ = 0;
    int waiting_ = 0, next_waiting_ = 1;
    bool at_once_ = false;
};

}  // namespace eco
