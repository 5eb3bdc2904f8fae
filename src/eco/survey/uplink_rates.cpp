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
// Of its port: what a vertex adds to what a cluster sends or gets, if it is none of its hosts.
constexpr double of_its_own = 0.5;

// Of streams of several rounds: their mean and how far off that may be (its standard error), and
// the most that those of one round carried together.
struct Rates {
    double mean = 0, error = 0, together = 0;
};

template <typename Counts>
Rates rates_of(const StreamRounds& rounds, Counts counts) {
    Rates found;
    double sum = 0, squares = 0, streams = 0;
    for (const auto& round : rounds) {
        double now = 0;
        for (const StreamRate& each : round) {
            if (!counts(each)) continue;
            now += each.rate;
            squares += each.rate * each.rate;
            ++streams;
        }
        sum += now;
        found.together = std::max(found.together, now);
    }
    if (streams < 2) return {};
    found.mean = sum / streams;
    found.error =
        std::sqrt(std::max(0.0, squares / streams - found.mean * found.mean) / (streams - 1));
    return found;
}

// Of all streams from or to the vertex the fastest.
double fastest(const std::vector<StreamRate>& seen, int StreamRate::* end, int vertex) {
    double found = 0;
    for (const StreamRate& each : seen)
        if (each.*end == vertex) found = std::max(found, each.rate);
    return found;
}

double sum_of(const std::vector<StreamRate>& round) {
    double sum = 0;
    for (const StreamRate& each : round) sum += each.rate;
    return sum;
}

}  // namespace

bool UplinkRates::is_sure() const { return surest > sure; }
bool UplinkRates::is_likely() const { return surest > likely; }

UplinkRates uplink_rates(const std::vector<int>& cluster, const StreamRounds& inside,
                         const StreamRounds& across) {
    const int count = *std::max_element(cluster.begin(), cluster.end()) + 1;
    UplinkRates found{
        {cluster, std::vector<double>(at(count), 0), std::vector<double>(at(count), 0)}};
    // More streams are slower also where all share one thing, as a bus or the processors.
    const double more =
        faster_inside * std::max(1.0, static_cast<double>(across.front().size()) /
                                          static_cast<double>(inside.front().size()));
    for (int c = 0; c < count; ++c) {
        const auto of = [&](int v) { return cluster[at(v)] == c; };
        const Rates own = rates_of(inside, [&](const auto& each) { return of(each.from); });
        if (own.mean <= 0) continue;  // a single vertex
        // By how many standard errors streams inside are faster.
        const auto slower = [&](const Rates& outside) {
            const double error = std::hypot(own.error, outside.error) + 1e-3 * own.mean;
            return outside.mean > 0 ? (own.mean - more * outside.mean) / error : 0;
        };
        const Rates leave = rates_of(across, [&](const auto& each) { return of(each.from); });
        const Rates enter = rates_of(across, [&](const auto& each) { return of(each.to); });
        if (slower(leave) > likely) found.capacity.out[at(c)] = leave.together;
        if (slower(enter) > likely) found.capacity.in[at(c)] = enter.together;
        found.surest = std::max({found.surest, slower(leave), slower(enter)});
    }
    return found;
}

std::vector<SingleVertex> single_vertices(const std::vector<int>& cluster,
                                          const std::vector<StreamRate>& seen, std::size_t most) {
    const auto members = members_of(cluster);
    const std::size_t clusters = members.size();
    std::vector<SingleVertex> found;
    for (const auto& each : members) {
        if (each.size() != 1 || found.size() == most) continue;
        const int vertex = each.front();
        std::vector<double> sum(clusters, 0), count = sum;
        for (const StreamRate& stream : seen)
            if (stream.from == vertex || stream.to == vertex) {
                const int other = stream.from == vertex ? stream.to : stream.from;
                sum[at(cluster[at(other)])] += stream.rate;
                ++count[at(cluster[at(other)])];
            }
        int best = -1;
        double most_rate = 0;
        for (std::size_t c = 0; c < clusters; ++c)
            if (members[c].size() > 1 && count[c] > 0 && sum[c] / count[c] > most_rate) {
                best = static_cast<int>(c);
                most_rate = sum[c] / count[c];
            }
        if (best >= 0) found.push_back({vertex, members[at(best)].front()});
    }
    return found;
}

bool shares_uplink(const SingleVertex& single, const std::vector<int>& cluster,
                   const std::vector<StreamRate>& seen, const StreamRounds& across,
                   const StreamRounds& together) {
    const auto of = [&](int v) { return cluster[at(v)] == cluster[at(single.member)]; };
    const Rates leave = rates_of(across, [&](const auto& each) { return of(each.from); });
    const Rates enter = rates_of(across, [&](const auto& each) { return of(each.to); });
    const double out = fastest(seen, &StreamRate::from, single.vertex);
    const double in = fastest(seen, &StreamRate::to, single.vertex);
    // Both ways, as one stream of the vertex may be disturbed.
    return sum_of(together[0]) < leave.together + of_its_own * out &&
           sum_of(together[1]) < enter.together + of_its_own * in;
}

}  // namespace eco
