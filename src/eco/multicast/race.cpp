// SPDX-License-Identifier: BSD-3-Clause
#include "eco/multicast/race.h"

namespace eco::multicast {

Race::Race(const Times& times)
    : times_(&times),
      held_(index(times.ranks()), index(times.messages())),
      wanted_(times.wanted()),
      missing_(index(times.ranks())),
      virtual_(index(times.ranks())),
      virtual_at_(index(times.ranks()) * index(times.messages())) {
    for (int k = 0; k < times.messages(); ++k) {
        held_.insert(times.source(k), k);
        for (const Rank to : times.message(k).destinations) ++missing_[index(to)];
    }
}

Rank Race::next() const {
    Rank best = -1;
    for (Rank rank = 0; rank < times_->ranks(); ++rank) {
        if (missing_[index(rank)] == 0) continue;
        const bool first = best < 0 || virtual_[index(rank)] < virtual_[index(best)] ||
                           (virtual_[index(rank)] == virtual_[index(best)] &&
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
    Seconds& now = virtual_[index(to)];
    now = std::max(now, arrival) + times_->receive(to, offer.k);
    virtual_at_[cell(to, offer.k)] = now;
    held_.insert(to, offer.k);
    wanted_.erase(to, offer.k);
    --missing_[index(to)];
}

}  // namespace eco::multicast
