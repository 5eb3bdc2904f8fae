// SPDX-License-Identifier: BSD-3-Clause
#include "eco/multicast/agenda.h"

#include "eco/base/check.h"

namespace eco::multicast {

Agenda::Agenda(const Times& times)
    : times_(&times),
      lanes_(at(times.ranks())),
      held_(at(times.ranks()) * at(times.messages()), -1),
      search_(held_.size(), 0) {
    for (int k = 0; k < times.messages(); ++k) held_[cell(times.source(k), k)] = 0;
}

Slot Agenda::preempting_slot(Rank rank, int k) {
    const Lane& lane = lanes_[at(rank)];
    const int receives = static_cast<int>(lane.receives.size());
    const Seconds length = times_->send(rank, k);
    int& n = search_[cell(rank, k)];
    n = std::max({n, lane.last_slot, held_[cell(rank, k)]});
    for (;; ++n) {
        Seconds start = n > 0 ? lane.receives[at(n - 1)].end : 0;
        if (n == lane.last_slot) start = std::max(start, lane.last_send_end);
        if (n == receives || start + length <= lane.receives[at(n)].arrival) return {n, start};
    }
}

Seconds Agenda::add_send(Rank from, Rank to, int k, Slot slot) {
    ECO_CHECK(holds(from, k));
    Lane& lane = lanes_[at(from)];
    const Seconds end = slot.start + times_->send(from, k);
    lane.sends.push_back({k, to, slot});
    lane.last_slot = slot.before;
    lane.last_send_end = end;
    lane.available = std::max(lane.available, end);
    return end + times_->transfer(from, to, k);
}

Seconds Agenda::add_receive(Rank rank, Rank from, int k, Seconds arrival) {
    Lane& lane = lanes_[at(rank)];
    lane.available = std::max(lane.available, arrival) + times_->receive(rank, k);
    lane.receives.push_back({k, from, arrival, lane.available});
    held_[cell(rank, k)] = static_cast<int>(lane.receives.size());
    return lane.available;
}

Schedule Agenda::finish() const {
    Schedule schedule;
    for (const Lane& lane : lanes_) {
        auto& tasks = schedule.ranks.emplace_back();
        tasks.reserve(lane.receives.size() + lane.sends.size());
        auto send = lane.sends.begin();
        for (int n = 0; n <= static_cast<int>(lane.receives.size()); ++n) {
            for (; send != lane.sends.end() && send->slot.before == n; ++send)
                tasks.push_back({Direction::send, send->to, times_->original(send->k)});
            if (n == static_cast<int>(lane.receives.size())) break;
            const Receive& receive = lane.receives[at(n)];
            tasks.push_back({Direction::recv, receive.from, times_->original(receive.k)});
        }
    }
    run(times_->pattern(), schedule);
    return schedule;
}

}  // namespace eco::multicast
