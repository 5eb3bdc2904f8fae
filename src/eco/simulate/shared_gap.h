// SPDX-License-Identifier: BSD-3-Clause
// Turns the time of one collective that keeps all hosts busy at once into Model::shared_gap: what
// each message takes of processors that the hosts share. Pure. Called by `eco measure`.
#pragma once

#include <vector>

#include "eco/topology/network.h"

namespace eco {

// An allgather of `bytes` each, along a ring of all hosts in this order, by simulation.
Seconds ring_time(const Network& network, const std::vector<int>& ring, Bytes bytes);

// The gap with which the simulation takes as long as the hosts took; 0 if it takes nearly as long
// without: each host has its own processors, or the network is slower than they are. two_longer:
// how many times as long as predicted a step took that only two hosts did; so much longer a step
// of all takes too, whatever they share.
Seconds find_shared_gap(Network network, const std::vector<int>& ring, Bytes bytes,
                        Seconds measured, double two_longer = 1);

}  // namespace eco
