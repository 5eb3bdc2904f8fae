// SPDX-License-Identifier: BSD-3-Clause
#include "eco/multicast/race.h"
#include "paper_heuristics.h"

namespace eco::multicast {

namespace {

// The earliest completion over all senders and messages. Both grow with the message's size, so that
// of the messages that a sender can give only the shortest counts.
Race::Offer earliest(const Race& race, const Agenda& agenda, const Times& times, Rank to) {
    Race::Offer best;
    for (Rank from = 0; from < times.ranks(); ++from) {
        const int k = MessageSets::first_common(race.held(), from, race.wanted(), to);
        if (k < 0) continue;
        const Slot slot = agenda.append_slot(from);
        const Seconds arrival = slot.start + times.send(from, k) + times.transfer(from, to, k);
        best.improve({from, k, slot, arrival,
                      std::max(arrival, agenda.available(to)) + times.receive(to, k)});
    }
    return best;
}

}  // namespace

Schedule work_racing(const Pattern& pattern) {
    const Times times(pattern);
    Agenda agenda(times);
    Race race(times);
    for (Rank to = race.next(); to >= 0; to = race.next()) {
        const Race::Offer offer = earliest(race, agenda, times, to);
        agenda.add(offer.from, to, offer.k, offer.slot);
        race.received(to, offer);
    }
    return agenda.finish();
}

}  // namespace eco::multicast
