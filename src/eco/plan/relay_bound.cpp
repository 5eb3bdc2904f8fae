#include "eco/plan/relay_bound.h"

#include <algorithm>

namespace eco {

RelayBound::RelayBound(const Distances& distances, std::vector<Party> parties)
    : distances_(distances),
      parties_(std::move(parties)),
      direct_(parties_.size(), std::vector<Seconds>(parties_.size(), Distances::never)),
      away_(parties_.size()),
      towards_(parties_.size()) {
    for (std::size_t i = 0; i < parties_.size(); ++i)
        for (std::size_t j = 0; j < parties_.size(); ++j) {
            if (i == j) continue;
            for (const std::size_t a : parties_[i])
                for (const std::size_t b : parties_[j])
                    direct_[i][j] = std::min(direct_[i][j], distances_.edge(a, b));
            away_[i].add(j, direct_[i][j]);
            towards_[j].add(i, direct_[i][j]);
        }
}

void RelayBound::Nearest::add(std::size_t other, Seconds distance) {
    if (distance < to_first) {
        to_second = to_first;
        to_first = distance;
        first = other;
    } else {
        to_second = std::min(to_second, distance);
    }
}

// From the crossing of own's link until another party has it; backwards: from another party's
// beginning to the crossing.
Seconds RelayBound::crossing(std::size_t own, std::size_t other, bool backwards) const {
    Seconds least = Distances::never;
    for (const std::size_t a : parties_[own])
        for (const std::size_t b : parties_[other])
            least = std::min(least, backwards ? distances_.send(b)
                                              : distances_.delay(a, b) + distances_.receive(b));
    return least;
}

Seconds RelayBound::over(std::size_t own, Seconds once, bool backwards) const {
    if (parties_.size() < 3) return 0;
    // Between the crossing and another party having it; and a third having it of that one, by the
    // shortest way: straight, or by way of own.
    Seconds one = Distances::never, two = Distances::never;
    for (std::size_t j = 0; j < parties_.size(); ++j) {
        if (j == own) continue;
        const Seconds first = crossing(own, j, backwards);
        const auto& nearest = backwards ? towards_ : away_;
        const Seconds by_own = backwards ? direct_[own][j] : direct_[j][own];
        one = std::min(one, first);
        two = std::min({two, first + nearest[j].but(own), first + by_own + nearest[own].but(j)});
    }
    const double others = static_cast<double>(parties_.size()) - 1;
    const Seconds directly = one + others * once;
    return directly <= two ? directly : two + once - (two - one) / others;
}

}  // namespace eco
