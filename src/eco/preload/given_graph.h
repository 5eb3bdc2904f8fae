// SPDX-License-Identifier: BSD-3-Clause
// Turns what each rank gives to MPI_Dist_graph_create and MPI_Dist_graph_create_adjacent into the
// graph of all, the same on all ranks. Used by wrap_topology.cpp.
#pragma once

#include <utility>
#include <vector>

#include "eco/job/communicator.h"
#include "eco/topology/placement.h"

namespace eco {

bool are_ranks(int count, const int* ranks, int size);

// One end's neighbours with their weights, as a process gives them to Dist_graph_create_adjacent.
struct Neighbours {
    std::vector<int> ranks, weights;
};

// Not sound: a rank has bad arguments, or some weigh their edges and some do not, which is the
// library's to refuse.
struct GivenGraph {
    bool sound = false, weighted = false;
    Graph graph;
    // In and out, by vertex; of Dist_graph_create_adjacent.
    std::vector<std::pair<Neighbours, Neighbours>> neighbours;
};

// Both are collective. Throw MpiError.
GivenGraph gather_adjacent(const Communicator& communicator, MPI_Comm comm, int indegree,
                           const int* sources, const int* sourceweights, int outdegree,
                           const int* destinations, const int* destweights);
GivenGraph gather_distributed(const Communicator& communicator, MPI_Comm comm, int count,
                              const int* sources, const int* degrees, const int* destinations,
                              const int* weights);

// The library's call on renumbered ranks: a process stands for another vertex then, whose edges
// another one gave. Collective.
int make_adjacent(const GivenGraph& all, MPI_Comm comm, MPI_Info info, MPI_Comm* result);

}  // namespace eco
