// SPDX-License-Identifier: BSD-3-Clause
// Turns a communication graph and a hierarchy of ranks into a placement of the graph's vertices on
// the ranks, neighbours near each other (ECO §2, §5 and §7, "additional topologies"). Called by
// MPI_Cart_create, MPI_Graph_create and MPI_Dist_graph_create with reorder. All ranks get the same
// one from the same inputs.
#pragma once

#include <vector>

#include "eco/topology/hierarchy.h"
#include "eco/topology/network.h"

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

// The links that messages between ranks share on their way.
class LinksBetween {
public:
    LinksBetween() = default;  // nothing is known of links
    LinksBetween(const Network& network, const std::vector<int>& host_of);

    std::size_t links() const { return rates_.size(); }
    double rate(int link) const { return rates_[static_cast<std::size_t>(link)]; }
    const std::vector<int>& between(Rank from, Rank to) const;

private:
    std::vector<double> rates_;
    std::vector<int> host_of_;
    std::vector<int> place_;  // by rank, of its host among those with the same links
    std::vector<std::vector<std::vector<int>>> routes_;  // by such places
    std::vector<int> none_;                              // on one host
};

// What neighbours cost each other.
struct PlacementCost {
    // The link that needs longest for what its messages weigh, one each way along every edge;
    // weight over bytes per second.
    double busiest = 0;
    // Per edge its weight times the distance of its ends' ranks, which is one between ranks of a
    // host and grows tenfold with every level that the ranks part at. Counts where `busiest` ties.
    double distance = 0;
    auto operator<=>(const PlacementCost&) const = default;
};

// Of a graph whose rank r gets the process of rank_of[r]. Pure.
PlacementCost placement_cost(const Graph& graph, const Hierarchy& hierarchy,
                             const LinksBetween& ways, const std::vector<Rank>& rank_of);

// The share of all edges, by weight, whose ends are in different parts of the widest group; 0 of a
// graph without edges between ranks.
double crossing_share(const Graph& graph, const Hierarchy& hierarchy,
                      const std::vector<Rank>& rank_of);

// The rank that takes each vertex's place. Never costs more than vertex v on rank v. Graphs need as
// many vertices as there are ranks. Some 10 ms for 1,024 ranks, 0.1 s where links are known.
std::vector<Rank> place(const Graph& graph, const Hierarchy& hierarchy,
                        const LinksBetween& ways = {});

}  // namespace eco
