// SPDX-License-Identifier: BSD-3-Clause
// A schedule under construction: the tasks of each rank so far, and their times. Receives are
// appended; a send is appended too, or preempts receives that wait for their message (Wu, Yeh and
// Liu §4.4). Used by the planners, which choose; the Agenda keeps the times.
#pragma once

#include <algorithm>
#include <vector>

#include "eco/base/at.h"
#include "eco/multicast/schedule.h"
#include "eco/multicast/times.h"

namespace eco::multicast {

// Where among its rank's receives a send stands, and when it starts there.
struct Slot {
    int before;  // number of receives ahead of it
    Seconds start;
};

class Agenda {
public:
    explicit Agenda(const Times& times);

    // When the rank is done with all that it has: the available time of §4, and §4.4's receive
    // available time.
    Seconds available(Rank rank) const { return lanes_[at(rank)].available; }

    bool holds(Rank rank, int k) const { return held_[cell(rank, k)] >= 0; }
    // The messages that rank receives, in order; those from first_open on come after its last send.
    struct Receive {
        int k;
        Rank from;
        Seconds arrival, end;
    };
    const std::vector<Receive>& receives(Rank rank) const { return lanes_[at(rank)].receives; }
    std::size_t first_open(Rank rank) const {
        return static_cast<std::size_t>(lanes_[at(rank)].last_slot);
    }

    Slot append_slot(Rank rank) const {
        const Lane& lane = lanes_[at(rank)];
        return {static_cast<int>(lane.receives.size()), lane.available};
    }

    // The first place for a send of k that keeps the paper's three rules: after the rank's last
    // send, after the rank has k, and done before the message arrives that the preempted receive
    // waits for. Needs holds(rank, k). Slots only ever move back, so that a message's search goes
    // on where the last one ended: O(1), seen over a whole schedule.
    Slot preempting_slot(Rank rank, int k);

    // Adds the send to one rank and the receive to the other's end; returns the latter's end.
    Seconds add(Rank from, Rank to, int k, Slot slot) {
        return add_receive(to, from, k, add_send(from, to, k, slot));
    }
    // Returns the arrival.
    Seconds add_send(Rank from, Rank to, int k, Slot slot);
    Seconds add_receive(Rank rank, Rank from, int k, Seconds arrival);

    Schedule finish() const;

private:
    struct Send {
        int k;
        Rank to;
        Slot slot;
    };
    struct Lane {
        std::vector<Receive> receives;
        std::vector<Send> sends;
        Seconds available = 0;
        Seconds last_send_end = 0;
        int last_slot = 0;  // receives ahead of the last send
    };
    std::size_t cell(Rank rank, int k) const { return at(rank) * at(times_->messages()) + at(k); }

    const Times* times_;
    std::vector<Lane> lanes_;
    std::vector<int> held_;    // per rank and message: receives until it has it, -1 if it has not
    std::vector<int> search_;  // where preempting_slot goes on
};

}  // namespace eco::multicast
