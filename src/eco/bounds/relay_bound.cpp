// SPDX-License-Identifier: BSD-3-Clause
#include "eco/bounds/relay_bound.h"

#include <algorithm>

namespace eco {

RelayBound::RelayBound(const Distances& distances, std::vector<Party> parties, Party outside)
    : distances_(distances),
      parties_(std::move(parties)),
      outside_(std::move(outside)),
      direct_(parties_.size(), std::vector<Seconds>(parties_.size(), never)),
      away_(parties_.size()),
      towards_(parties_.size()) {
    const auto edge = [&](const Party& from, const Party& to) {
        Seconds least = never;
        for (const std::size_t a : from)
            for (const std::size_t b : to) least = std::min(least, distances_.edge(a, b));
        return least;
    };
    for (const Party& party : parties_) {
        leave_.push_back(edge(party, outside_));
        enter_.push_back(edge(outside_, party));
    }
    for (std::size_t i = 0; i < parties_.size(); ++i)
        for (std::size_t j = 0; j < parties_.size(); ++j) {
            if (i == j) continue;
            direct_[i][j] = std::min(edge(parties_[i], parties_[j]), leave_[i] + enter_[j]);
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

// From the crossing of own's link until the other has it; backwards: from the other's beginning to
// the crossing.
Seconds RelayBound::crossing(std::size_t own, const Party& other, bool backwards) const {
    Seconds least = never;
    for (const std::size_t a : parties_[own])
        for (const std::size_t b : other)
            least = std::min(least, backwards ? distances_.send(b)
                                              : distances_.delay(a, b) + distances_.receive(b));
    return least;
}

// The same until a party has it of what is outside, which can give it to all.
Seconds RelayBound::by_outside(std::size_t own, bool backwards) const {
    Seconds rest = never;
    for (std::size_t j = 0; j < parties_.size(); ++j)
        if (j != own) rest = std::min(rest, backwards ? leave_[j] : enter_[j]);
    return crossing(own, outside_, backwards) + rest;
}

Seconds RelayBound::over(std::size_t own, Seconds once, bool backwards) const {
    if (parties_.size() < 3) return 0;
    // Between the crossing and another party having it; and a third having it of that one, by the
    // shortest way: straight, by way of own, or by way of what is outside.
    Seconds one = never, two = by_outside(own, backwards);
    for (std::size_t j = 0; j < parties_.size(); ++j) {
        if (j == own) continue;
        const Seconds first = crossing(own, parties_[j], backwards);
        const auto& nearest = backwards ? towards_ : away_;
        const Seconds by_own = backwards ? direct_[own][j] : direct_[j][own];
        one = std::min(one, first);
        two = std::min({two, first + nearest[j].but(own), first + by_own + nearest[own].but(j)});
    }
    one = std::min(one, two);
    const double others = static_cast<double>(parties_.size()) - 1;
    const Seconds directly = one + others * once;
    return directly <= two ? directly : two + once - (two - one) / others;
}

}  // namespace eco
