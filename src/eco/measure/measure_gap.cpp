// SPDX-License-Identifier: BSD-3-Clause
#include "eco/measure/measure_gap.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <optional>

#include "eco/base/at.h"
#include "eco/measure/since.h"
#include "eco/measure/trial.h"
#include "eco/mpi/mpi_transport.h"
#include "eco/simulate/shared_gap.h"

namespace eco {

namespace {

// With more hosts simulating the ring takes long, and nobody emulates so many on few processors.
constexpr std::size_t most_hosts_in_ring = 128;

constexpr int ring_tag = 31;
// The first connects and does not count.
constexpr int least_rounds = 4, most_rounds = 12;
constexpr Seconds longest_ring = 1;
// Around the ring in one round: hosts wake up one after the other on few processors, which counts
// once.
constexpr std::size_t laps = 4;
// Before each round: until the network is quiet and its buckets are full again.
constexpr useconds_t quiet_us = 10000;

// Of this rank; 0 if it is not of the ring.
Seconds go_around(const std::vector<int>& ring, Rank rank, std::size_t steps) {
    const auto mine = std::find(ring.begin(), ring.end(), rank);
    if (mine == ring.end()) return 0;
    const auto place = static_cast<std::size_t>(mine - ring.begin());
    const Rank next = ring[(place + 1) % ring.size()],
               before = ring[(place + ring.size() - 1) % ring.size()];
    MpiTransport transport(native().comm_world);
    const auto began = std::chrono::steady_clock::now();
    char out = 0, in = 0;
    for (std::size_t step = 0; step < steps; ++step) {
        transport.recv(0, &in, 1, before, ring_tag);
        transport.send(1, &out, 1, next, ring_tag);
        std::vector<int> ended;
        while (ended.size() < 2) transport.wait(ended);
    }
    return since(began);
}

// Neighbours of the ring whose messages take longest by prediction.
std::vector<int> farthest_two(const Network& network, const std::vector<int>& ring) {
    std::vector<int> farthest;
    Seconds longest = -1;
    for (std::size_t place = 0; place < ring.size(); ++place) {
        std::vector<int> two{ring[place], ring[(place + 1) % ring.size()]};
        const Seconds time = ring_time(network, two, 1);
        if (time > longest) {
            longest = time;
            farthest = std::move(two);
        }
    }
    return farthest;
}

}  // namespace

Seconds measure_shared_gap(const Profile& profile, const std::vector<int>& leader) {
    const Native& mpi = native();
    if (leader.size() < 3 || leader.size() > most_hosts_in_ring ||
        *std::min_element(leader.begin(), leader.end()) < 0)
        return 0;
    int rank = 0;
    check_mpi(mpi.Comm_rank(mpi.comm_world, &rank));
    const std::size_t lap = leader.size() - 1;
    std::optional<Network> network;
    std::vector<int> hosts_of_two, ring(leader.size()), two(2);
    if (rank == 0) {
        network = build_network(profile);
        hosts_of_two = farthest_two(*network, profile.ring);
        const auto leads = [&](int host) { return leader[at(host)]; };
        std::transform(profile.ring.begin(), profile.ring.end(), ring.begin(), leads);
        std::transform(hosts_of_two.begin(), hosts_of_two.end(), two.begin(), leads);
    }
    for (std::vector<int>* shared : {&ring, &two})
        check_mpi(mpi.Bcast(shared->data(), static_cast<int>(sizeof(int) * shared->size()),
                            mpi.byte, 0, mpi.comm_world));
    const auto began = std::chrono::steady_clock::now();
    std::vector<Seconds> of_all, of_two;
    const auto time = [&](const std::vector<int>& around) {
        check_mpi(mpi.Barrier(mpi.comm_world));
        usleep(quiet_us);
        return slowest({go_around(around, rank, laps * lap)}, mpi.comm_world)[0] / laps;
    };
    int goes_on = 1;
    for (int round = 0; goes_on; ++round) {
        of_all.push_back(time(ring));
        of_two.push_back(time(two));
        goes_on =
            round + 1 < most_rounds && (round + 1 < least_rounds || since(began) < longest_ring);
        check_mpi(
            mpi.Bcast(&goes_on, static_cast<int>(sizeof goes_on), mpi.byte, 0, mpi.comm_world));
    }
    if (rank != 0) return 0;
    of_all.erase(of_all.begin());
    of_two.erase(of_two.begin());
    // The least, which no other program on the hosts made longer.
    const Seconds step_of_two =
        *std::min_element(of_two.begin(), of_two.end()) / static_cast<double>(lap);
    return find_shared_gap(*network, profile.ring, 1, median(of_all),
                           step_of_two / ring_time(*network, hosts_of_two, 1));
}

}  // namespace eco
