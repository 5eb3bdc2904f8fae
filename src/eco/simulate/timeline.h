// SPDX-License-Identifier: BSD-3-Clause
// A simulated schedule: times of each task and message, load of each link; and its critical path.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "eco/schedule/program.h"
#include "eco/topology/network.h"

namespace eco {

// When something occupied a rank.
struct Occupied {
    Seconds start = 0, end = 0;
    // What occupied the rank before, where that kept it waiting: a task, and which of its two
    // parts.
    int before = -1;
    bool before_takes = false;
};

struct TaskTimes {
    Seconds ready = 0;    // all that it waits for has ended
    int waited_for = -1;  // that which ended last
    Occupied take;        // receive overhead
    Occupied work;        // send overhead, copying, combining
    Seconds end = 0;      // of a send: its last byte has left
    int message = -1;     // in Timeline::messages
};

struct MessageTimes {
    Rank from = 0, to = 0;
    int send = 0, receive = 0;  // tasks
    Bytes bytes = 0;
    Seconds posted = 0;  // the send overhead is over
    Seconds start = 0;   // it begins to flow; later than posted if another kept it waiting
    Seconds left = 0, arrived = 0;
    int mcast = -1;   // of a multicast: its first message, which flows for all of them
    int before = -1;  // which: of its pair, the other way between the two where both are long, or a
                      // single frame of its host as it is itself
};

struct LinkTimes {
    Seconds busy = 0;  // carrying anything
    double bytes = 0;  // on the wire
    double share = 0;  // of the whole time, that these bytes need at the link's rate
};

// One link of the chain of causes.
struct Step {
    enum class What { send, flow, delay, receive, compute };
    What what = What::send;
    Rank rank = 0;  // of a flow or delay the sender
    int task = 0;
    Rank peer = -1;
    Seconds start = 0, end = 0;
};

struct Timeline {
    Seconds time = 0;                           // when the last task ended
    std::vector<std::vector<TaskTimes>> tasks;  // per rank
    std::vector<MessageTimes> messages;
    std::vector<LinkTimes> links;  // beside Network::links
    std::int64_t effort = 0;       // what simulating it took: rates of flows worked out

    // What the end waited for, from the first cause on; each step begins where the one before ends.
    std::vector<Step> chain() const;

    // The link whose bytes need the largest part of the whole time; -1 if there is none.
    int bottleneck() const;

    // Everything takes so many times as long.
    void stretch(double factor);
};

}  // namespace eco
