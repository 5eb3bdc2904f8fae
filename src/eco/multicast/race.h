// SPDX-License-Identifier: BSD-3-Clause
// What work racing (bench/papers/wu_engine) and its preemptive form share (Wu, Yeh and Liu §4.3):
// which ranks have and which want which message, and the virtual times that decide which rank
// receives next.
#pragma once

#include <limits>
#include <vector>

#include "eco/base/at.h"
#include "eco/multicast/agenda.h"
#include "eco/multicast/times.h"

namespace eco::multicast {

class Race {
public:
    // One way to serve a receiver.
    struct Offer {
        Rank from = -1;
        int k = -1;
        Slot slot{};
        Seconds arrival = std::numeric_limits<Seconds>::infinity();
        Seconds completion = std::numeric_limits<Seconds>::infinity();

        void improve(const Offer& other) {
            if (other.completion < completion ||
                (other.completion == completion && other.arrival < arrival))
                *this = other;
        }
    };

    explicit Race(const Times& times);

    // The rank with the least virtual time of those that want something; the fastest of equals; -1
    // when all have all. O(ranks).
    Rank next() const;

    // Equations 5 and 6.
    void received(Rank to, const Offer& offer);

    // held: what a rank can send on, its own messages and those it was given.
    const MessageSets& held() const { return held_; }
    const MessageSets& wanted() const { return wanted_; }

private:
    std::size_t cell(Rank rank, int k) const { return at(rank) * at(times_->messages()) + at(k); }

    const Times* times_;
    MessageSets held_, wanted_;
    std::vector<int> missing_;         // per rank, how many messages
    std::vector<Seconds> virtual_;     // W of equation 5, now
    std::vector<Seconds> virtual_at_;  // and when each message was had
};

}  // namespace eco::multicast
