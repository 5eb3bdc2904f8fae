// SPDX-License-Identifier: BSD-3-Clause
#include "eco/survey/uplink_rates.h"

#include <algorithm>
#include <cmath>

#include "eco/base/at.h"

namespace eco {

namespace {

constexpr double faster_inside = 1.25;  // times that streams inside must be faster
// In standard errors: for one cluster at least, and of each way where something was found.
constexpr double sure = 4, likely = 1;
// Or, of few streams, whose error is large: times that those outside have at most, beside the
// above.
constexpr double much_slower = 0.8;
// Of what their ends carry, on average: where streams inside are slower, beyond their standard
// error, parts share something (racks at 2:1 among others at 8:1: 0.70 to 0.86; racks: 0.90 and
// more, with one stream of ten disturbed).
constexpr double slow = 0.92;
// Of one round: the one that parts a half of a chain of switches has 0.5.
constexpr double slow_round = 0.7;

// Of streams of several rounds: their mean and how far off that may be (its standard error).
struct Rates {
    double mean = 0, error = 0;
};

template <typename Counts>
Rates rates_of(const StreamRounds& rounds, Counts counts) {
    Rates found;
    double sum = 0, squares = 0, streams = 0;
    for (const auto& round : rounds) {
        for (const StreamRate& each : round) {
            if (!counts(each)) continue;
            sum += each.rate;
            squares += each.rate * each.rate;
            ++streams;
        }
    }
    if (streams < 2) return {};
    found.mean = sum / streams;
    found.error =
        std::sqrt(std::max(0.0, squares / streams - found.mean * found.mean) / (streams - 1));
    return found;
}

// Per cluster whether streams inside are slower than their ends.
std::vector<bool> slow_inside(const std::vector<int>& cluster, const std::vector<StreamRate>& seen,
                              const StreamRounds& inside) {
    const std::size_t count = members_of(cluster).size();
    std::vector<StreamRate> streams = seen;
    for (const auto& round : inside) streams.insert(streams.end(), round.begin(), round.end());
    const auto x = over_ends(static_cast<int>(cluster.size()), streams);
    std::vector<StreamRounds> own(count, StreamRounds(inside.size()));
    std::size_t s = seen.size();
    for (std::size_t r = 0; r < inside.size(); ++r)
        for (const StreamRate& each : inside[r])
            own[at(cluster[at(each.from)])][r].push_back({each.from, each.to, x[s++]});
    const auto below = [](const StreamRounds& rounds, double limit) {
        const Rates rates = rates_of(rounds, [](const StreamRate&) { return true; });
        return rates.mean > 0 && rates.mean + rates.error < limit;
    };
    std::vector<bool> found;
    for (const StreamRounds& each : own)
        found.push_back(below(each, slow) ||
                        std::any_of(each.begin(), each.end(),
                                    [&](const auto& round) { return below({round}, slow_round); }));
    return found;
}

}  // namespace

bool UplinkRates::is_sure() const { return surest > sure; }
bool UplinkRates::is_likely() const { return surest > likely; }

UplinkRates uplink_rates(const std::vector<int>& cluster, const std::vector<StreamRate>& seen,
                         const StreamRounds& inside, const std::vector<UplinkRound>& across) {
    const std::size_t count = members_of(cluster).size();
    UplinkRates found{{cluster, std::vector<double>(count, 0), std::vector<double>(count, 0),
                       slow_inside(cluster, seen, inside)}};
    std::size_t most = 0;
    for (const UplinkRound& round : across) most = std::max(most, round.streams.size());
    // More streams are slower also where all share one thing, as a bus or the processors.
    const double more = faster_inside * std::max(1.0, static_cast<double>(most) /
                                                          static_cast<double>(inside[0].size()));
    double sum = 0, times = 0;
    for (int c = 0; at(c) < count; ++c) {
        const auto from = [&](const StreamRate& each) { return cluster[at(each.from)] == c; };
        const auto to = [&](const StreamRate& each) { return cluster[at(each.to)] == c; };
        const Rates own = rates_of(inside, from);
        if (own.mean <= 0) continue;  // a single vertex
        const auto held = [&](UplinkDirection direction) {
            const StreamRounds rounds = tested(across, c, direction);
            const Rates outside =
                direction == UplinkDirection::out ? rates_of(rounds, from) : rates_of(rounds, to);
            const double error = std::hypot(own.error, outside.error) + 1e-3 * own.mean;
            const double errors = outside.mean > 0 ? (own.mean - more * outside.mean) / error : 0;
            if (errors > likely) {
                found.surest = std::max(found.surest, errors);
                sum += errors;
                ++times;
            } else if (outside.mean <= 0 || more * outside.mean > much_slower * own.mean) {
                return 0.0;
            }
            // On average: a bucket makes it more, what disturbs it less.
            const StreamRounds alike = tested_alike(cluster, across, c, direction);
            double together = 0;
            for (const auto& streams : alike) together += carried(cluster, streams, c, direction);
            return together / static_cast<double>(alike.size());
        };
        found.capacity.out[at(c)] = held(UplinkDirection::out);
        found.capacity.in[at(c)] = held(UplinkDirection::in);
    }
    if (times > 0) found.surest = std::max(found.surest, sum / std::sqrt(times));
    return found;
}

}  // namespace eco
