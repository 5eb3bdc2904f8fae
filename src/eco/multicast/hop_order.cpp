// SPDX-License-Identifier: BSD-3-Clause
#include "eco/multicast/hop_order.h"

#include <algorithm>
#include <map>
#include <queue>

#include "eco/base/at.h"

namespace eco::multicast {

namespace {

class Order {
public:
    Order(const Load& load, const std::vector<Message>& messages, const Deliveries& deliveries,
          int segments)
        : load_(load),
          messages_(messages),
          deliveries_(deliveries),
          segments_(segments),
          free_(load.resources(), 0),
          waiting_(load.resources()),
          turns_(load.resources(), 0),
          followers_(deliveries.size()),
          hangs_on_(deliveries.size(), 0) {
        std::map<std::pair<int, Rank>, int> brings;  // who gets a message by which delivery
        for (int d = 0; d < static_cast<int>(deliveries.size()); ++d)
            brings[{deliveries[at(d)].message, deliveries[at(d)].to}] = d;
        std::vector<int> before(deliveries.size(), -1);
        for (int d = 0; d < static_cast<int>(deliveries.size()); ++d) {
            const Delivery& one = deliveries[at(d)];
            if (one.from == messages[at(one.message)].source) {
                continue;
            }
            before[at(d)] = brings.at({one.message, one.from});
            followers_[at(before[at(d)])].push_back(d);
        }
        // Later ones depend on earlier ones.
        for (int d = static_cast<int>(deliveries.size()); d-- > 0;) {
            hangs_on_[at(d)] += longest(d);
            if (before[at(d)] >= 0) hangs_on_[at(before[at(d)])] += hangs_on_[at(d)];
        }
        for (int d = 0; d < static_cast<int>(deliveries.size()); ++d)
            for (int s = 0; before[at(d)] < 0 && s < segments; ++s) add(d, s, 0);
    }

    std::vector<Hop> run() {
        std::vector<Hop> hops;
        while (!ready_.empty()) {
            Ready next = ready_.top();
            ready_.pop();
            ++work_;
            // What it waits for may have been taken meanwhile; never is it free earlier.
            if (const int resource = next.resource; resource >= 0) {
                if (next.turn != turns_[at(resource)]) continue;
                if (next.start < free_[at(resource)]) {
                    list(resource);
                    continue;
                }
                waiting_[at(resource)].pop();
                list(resource);
            }
            if (start_of(next).first > next.start) {
                put(next);
                continue;
            }
            const Delivery& one = deliveries_[at(next.delivery)];
            const Seconds arrival = occupy(next.delivery, next.start);
            hops.push_back({one.message, next.segment, one.from, one.to, next.start, arrival});
            for (const int follower : followers_[at(next.delivery)])
                add(follower, next.segment, arrival);
        }
        return hops;
    }

    std::int64_t work() const { return work_; }

private:
    struct Ready {
        int delivery, segment;
        Seconds since;  // its sender has it
        Seconds start;  // as it was when last looked at
        Seconds hangs_on = 0;
        int resource = -1;  // that it waits for, for all that do
        int turn = 0;       // of that resource: others are out of date
        // What comes later in a queue.
        bool operator<(const Ready& other) const {
            if (start != other.start) return start > other.start;
            if (hangs_on != other.hangs_on) return hangs_on < other.hangs_on;
            if (segment != other.segment) return segment > other.segment;
            return delivery > other.delivery;
        }
    };

    void add(int delivery, int segment, Seconds since) {
        put({delivery, segment, since, 0, hangs_on_[at(delivery)]});
    }

    // Many may wait for one link: only the first of them is in the queue.
    void put(Ready hop) {
        const auto [start, resource] = start_of(hop);
        hop.resource = -1;
        hop.start = resource < 0 ? start : 0;
        if (resource < 0) return ready_.push(hop);
        auto& others = waiting_[at(resource)];
        const bool first = others.empty() || others.top() < hop;
        others.push(hop);
        if (first) list(resource);
    }

    void list(int resource) {
        ++turns_[at(resource)];
        if (waiting_[at(resource)].empty()) return;
        Ready first = waiting_[at(resource)].top();
        first.start = free_[at(resource)];
        first.resource = resource;
        first.turn = turns_[at(resource)];
        ready_.push(first);
    }

    Bytes segment_bytes(int delivery) const {
        return messages_[at(deliveries_[at(delivery)].message)].bytes / segments_;
    }
    const std::vector<Occupation>& occupations(int delivery) const {
        return load_.of(deliveries_[at(delivery)].from, deliveries_[at(delivery)].to);
    }
    Seconds longest(int delivery) const {
        Seconds most = 0;
        for (const Occupation& one : occupations(delivery))
            most = std::max(most, one.of(segment_bytes(delivery)));
        return most;
    }

    // And the resource that it waits for; -1: none.
    std::pair<Seconds, int> start_of(const Ready& ready) const {
        std::pair<Seconds, int> start{ready.since, -1};
        for (const Occupation& one : occupations(ready.delivery))
            if (free_[at(one.resource)] > start.first)
                start = {free_[at(one.resource)], one.resource};
        return start;
    }
    // When it arrives.
    Seconds occupy(int delivery, Seconds start) {
        const Bytes bytes = segment_bytes(delivery);
        Seconds end = start;
        for (const Occupation& one : occupations(delivery)) {
            free_[at(one.resource)] = start + one.of(bytes);
            end = std::max(end, free_[at(one.resource)]);
        }
        return end + load_.delay(deliveries_[at(delivery)].from, deliveries_[at(delivery)].to);
    }

    const Load& load_;
    const std::vector<Message>& messages_;
    const Deliveries& deliveries_;
    int segments_;
    std::vector<Seconds> free_;  // per resource
    std::vector<std::priority_queue<Ready>> waiting_;
    std::vector<int> turns_;
    std::int64_t work_ = 0;
    std::vector<std::vector<int>> followers_;
    std::vector<Seconds> hangs_on_;  // per delivery: its own time and that of all behind it
    std::priority_queue<Ready> ready_;
};

}  // namespace

std::vector<Hop> in_order(const Load& load, const std::vector<Message>& messages,
                          const Deliveries& deliveries, int segments, std::int64_t* work) {
    Order order(load, messages, deliveries, segments);
    auto hops = order.run();
    if (work) *work += order.work();
    return hops;
}

std::vector<Hop> as_listed(const Deliveries& deliveries, int segments) {
    std::vector<Hop> hops;
    for (const Delivery& one : deliveries)
        for (int segment = 0; segment < segments; ++segment)
            hops.push_back({one.message, segment, one.from, one.to, 0, 0});
    return hops;
}

}  // namespace eco::multicast
