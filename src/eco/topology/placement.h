// Turns a graph of who talks to whom and a hierarchy of ranks into a placement of the graph's
// vertices on the ranks, neighbours near each other (ECO §2, §5 and §7, "additional topologies").
// Called by MPI_Cart_create, MPI_Graph_create and MPI_Dist_graph_create with reorder. All ranks get
// the same one from the same inputs.
#pragma once

#include <vector>

#include "eco/topology/hierarchy.h"

namespace eco {

struct Edge {
    int to;
    double weight;
};

// Per vertex its neighbours. An edge given from one end only counts as one given from both.
using Graph = std::vector<std::vector<Edge>>;

// Of a Cartesian grid, vertices in row-major order as MPI numbers them. ranks: size of the
// communicator; vertices beyond the grid have no neighbours.
Graph grid_graph(const std::vector<int>& dims, const std::vector<bool>& periods, int ranks);

// What neighbours cost each other: per edge its weight times the distance of its ends' ranks, which
// is one between ranks of a host and grows tenfold with every level that the ranks part at.
double placement_cost(const Graph& graph, const Hierarchy& hierarchy,
                      const std::vector<Rank>& rank_of);

// The rank that takes each vertex's place. Never costs more than vertex v on rank v. Graphs need as
// many vertices as there are ranks. Some 10 ms for 1,024 ranks.
std::vector<Rank> place(const Graph& graph, const Hierarchy& hierarchy);

}  // namespace eco
