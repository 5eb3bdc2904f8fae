// SPDX-License-Identifier: BSD-3-Clause
// All ranks in the orders in which collectives are timed: beside each other by the network, as most
// launchers place them, and scattered. Used by within_budget.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "eco/measure/protocol.h"
#include "eco/measure/start.h"

namespace eco {

// The ranks in one order.
struct Lineup {
    std::string layout;  // near or scattered
    MPI_Comm comm{};
    std::vector<int> host_of;
    int ranks_per_host = 1;
    std::string structure;    // Hierarchy's
    double weight = 1;        // of what is gained with this order
    Seconds overhead = 2e-3;  // of a run, beside its own time: its common start
    std::optional<Start> start;
};

// Needs a session with the profile. One lineup where no order scatters the hosts' clusters. times:
// whether collectives will be timed; then all ranks are connected, which takes about a second with
// sites far apart. Collective over MPI_COMM_WORLD; the caller frees the communicators.
void line_up(std::deque<Lineup>& lineups, bool times, Progress& progress);

}  // namespace eco
