// SPDX-License-Identifier: BSD-3-Clause
#include "eco/multicast/race.h"

namespace eco::multicast {

Race::Race(const Times& times)
    : times_(&times),
      held_(at(times.ranks()), at(times.messages())),
      wanted_(times.wanted()),
      missing_(at(times.ranks())),
      virtual_(at(times.ranks())),
      virtual_at_(at(times.ranks()) * at(times.messages())) {
    for (int k = 0; k < times.messages(); ++k) {
        held_.insert(times.source(k), k);
        for (const Rank to : times.message(k).destinations) ++missing_[at(to)];
    }
}

Rank Race::next() const {
    Rank best = -1;
    for (Rank rank = 0; rank < times_->ranks(); ++rank) {
        if (missing_[at(rank)] == 0) continue;
        const bool first = best < 0 || virtual_[at(rank)] < virtual_[at(best)] ||
                           (virtual_[at(rank)] == virtual_[at(best)] &&
                            times_->slowness(rank) < times_->slowness(best));
        if (first) best = rank;
    }
    return best;
}

void Race::received(Rank to, const Offer& offer) {
    // The source has its message at virtual time 0, where virtual_at_ starts.
    const Seconds arrival = virtual_at_[cell(offer.from, offer.k)] +
                            times_->send(offer.from, offer.k) +
                            times_->transfer(offer.from, to, offer.k);
    Seconds& now = virtual_[at(to)];
    now = std::max(now, arrival) + times_->receive(to, offer.k);
    virtual_at_[cell(to, offer.k)] = now;
    held_.insert(to, offer.k);
    wanted_.erase(to, offer.k);
    --missing_[at(to)];
}

}  // namespace eco::multicast
