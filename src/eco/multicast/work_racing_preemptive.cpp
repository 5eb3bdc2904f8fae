// SPDX-License-Identifier: BSD-3-Clause
#include "eco/multicast/work_racing_preemptive.h"

#include "eco/multicast/race.h"

namespace eco::multicast {

namespace {

class RacingSearch {
public:
    explicit RacingSearch(const Times& times)
        : times_(times),
          agenda_(times),
          race_(times),
          settled_(static_cast<std::size_t>(times.ranks()),
                   static_cast<std::size_t>(times.messages())),
          settled_receives_(static_cast<std::size_t>(times.ranks())),
          first_wanted_(static_cast<std::size_t>(times.ranks() * times.ranks())) {
        for (int k = 0; k < times.messages(); ++k) settled_.insert(times.source(k), k);
    }

    Schedule schedule() {
        for (Rank to = race_.next(); to >= 0; to = race_.next()) {
            Race::Offer best;
            for (Rank from = 0; from < times_.ranks(); ++from)
                if (from != to) offers(from, to, best);
            agenda_.add(best.from, to, best.k, best.slot);
            race_.received(to, best);
            settle(best.from);
        }
        return agenda_.finish();
    }

private:
    // Messages that a rank had before its last send can all go out from then on: the shortest is
    // done first. Those that it got later each have their own first time; none is done before
    // `soonest`, as if it were as short as the shortest that the pair could exchange.
    void offers(Rank from, Rank to, Race::Offer& best) {
        const int shortest = MessageSets::first_common(race_.held(), from, race_.wanted(), to);
        if (shortest < 0) return;
        const int settled = MessageSets::first_common(settled_, from, race_.wanted(), to);
        if (settled >= 0) offer(from, to, settled, best);
        const auto& receives = agenda_.receives(from);
        for (std::size_t n = first_wanted(from, to); n < receives.size(); ++n) {
            if (!race_.wanted().holds(to, receives[n].k)) continue;
            const Seconds soonest =
                receives[n].end + times_.send(from, shortest) + times_.transfer(from, to, shortest);
            const Seconds done =
                std::max(soonest, agenda_.available(to)) + times_.receive(to, shortest);
            if (soonest >= best.arrival && done >= best.completion) break;
            offer(from, to, receives[n].k, best);
        }
    }

    // Of from's receives after its last send the first that `to` wants. It only moves back, so the
    // search goes on where it ended.
    std::size_t first_wanted(Rank from, Rank to) {
        const auto& receives = agenda_.receives(from);
        const int pair = from * times_.ranks() + to;
        auto& n = first_wanted_[static_cast<std::size_t>(pair)];
        n = std::max(n, agenda_.first_open(from));
        while (n < receives.size() && !race_.wanted().holds(to, receives[n].k)) ++n;
        return n;
    }

    void offer(Rank from, Rank to, int k, Race::Offer& best) {
        const Slot slot = agenda_.preempting_slot(from, k);
        const Seconds arrival = slot.start + times_.send(from, k) + times_.transfer(from, to, k);
        best.improve({from, k, slot, arrival,
                      std::max(arrival, agenda_.available(to)) + times_.receive(to, k)});
    }

    void settle(Rank rank) {
        auto& settled = settled_receives_[static_cast<std::size_t>(rank)];
        for (; settled < agenda_.first_open(rank); ++settled)
            settled_.insert(rank, agenda_.receives(rank)[settled].k);
    }

    const Times& times_;
    Agenda agenda_;
    Race race_;
    MessageSets settled_;  // messages that each rank had before its last send
    std::vector<std::size_t> settled_receives_, first_wanted_;
};

}  // namespace

Schedule work_racing_preemptive(const Pattern& pattern) {
    const Times times(pattern);
    return RacingSearch(times).schedule();
}

}  // namespace eco::multicast
