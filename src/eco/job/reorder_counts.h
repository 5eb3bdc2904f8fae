// SPDX-License-Identifier: BSD-3-Clause
// Counts the communicators that a program lets the library renumber, if a report is requested
// (ECO_VERBOSE, ECO_REPORT), and works out what ECO's numbers are worth. On rank 0 of the job, for
// communicators that it is in. Used by preload/wrap_topology.cpp and job_report.h.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "eco/mpi/native.h"
#include "eco/report/reorder_row.h"
#include "eco/topology/placement.h"

namespace eco {

class Communicator;

struct ReorderRequest {
    const char* function;  // "MPI_Cart_create"
    const void* site;      // address in the program that called
};

struct ReorderKey {
    std::string function;
    const void* site;
    int ranks;
    Numbering numbering;
    auto operator<=>(const ReorderKey&) const = default;
};

// Rank 0's; a row's site is in its key.
using ReorderCounts = std::map<ReorderKey, ReorderRow>;
ReorderCounts& reorder_counts();

// Whether the report, on this rank, can say what ECO's numbers would be worth if the graph is
// known.
bool estimates_reorder(const Communicator& communicator);

// The same where each rank knows its own edges only, and all exchange them for it: the same on all
// its ranks, which ask alike. Counts what it allows.
bool may_exchange_graph(Communicator& communicator);

// After `made` was made of the communicator's ranks by the library's own call. graph: null if it is
// not known.
void count_native_reorder(const ReorderRequest& request, const Communicator& communicator,
                          MPI_Comm comm, MPI_Comm made, const Graph* graph) noexcept;

// ECO looked for better numbers; rank_of: those that it found, by vertex.
void count_reorder(const ReorderRequest& request, const Communicator& communicator,
                   const Graph& graph, const std::vector<Rank>& rank_of) noexcept;

}  // namespace eco
