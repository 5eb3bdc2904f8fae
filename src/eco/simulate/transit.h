// SPDX-License-Identifier: BSD-3-Clause
// A simulated schedule's messages from their posting to their arrival: which messages delay others,
// which bytes flow when, and the load of the links. Fills in the messages' and links' part of a
// Timeline. Part of the simulator; arrivals are returned as events.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "eco/simulate/events.h"
#include "eco/simulate/fluid.h"
#include "eco/simulate/timeline.h"

namespace eco {

class Transit {
public:
    // messages: their ends and bytes known, those of a pair of ranks next to each other. host_of:
    // per rank. `sent` is told of each message whose last byte has left. All are referred to as
    // long as this lives.
    Transit(const Network& network, const std::vector<int>& host_of, Events& events,
            Timeline& timeline, std::function<void(int)> sent);

    // From now on message `number` is on its way, as soon as those before it let it. in_step: all
    // ranks come to it at the same time, as at the start of a call; not where each waits for what
    // it receives.
    void post(int number, bool in_step);

    // At an event `resume`: sends what may be sent now.
    void resume(int number);

    // Rates again, after posts and ends at this instant; when the next flow is through; and at that
    // moment, that it is.
    void settle() { fluid_.settle(events_.now); }
    Seconds next_end() { return fluid_.next_end(); }
    void end_flows();

    // Of Network::mcasts, by which a multicast goes; below 0: not known.
    int reach(int number) const {
        return pairs_[static_cast<std::size_t>(pair_of_[static_cast<std::size_t>(number)])].reach;
    }

    // The links' part of the timeline, once its time is known.
    void sum_up();

private:
    // Round by round: what was sent in one is acknowledged a round trip after it began.
    struct Flight {
        Seconds round_trip = 0;  // 0: never waits
        double window = 0;       // wire bytes of this round
        double room = 0;         // left of them
        Seconds began = -never;
    };
    struct Pair {
        int way = -1;
        double rate = 0;          // of a flow alone
        bool in_buckets = false;  // every link of it is one
        Flight flight;
        Seconds arrived = 0;  // the last one
        int last = -1;        // the last that began to flow
        bool flowing = false;
        std::deque<int> waiting;
        bool in_step = true;  // of the last that was posted
        int opposite = -1;    // of pairs_: the messages the other way; -1: none
        int asks = -1;        // the message whose question the receiver has not answered yet
        std::vector<int> route;
        bool is_mcast = false;
        // Times the bytes of a multicast: what it takes of a bus that sends multicasts slower than
        // messages, as a Wi-Fi cell does.
        double slowed = 1;
        int reach = -1;  // of a multicast, in Network::mcasts
    };
    // Where a host's frames leave, one after the other.
    struct Port {
        Seconds free = 0;
        int last = -1;  // the message that has it until then
    };
    // By route and cap: flows that share both are alike.
    using RouteNumbers = std::map<std::pair<std::vector<int>, double>, int>;

    int host(Rank rank) const;
    MessageTimes& message(int number);
    Pair& pair_of(int number);
    Pair make_pair(Rank from, Rank to, RouteNumbers& ways);
    Pair make_mcast(int number, RouteNumbers& ways);
    void arrive_at_all(int number);
    void join_opposites();
    bool must_ask(int number, const Pair& pair) const;
    void begin(int number, Pair& pair);
    void flow(int number, Pair& pair);
    double passes(const Pair& pair, double bytes);
    void queue(int number, int link);
    void left(int number);
    void arrive(int number, Pair& pair);

    const Network& network_;
    const std::vector<int>& host_of_;
    Events& events_;
    Timeline& timeline_;
    const std::function<void(int)> sent_;
    Fluid fluid_;
    std::vector<Port> ports_;  // per host
    std::vector<Pair> pairs_;
    std::vector<int> pair_of_;    // per message
    std::vector<double> unsent_;  // per message, wire bytes
};

}  // namespace eco
