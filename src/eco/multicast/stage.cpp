// SPDX-License-Identifier: BSD-3-Clause
#include "eco/multicast/stage.h"

#include <functional>
#include <limits>

#include "eco/base/check.h"

namespace eco::multicast {

Stage::Stage(const Times& times)
    : times_(times),
      held_(at(times.ranks()), at(times.messages())),
      wanted_(times.wanted()),
      holders_(at(times.messages()), 1),
      agenda_(times),
      lanes_(at(times.ranks())),
      left_(times.pattern().deliveries()) {
    for (int k = 0; k < times.messages(); ++k) {
        held_.insert(times.source(k), k);
        for (const Rank to : times.message(k).destinations) {
            lane(to).rest += times.receive(to, k);
            ++lane(to).missing;
        }
    }
}

Seconds Stage::play() {
    for (int k = 0; k < times_.messages(); ++k) wake(times_.source(k), 0);
    while (left_ > 0) {
        ECO_CHECK(!events_.empty());
        const auto [now, me] = events_.front();
        std::pop_heap(events_.begin(), events_.end(), std::greater<>());
        events_.pop_back();
        if (lane(me).wake != now) continue;  // woken earlier since
        lane(me).wake = -1;
        if (lane(me).free > now)
            wake(me, lane(me).free);
        else
            act(me, now);
    }
    return completion_;
}

void Stage::wake(Rank me, Seconds when) {
    Lane& mine = lane(me);
    if (mine.wake >= 0 && mine.wake <= when) return;
    mine.wake = when;
    events_.emplace_back(when, me);
    std::push_heap(events_.begin(), events_.end(), std::greater<>());
}

Seconds Stage::next_arrival(Rank me) const {
    const auto& inbox = lane(me).inbox;
    return inbox.empty() ? std::numeric_limits<Seconds>::infinity() : inbox.front().arrival;
}

void Stage::send(Rank me, Rank to, int k, Seconds now) {
    const Slot slot{static_cast<int>(agenda_.receives(me).size()), now};
    const Seconds arrival = agenda_.add_send(me, to, k, slot);
    lane(me).free = now + times_.send(me, k);
    wanted_.erase(to, k);
    ++holders_[at(k)];
    Lane& there = lane(to);
    --there.missing;
    there.sent(arrival, times_.receive(to, k));
    there.inbox.push_back({arrival, k, me});
    std::push_heap(there.inbox.begin(), there.inbox.end(), std::greater<>());
    wake(to, std::max(arrival, there.free));
    wake(me, lane(me).free);
}

void Stage::receive(Rank me, Seconds now) {
    Lane& mine = lane(me);
    std::pop_heap(mine.inbox.begin(), mine.inbox.end(), std::greater<>());
    const UnderWay got = mine.inbox.back();
    mine.inbox.pop_back();
    ECO_CHECK(got.arrival <= now);
    agenda_.add_receive(me, got.from, got.k, got.arrival);
    mine.free = now + times_.receive(me, got.k);
    mine.backlog -= times_.receive(me, got.k);
    held_.insert(me, got.k);
    completion_ = std::max(completion_, mine.free);
    --left_;
    wake(me, mine.free);
}

}  // namespace eco::multicast
