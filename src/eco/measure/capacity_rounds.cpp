// SPDX-License-Identifier: BSD-3-Clause
#include "eco/measure/capacity_rounds.h"

#include <algorithm>

namespace eco {

namespace {

// So long a round is timed, by how much the fastest stream carries in it: TCP shares a full link in
// turns. Of 16 measurements of eight networks of 10 to 100 Mbit/s (docs/figures.md, *Shared
// capacity*) all were right.
constexpr Seconds shortest_round = 0.15, longest_round = 0.6;
constexpr double bytes_of_round = 6e5;
// So many times as long, but no longer than longest_round, where the rates of the streams are the
// result: uplinks within 5 %.
constexpr double exact = 1.6;
// What a stream may have under way, in seconds at its rate: enough for a free one, and little to
// wait for where others are before it. A stream that is held takes long to end its last messages.
constexpr Seconds under_way = 26e-3;

}  // namespace

std::vector<double> CapacityRounds::rates(const std::vector<Flow>& flows, Kind kind) {
    const double longer = kind == Kind::exact ? exact : 1;
    const Seconds least = longer * shortest_round;
    ModelTimer::Timing timing{least};
    if (fastest_ > 0)
        timing = {std::clamp(longer * bytes_of_round / fastest_, least, longest_round), under_way,
                  fastest_};
    timing.others = kind == Kind::exact ? ModelTimer::Others::across : ModelTimer::Others::at_ports;
    timing.heard = &heard_;
    const auto found = timer_.rates(flows, timing);
    for (const double rate : found) fastest_ = std::max(fastest_, rate);
    return found;
}

}  // namespace eco
