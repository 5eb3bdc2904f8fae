// SPDX-License-Identifier: BSD-3-Clause
// Turns the times of rings of hosts into Model::shared_gap: what each message takes of processors
// that all hosts share. Says which rings to time, when they were timed often enough, and what
// follows. Pure. Called by `eco measure`.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "eco/topology/network.h"

namespace eco {

// Hosts. Around `all` and each of the halves every host sends 1 byte to the next, step after step;
// between `two` one message goes to and fro, so that it never waits for processors.
struct GapRings {
    std::vector<int> all;  // of many hosts some
    // Neighbours in `all`, whose messages go the same ways as there: the first and the last ones.
    std::array<std::vector<int>, 2> halves;
    std::vector<int> two;  // of `all` the neighbours whose messages take longest
};

// ring: of all hosts. Which hosts are in `all` and in the halves follows from the ring alone.
GapRings gap_rings(const Network& network, const std::vector<int>& ring);
std::size_t hosts_in_gap_ring(std::size_t hosts);
std::array<std::vector<int>, 2> halves_of_gap_ring(const std::vector<int>& all);

// Of a ring few steps are timed, so that its messages fit into what a slow link lets pass at once;
// the first do not count, as hosts that wake up take longer.
inline constexpr std::size_t steps_before = 2, steps_timed = 6;

// A step around such a ring, by simulation.
Seconds step_time(const Network& network, const std::vector<int>& ring);

// Of the two, as they are measured alone.
Seconds half_round_trip(const Network& network, const std::vector<int>& two);

// The median of what Network::longest_gap is between neighbours: with a longer gap most messages
// would take less than it.
Seconds longest_shared_gap(const Network& network, const std::vector<int>& ring);

// Whether the longest gap would make a step around the ring clearly longer.
bool could_show_gap(Network network, const GapRings& rings);

// What a step around `all` and each half and half a round trip between `two` took, in each round.
struct StepTimes {
    std::vector<Seconds> all;
    std::array<std::vector<Seconds>, 2> halves;
    std::vector<Seconds> two;
};

// Whether there are enough rounds, and most of those of the two took about as long as the shortest:
// so no other program made them longer. Those of a ring vary by themselves, as messages come to
// wait for each other in some order.
bool settled(const StepTimes& steps);

// By the medians of all rounds.
struct SharedGap {
    Seconds gap = 0;      // 0: each host has its own processors
    std::string unclear;  // why the gap is not known, for the user; else empty
};

// The gap with which the simulation takes as long for a step of all hosts as they took, less what
// two hosts alone took longer than predicted. There is none where all hosts take nearly as
// long as predicted, or where half of them alone take nearly as much longer than predicted. The
// longest gap counts where it explains nearly all of the time.
SharedGap find_shared_gap(Network network, const GapRings& rings, const StepTimes& steps);

}  // namespace eco
