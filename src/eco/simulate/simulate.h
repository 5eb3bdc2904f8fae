// SPDX-License-Identifier: BSD-3-Clause
// Runs all ranks' programs on a network in virtual time: what a schedule takes, and why. Called by
// `eco simulate`, `eco plan` and tests. Deterministic.
//
// A rank does one thing at a time, in the order in which things become ready: a send occupies it
// for the send overhead, an arrived message whose receive has been started for the receive
// overhead, copy and combine as the options say. Where hosts share processors
// (Network::shared_gap), ranks take turns on them; waiting for a turn counts as part of the
// overhead, in the timeline, its chain and pictures too. In between a message flows over the links
// of its route, which it shares fairly with all others under way, and arrives a fixed delay after
// its last byte has left. Single frames of a host enter its first link one after the other. Over
// long ways a connection waits for acknowledgements at first (Network::first_flight). Long messages
// of two ranks to each other take turns (docs/decisions/0045). A task starts
// when those it waits for have ended; a send ends when its last byte has left, so that a window of
// one keeps one message under way. A receive for a reduction is started at once, as in
// run/execution.cpp; what waits is the combining.
#pragma once

#include <functional>
#include <vector>

#include "eco/planners/planner.h"
#include "eco/simulate/timeline.h"
#include "eco/topology/network.h"

namespace eco {

struct Costs {
    double copy = 0, combine = 0;  // seconds per byte
};

// Bytes of a chunk in a program of so many segments.
using ChunkBytes = std::function<Bytes(Chunk chunk, int segments)>;

// Of what one call moves, as run/layout.h cuts it: bytes of the whole message (Blocks::parts, and
// reductions to blocks), else of one block; all blocks alike.
ChunkBytes equal_chunks(Operation operation, Bytes bytes, int ranks);

// Whether ECO knows all of its schedule: not if the MPI library does a part in its own way.
inline bool can_simulate(const Choice& choice) {
    return !choice.is_native() && !choice.native_inside();
}

// host_of: per rank its index in network.hosts. Programs must fit together (schedule/verify.h) and
// have no native tasks.
Timeline simulate(const Network& network, const std::vector<int>& host_of,
                  const std::vector<Program>& programs, const ChunkBytes& bytes,
                  const Costs& costs = {});

// What a call takes by prediction: plans the choice for all ranks and simulates it, over its rails,
// with what is known of such schedules beside the model. All that is predicted of a call's time
// (choices, `eco plan`, reports) is from here. Needs supports(choice, request). programs: filled
// with those that were simulated, where wanted.
Timeline simulate(const Network& network, const std::vector<int>& host_of, const Choice& choice,
                  const Request& request, Bytes bytes, const Costs& costs = {},
                  std::vector<Program>* programs = nullptr);

}  // namespace eco
