// SPDX-License-Identifier: BSD-3-Clause
#include "eco/mpi/clocks.h"

#include <algorithm>
#include <chrono>

#include "eco/mpi/mpi_error.h"
#include "eco/mpi/tags.h"

namespace eco {

namespace {

constexpr int round_trips = 5;

// Clocks of computers differ by less; more is a comparison that went wrong.
constexpr double most_drift = 2e-4;
constexpr Seconds shortest_drift = 5;

void send(MPI_Comm comm, Rank to, Seconds time) {
    check_mpi(native().Send(&time, 1, native().real64, to, clocks_tag, comm));
}

Seconds receive(MPI_Comm comm, Rank from) {
    Seconds time = 0;
    check_mpi(native().Recv(&time, 1, native().real64, from, clocks_tag, comm, MPI_STATUS_IGNORE));
    return time;
}

// How far the other's clock is ahead of this one: half of the shortest round trip is the way back.
Seconds compare(MPI_Comm comm, Rank other) {
    Seconds least = 1e9, ahead = 0;
    for (int trip = 0; trip < round_trips; ++trip) {
        const Seconds asked = Clocks::own();
        send(comm, other, 0);
        const Seconds its_time = receive(comm, other), answered = Clocks::own();
        if (answered - asked > least) continue;
        least = answered - asked;
        ahead = its_time - (asked + answered) / 2;
    }
    return ahead;
}

// The other side; how far this clock is ahead of rank 0's.
Seconds answer(MPI_Comm comm, Rank parent) {
    for (int trip = 0; trip < round_trips; ++trip) {
        receive(comm, parent);
        send(comm, parent, Clocks::own());
    }
    return receive(comm, parent);
}

}  // namespace

Seconds Clocks::own() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

void Clocks::align(MPI_Comm comm, Rank me, const std::vector<int>& host_of) {
    const auto host = [&](Rank rank) { return host_of[static_cast<std::size_t>(rank)]; };
    std::vector<Rank> leaders;  // the first rank of each host
    for (Rank rank = 0; rank < static_cast<Rank>(host_of.size()); ++rank)
        if (std::none_of(leaders.begin(), leaders.end(),
                         [&](Rank leader) { return host(leader) == host(rank); }))
            leaders.push_back(rank);
    const Rank leader = *std::find_if(leaders.begin(), leaders.end(),
                                      [&](Rank rank) { return host(rank) == host(me); });
    Seconds ahead = 0;
    if (me != leader) {
        ahead = receive(comm, leader);
    } else {
        const auto place = static_cast<std::size_t>(std::find(leaders.begin(), leaders.end(), me) -
                                                    leaders.begin());
        // The highest bit of a place is what it adds to its parent's.
        std::size_t bit = 1;
        while (bit <= place) bit <<= 1;
        if (place > 0) ahead = answer(comm, leaders[place - (bit >> 1)]);
        for (; place + bit < leaders.size(); bit <<= 1) {
            const Rank child = leaders[place + bit];
            const Seconds further = compare(comm, child);
            send(comm, child, ahead + further);
        }
        for (Rank rank = 0; rank < static_cast<Rank>(host_of.size()); ++rank)
            if (rank != me && host(rank) == host(me)) send(comm, rank, ahead);
    }
    const Seconds moment = own(), before = read_at_;
    if (before > 0 && moment - before > shortest_drift)
        drift_ = std::clamp((ahead - ahead_) / (moment - before), -most_drift, most_drift);
    ahead_ = ahead;
    read_at_ = moment;
}

}  // namespace eco
