// SPDX-License-Identifier: BSD-3-Clause
// The simulator's event queue; events with equal times come in the order in which they were added.
#pragma once

#include <cstdint>
#include <functional>
#include <queue>
#include <vector>

#include "eco/base/units.h"

namespace eco {

class Events {
public:
    struct Event {
        // A rank's job is done, a message is there, a message may send more, all know that all have
        // a multicast.
        enum class What { idle, arrival, resume, known };
        Seconds time;
        std::int64_t order;
        What what;
        int number;  // a rank, a message
        bool operator>(const Event& other) const {
            return time != other.time ? time > other.time : order > other.order;
        }
    };

    Seconds now = 0;

    void add(Seconds time, Event::What what, int number) {
        queue_.push({time, order_++, what, number});
    }
    Seconds next() const { return queue_.empty() ? never : queue_.top().time; }
    Event take() {
        const Event event = queue_.top();
        queue_.pop();
        return event;
    }

private:
    std::priority_queue<Event, std::vector<Event>, std::greater<>> queue_;
    std::int64_t order_ = 0;
};

}  // namespace eco
