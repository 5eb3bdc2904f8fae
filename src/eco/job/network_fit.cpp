// SPDX-License-Identifier: BSD-3-Clause
#include "eco/job/network_fit.h"

#include "eco/base/at.h"

namespace eco {

// Model and measurement of one short message differ by a third at most (docs/figures.md). Between
// the lab's switches and buses of one rate, round trips of a byte differ by 0.56 and 1.8 times.
static constexpr double clearly_faster = 0.6, clearly_slower = 3;
// Of messages of several frames buffers take in a part at once: 8 KiB took 0.51 to 0.97 of what the
// model had of them between the hosts of one site of two-sites (MPICH).
static constexpr Bytes one_frame = 1024;
static constexpr double clearly_faster_of_frames = 0.3;

// A busy processor delays each of several messages by less. Round trips by two MPI libraries on one
// network differ by less than the second (Open MPI 36, MPICH 70 us over TCP).
static constexpr Seconds more_than_delays = 5e-3, more_than_libraries = 50e-6;

// Traffic of others slows some pairs of hosts; another network most of them.
static constexpr double most_pairs = 0.75;
// Fewer may all share one link, which others fill.
static constexpr int enough_pairs = 4;

PairFit fit_of(Seconds trip, Seconds expected, Bytes bytes) {
    const double faster = bytes <= one_frame ? clearly_faster : clearly_faster_of_frames;
    if (trip < faster * expected && trip < expected - more_than_libraries) return PairFit::faster;
    const bool slower = trip > clearly_slower * expected && trip > expected + more_than_delays;
    return slower ? PairFit::slower : PairFit::as_measured;
}

void PairCounts::add(PairFit fit) {
    switch (fit) {
        case PairFit::as_measured:
            ++as_measured;
            break;
        case PairFit::faster:
            ++faster;
            break;
        case PairFit::slower:
            ++slower;
            break;
    }
}

bool differs(const PairCounts& counts) {
    if (counts.all() == 0) return false;
    // Nothing but another network makes half of the pairs faster.
    return 2 * counts.faster >= counts.all() ||
           (counts.all() >= enough_pairs &&
            counts.faster + counts.slower >= most_pairs * counts.all());
}

namespace {

using Rounds = std::vector<std::vector<std::pair<Rank, Rank>>>;

void add_pairs(const Group& group, const std::vector<int>& host_of, std::size_t depth,
               Rounds& rounds) {
    const auto& parts = group.parts;
    if (group.is_rank() || parts.empty()) return;
    const auto add = [&](std::size_t part, std::size_t round) {
        const Rank a = parts[part].first(), b = parts[part + 1].first();
        if (host_of[at(a)] == host_of[at(b)]) return;  // inside a host
        if (rounds.size() <= round) rounds.resize(round + 1);
        rounds[round].emplace_back(a, b);
    };
    if (parts.size() > 1) add(0, 2 * depth);
    if (parts.size() > 2) add(parts.size() - 2, 2 * depth + 1);
    for (const Group& part : parts) add_pairs(part, host_of, depth + 1, rounds);
}

}  // namespace

Rounds pairs_to_check(const Group& top, const std::vector<int>& host_of) {
    Rounds rounds;
    add_pairs(top, host_of, 0, rounds);
    return rounds;
}

}  // namespace eco
