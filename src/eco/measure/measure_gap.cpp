// SPDX-License-Identifier: BSD-3-Clause
#include "eco/measure/measure_gap.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <optional>

#include "eco/base/at.h"
#include "eco/measure/messages.h"
#include "eco/measure/since.h"
#include "eco/measure/trial.h"
#include "eco/mpi/mpi_transport.h"
#include "eco/topology/build_network.h"

namespace eco {

namespace {

// Nobody emulates more on few processors.
constexpr std::size_t most_hosts_for_gap = 128;

enum RingTag { ring_tag = 51, ring_over_tag };
constexpr int most_rounds = 11;
constexpr Seconds longest_gap_time = 1;
// Round trips of two hosts are as many as a ring has steps, where these do not take too much time.
constexpr std::size_t fewest_trips = 4, most_trips = steps_before + steps_timed;
constexpr double part_for_two = 0.1;
// Before each ring: until the network is quiet and its buckets are nearly full again.
constexpr useconds_t quiet_us = 10000;

struct Steps {
    std::size_t before = 0, timed = 1;
};

Steps without_first_quarter(std::size_t steps) { return {steps / 4, steps - steps / 4}; }

class GapTimer {
public:
    explicit GapTimer(const std::vector<int>& leader) : leader_(leader) {
        check_mpi(mpi_.Comm_rank(mpi_.comm_world, &rank_));
        check_mpi(mpi_.Comm_size(mpi_.comm_world, &ranks_));
    }

    SharedGap run(const Profile& profile, Seconds most) {
        std::optional<Network> network;
        GapRings rings;
        most = std::min(most, longest_gap_time);
        // Round trips of two hosts, 0: nothing is timed; the ranks of all; those of two.
        std::vector<int> words(3 + hosts_in_gap_ring(leader_.size()));
        if (rank_ == 0) {
            network = build_network(profile);
            rings = gap_rings(*network, profile.ring);
            if (most > 0 && could_show_gap(*network, rings))
                words[0] = trips_of_two(*network, rings, most);
            auto next = words.begin() + 1;
            for (const std::vector<int>* hosts : {&rings.all, &rings.two})
                next = std::transform(hosts->begin(), hosts->end(), next,
                                      [&](int host) { return leader_[at(host)]; });
        }
        share(words.data(), words.size() * sizeof(int));
        if (words[0] == 0) return {0, most > 0 ? "" : "there was no time left to find out"};
        all_.assign(words.begin() + 1, words.end() - 2);
        halves_ = halves_of_gap_ring(all_);
        two_.assign(words.end() - 2, words.end());
        const StepTimes steps = time_rounds(at(words[0]), most);
        return rank_ == 0 ? find_shared_gap(*network, rings, steps) : SharedGap{};
    }

private:
    int trips_of_two(const Network& network, const GapRings& rings, Seconds most) const {
        const double fit = part_for_two * most / (2 * half_round_trip(network, rings.two));
        return static_cast<int>(std::clamp(fit, double{fewest_trips}, double{most_trips}));
    }

    StepTimes time_rounds(std::size_t trips_of_two, Seconds most) const {
        const auto began = std::chrono::steady_clock::now();
        constexpr Steps around{steps_before, steps_timed};
        static_cast<void>(time(all_, around));  // connects
        for (const std::vector<int>& half : halves_) static_cast<void>(time(half, around));
        StepTimes steps;
        int goes_on = 1;
        for (int round = 1; goes_on; ++round) {
            steps.all.push_back(time(all_, around));
            for (std::size_t i = 0; i < halves_.size(); ++i)
                steps.halves[i].push_back(time(halves_[i], around));
            steps.two.push_back(time(two_, without_first_quarter(trips_of_two), true));
            goes_on = round < most_rounds && !settled(steps) && since(began) < most;
            share(&goes_on, sizeof goes_on);
        }
        return steps;
    }

    // A step around the ring, or half a round trip if there is one message only, as the slowest
    // rank saw it. All other ranks sleep, as while pairs are timed, and look for the word only now
    // and then. Ranks need not start at one moment: each takes the time of its own steps, the
    // first of which do not count.
    Seconds time(const std::vector<int>& ring, const Steps& steps, bool one_message = false) const {
        check_mpi(mpi_.Barrier(mpi_.comm_world));
        usleep(quiet_us);
        char word = 0;
        Seconds took = 0;
        const auto takes_part = [&](int rank) {
            return std::find(ring.begin(), ring.end(), rank) != ring.end();
        };
        if (!takes_part(rank_)) {
            await_bytes(&word, 1, ring.front(), ring_over_tag);
        } else {
            took = one_message ? to_and_fro(ring, steps) / 2 : go_around(ring, steps);
            for (int other = 0; rank_ == ring.front() && other < ranks_; ++other)
                if (!takes_part(other)) send_bytes(&word, 1, other, ring_over_tag);
        }
        return slowest({took}, mpi_.comm_world)[0] / static_cast<double>(steps.timed);
    }

    Seconds go_around(const std::vector<int>& ring, const Steps& steps) const {
        const auto place =
            static_cast<std::size_t>(std::find(ring.begin(), ring.end(), rank_) - ring.begin());
        const Rank next = ring[(place + 1) % ring.size()],
                   before = ring[(place + ring.size() - 1) % ring.size()];
        MpiTransport transport(mpi_.comm_world);
        auto began = std::chrono::steady_clock::now();
        char out = 0, in = 0;
        for (std::size_t step = 0; step < steps.before + steps.timed; ++step) {
            if (step == steps.before) began = std::chrono::steady_clock::now();
            transport.recv(0, &in, 1, before, ring_tag);
            transport.send(1, &out, 1, next, ring_tag);
            std::vector<int> ended;
            while (ended.size() < 2) transport.wait(ended);
        }
        return since(began);
    }

    Seconds to_and_fro(const std::vector<int>& two, const Steps& trips) const {
        const bool begins = rank_ == two[0];
        const Rank other = begins ? two[1] : two[0];
        MpiTransport transport(mpi_.comm_world);
        auto began = std::chrono::steady_clock::now();
        char byte = 0;
        for (std::size_t trip = 0; trip < trips.before + trips.timed; ++trip) {
            if (trip == trips.before) began = std::chrono::steady_clock::now();
            for (const bool sends : {begins, !begins}) {
                sends ? transport.send(0, &byte, 1, other, ring_tag)
                      : transport.recv(0, &byte, 1, other, ring_tag);
                std::vector<int> ended;
                while (ended.empty()) transport.wait(ended);
            }
        }
        return since(began);
    }

    // From rank 0 to all.
    void share(void* data, std::size_t bytes) const {
        check_mpi(mpi_.Bcast(data, static_cast<int>(bytes), mpi_.byte, 0, mpi_.comm_world));
    }

    const Native& mpi_ = native();
    const std::vector<int>& leader_;  // per host
    int rank_ = 0, ranks_ = 0;
    // Ranks, as GapRings has hosts.
    std::vector<int> all_, two_;
    std::array<std::vector<int>, 2> halves_;
};

}  // namespace

SharedGap measure_shared_gap(const Profile& profile, const std::vector<int>& leader, Seconds most) {
    if (leader.size() < 3 || leader.size() > most_hosts_for_gap ||
        *std::min_element(leader.begin(), leader.end()) < 0)
        return {};
    return GapTimer(leader).run(profile, most);
}

}  // namespace eco
