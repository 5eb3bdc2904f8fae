// SPDX-License-Identifier: BSD-3-Clause
#include "eco/measure/measure_gap.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>

#include "eco/base/at.h"
#include "eco/measure/since.h"
#include "eco/measure/trial.h"
#include "eco/mpi/mpi_transport.h"
#include "eco/simulate/shared_gap.h"

namespace eco {

namespace {

// With more hosts simulating the ring takes long, and nobody emulates so many on few processors.
constexpr std::size_t most_hosts = 128;

constexpr int ring_tag = 31;
// The first connects and does not count.
constexpr int least_rounds = 4, most_rounds = 12;
constexpr Seconds longest_ring = 1;
// Before each round: until the network is quiet and its buckets are full again.
constexpr useconds_t quiet_us = 10000;

// Of this rank, whose place in the ring is given.
Seconds go_around(const std::vector<int>& ring, std::size_t place) {
    const Rank next = ring[(place + 1) % ring.size()],
               before = ring[(place + ring.size() - 1) % ring.size()];
    MpiTransport transport(native().comm_world);
    const auto began = std::chrono::steady_clock::now();
    char out = 0, in = 0;
    for (std::size_t step = 1; step < ring.size(); ++step) {
        transport.recv(0, &in, 1, before, ring_tag);
        transport.send(1, &out, 1, next, ring_tag);
        std::vector<int> ended;
        while (ended.size() < 2) transport.wait(ended);
    }
    return since(began);
}

}  // namespace

Seconds measure_shared_gap(const Profile& profile, const std::vector<int>& leader) {
    const Native& mpi = native();
    if (leader.size() < 3 || leader.size() > most_hosts ||
        *std::min_element(leader.begin(), leader.end()) < 0)
        return 0;
    int rank = 0;
    check_mpi(mpi.Comm_rank(mpi.comm_world, &rank));
    std::vector<int> ring(leader.size());
    if (rank == 0)
        std::transform(profile.ring.begin(), profile.ring.end(), ring.begin(),
                       [&](int host) { return leader[at(host)]; });
    check_mpi(mpi.Bcast(ring.data(), static_cast<int>(sizeof(int) * ring.size()), mpi.byte, 0,
                        mpi.comm_world));
    const auto mine = std::find(ring.begin(), ring.end(), rank);
    const auto began = std::chrono::steady_clock::now();
    std::vector<Seconds> times;
    int goes_on = 1;
    for (int round = 0; goes_on; ++round) {
        check_mpi(mpi.Barrier(mpi.comm_world));
        usleep(quiet_us);
        std::vector<Seconds> time{0};
        if (mine != ring.end())
            time[0] = go_around(ring, static_cast<std::size_t>(mine - ring.begin()));
        times.push_back(slowest(time, mpi.comm_world)[0]);
        goes_on =
            round + 1 < most_rounds && (round + 1 < least_rounds || since(began) < longest_ring);
        check_mpi(
            mpi.Bcast(&goes_on, static_cast<int>(sizeof goes_on), mpi.byte, 0, mpi.comm_world));
    }
    if (rank != 0) return 0;
    times.erase(times.begin());
    return find_shared_gap(build_network(profile), profile.ring, 1, median(times));
}

}  // namespace eco
