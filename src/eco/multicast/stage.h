// SPDX-License-Identifier: BSD-3-Clause
// Simulates a multicast forward in time: whenever a rank is free, a policy decides whether it
// sends, receives a message that has arrived, or waits. So every decision knows all that were made
// before it in time, and messages are received in the order of arrival. Used by the planner `best`,
// whose runs are policies; `replan` of bench/papers follows the same rules with less memory.
#pragma once

#include <vector>

#include "eco/base/at.h"
#include "eco/multicast/agenda.h"
#include "eco/multicast/lane.h"
#include "eco/multicast/times.h"

namespace eco::multicast {

class Stage {
public:
    virtual ~Stage() = default;

    // When the last receive ends, after all deliveries. O(deliveries log) and what the policy
    // takes.
    Seconds play();
    Schedule finish() const { return agenda_.finish(); }

protected:
    explicit Stage(const Times& times);

    // Called when rank `me` is free; sends, receives or waits, once.
    virtual void act(Rank me, Seconds now) = 0;

    struct Lane : multicast::Lane {
        std::vector<UnderWay> inbox;  // a heap
        int missing = 0;              // messages that nobody has sent yet
        Seconds wake = -1;
    };

    void send(Rank me, Rank to, int k, Seconds now);
    void receive(Rank me, Seconds now);  // the first of the inbox, which must be there
    void wait(Rank me) {
        if (!lane(me).inbox.empty()) wake(me, lane(me).inbox.front().arrival);
    }
    Seconds next_arrival(Rank me) const;  // infinite if nothing is under way

    // When `to` would be done with all that is under way to it and with k, if me sends it now.
    Seconds done(Rank me, Rank to, int k, Seconds now) const {
        const Seconds arrival = now + times_.send(me, k) + times_.transfer(me, to, k);
        return std::max(lane(to).fed_at(now), arrival) + times_.receive(to, k);
    }

    Lane& lane(Rank rank) { return lanes_[at(rank)]; }
    const Lane& lane(Rank rank) const { return lanes_[at(rank)]; }

    const Times& times_;
    MessageSets held_;
    MessageSets wanted_;        // and not on the way yet
    std::vector<int> holders_;  // per message, those that have it or will

private:
    void wake(Rank me, Seconds when);

    Agenda agenda_;
    std::vector<Lane> lanes_;
    std::vector<std::pair<Seconds, Rank>> events_;  // a heap
    std::size_t left_;                              // deliveries
    Seconds completion_ = 0;
};

}  // namespace eco::multicast
