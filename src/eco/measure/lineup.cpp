// SPDX-License-Identifier: BSD-3-Clause
#include "eco/measure/lineup.h"

#include "eco/measure/trial.h"
#include "eco/mpi/mpi_transport.h"

namespace eco {

// Ranks in another order than the hosts' are rarer.
static constexpr double weight_of_scattered = 0.5;

void line_up(std::deque<Lineup>& lineups, bool times, Progress& progress) {
    std::vector<std::string> orders{"near"};
    if (session()->profile.levels.back() != std::vector<int>(session()->profile.hosts.size(), 0))
        orders.push_back("scattered:1");
    for (const auto& order : orders) {
        // In another order they are connected already.
        const Start* known = times && !lineups.empty() ? &*lineups.front().start : nullptr;
        if (times && !known) progress.update(0.99, "connecting all ranks");
        MPI_Comm comm = ordered_world(order, times && !known);
        const Communicator* communicator = communicator_of(comm);
        // If every host is a subnet of its own, no order scatters one.
        if (order != "near" && is_near(communicator->hierarchy())) {
            native().Comm_free(&comm);
            continue;
        }
        Lineup& lineup = lineups.emplace_back();
        lineup.layout = layout_name(communicator->hierarchy());
        lineup.structure = communicator->hierarchy().structure;
        lineup.comm = comm;
        lineup.ranks_per_host = ranks_per_host(communicator->hierarchy());
        lineup.weight = order == "near" ? 1 : weight_of_scattered;
        for (Rank rank = 0; rank < communicator->size(); ++rank)
            lineup.host_of.push_back(communicator->host_of(rank));
        if (times) lineup.start.emplace(comm, known);
    }
}

}  // namespace eco
