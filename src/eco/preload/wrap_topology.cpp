// SPDX-License-Identifier: BSD-3-Clause
// MPI's process topologies with reorder: ranks are renumbered so that neighbours are near each
// other (ECO §2, §5, §6.2, §7), then the library makes the topology as it would.
#include <algorithm>
#include <cstdio>
#include <numeric>

#include "eco/job/call.h"
#include "eco/mpi/gather_all.h"
#include "eco/preload/wrappers.h"
#include "eco/topology/placement.h"

namespace eco {

namespace {

// communicator: null if the library is to make the topology by itself.
int find_placeable(MPI_Comm comm, int reorder, Communicator*& communicator) {
    return guarded(comm, [&] {
        communicator = nullptr;
        meet(comm);
        const Session* here = session();
        if (reorder && here && here->settings.choice != "native")
            communicator = communicator_of(comm);
    });
}

// What the library made by itself. On a grid or graph that leaves ranks out ECO falls back to
// native: in MPICH 5.0 communicators made from one whose parent was split mix their contexts up,
// without ECO too, and ECO would have to make one.
int made(int code, MPI_Comm comm, const MPI_Comm* result) {
    const Native& mpi = native();
    int all = 0, ranks = 0;
    if (!session() || code != MPI_SUCCESS || *result == mpi.comm_null) return code;
    if (mpi.Comm_size(comm, &all) != MPI_SUCCESS || mpi.Comm_size(*result, &ranks) != MPI_SUCCESS)
        return code;
    return guarded(comm, [&] {
        Communicator* left = ranks < all ? communicator_of(*result) : nullptr;
        if (left) left->make_native();
    });
}

void say(const char* function, const Communicator& communicator, const PlacementCost& before,
         const PlacementCost& after) {
    if (session()->settings.verbose == 0 || communicator.rank() != 0) return;
    std::fprintf(stderr, "eco: %s placed %d ranks: cost of the edges %.0f, was %.0f", function,
                 communicator.size(), after.distance, before.distance);
    if (before.busiest > 0)
        std::fprintf(stderr, "; the busiest link carries %.0f %% of what it did",
                     100 * after.busiest / before.busiest);
    std::fprintf(stderr, "\n");
}

// The same ranks renumbered, each with the number of the vertex whose place it takes; null if
// they already stand well. Collective.
int renumber(const char* function, const Communicator& communicator, MPI_Comm comm,
             const Graph& graph, MPI_Comm* renumbered) {
    *renumbered = native().comm_null;
    std::vector<Rank> identity(graph.size());
    std::iota(identity.begin(), identity.end(), 0);
    const LinksBetween links = communicator.links_between();
    const auto rank_of = place(graph, communicator.hierarchy(), links);
    if (rank_of == identity) return MPI_SUCCESS;
    const auto cost = [&](const std::vector<Rank>& ranks) {
        return placement_cost(graph, communicator.hierarchy(), links, ranks);
    };
    say(function, communicator, cost(identity), cost(rank_of));
    const auto vertex = std::find(rank_of.begin(), rank_of.end(), communicator.rank());
    return native().Comm_split(comm, 0, static_cast<int>(vertex - rank_of.begin()), renumbered);
}

// make(comm): the native call. Renumbers first where that brings neighbours nearer.
template <typename Make>
int create(const char* function, const Communicator& communicator, MPI_Comm comm,
           const Graph& graph, Make make) {
    MPI_Comm renumbered{};
    int code = renumber(function, communicator, comm, graph, &renumbered);
    if (code != MPI_SUCCESS) return code;
    if (renumbered == native().comm_null) return make(comm);
    code = make(renumbered);
    native().Comm_free(&renumbered);
    return code;
}

bool are_ranks(int count, const int* ranks, int size) {
    return count >= 0 && (count == 0 || ranks) &&
           std::all_of(ranks, ranks + count, [size](int rank) { return rank >= 0 && rank < size; });
}

// Of a graph with weights; a process without neighbours has none to give.
bool is_weighted(const int* weights) { return weights != native().unweighted; }

bool has_weights(const int* weights) {
    return is_weighted(weights) && weights != native().weights_empty;
}

// One end's neighbours with their weights, as a process gives them to Dist_graph_create_adjacent.
struct Neighbours {
    std::vector<int> ranks, weights;

    void put(std::vector<int>& numbers) const {
        numbers.push_back(static_cast<int>(ranks.size()));
        numbers.insert(numbers.end(), ranks.begin(), ranks.end());
        numbers.insert(numbers.end(), weights.begin(), weights.end());
    }
    static Neighbours take(const std::vector<int>& numbers, std::size_t& at, bool weighted) {
        const auto count = static_cast<std::size_t>(numbers[at++]);
        const auto take_some = [&] {
            const auto first = numbers.begin() + static_cast<std::ptrdiff_t>(at);
            at += count;
            return std::vector<int>(first, first + static_cast<std::ptrdiff_t>(count));
        };
        Neighbours found;
        found.ranks = take_some();
        if (weighted) found.weights = take_some();
        return found;
    }
};

Neighbours neighbours(int degree, const int* ranks, const int* weights) {
    Neighbours found{{ranks, ranks + degree}, {}};
    if (degree > 0 && has_weights(weights)) found.weights.assign(weights, weights + degree);
    return found;
}

int adjacent(Communicator& communicator, MPI_Comm comm, int indegree, const int* sources,
             const int* sourceweights, int outdegree, const int* destinations,
             const int* destweights, MPI_Info info, MPI_Comm* result) {
    const Native& mpi = native();
    const int ranks = communicator.size();
    // A rank with bad arguments, or a graph that some weigh and some do not, is the library's.
    const bool weighted = is_weighted(destweights);
    const bool sound = are_ranks(indegree, sources, ranks) &&
                       are_ranks(outdegree, destinations, ranks) &&
                       is_weighted(sourceweights) == weighted;
    std::vector<int> own{sound ? 1 : 0, weighted ? 1 : 0};
    if (sound) {
        neighbours(indegree, sources, sourceweights).put(own);
        neighbours(outdegree, destinations, destweights).put(own);
    }
    const auto given = gather_all(comm, ranks, own);
    const bool all_sound = std::all_of(given.begin(), given.end(), [&](const auto& numbers) {
        return numbers[0] == 1 && numbers[1] == given[0][1];
    });
    if (!all_sound)
        return mpi.Dist_graph_create_adjacent(comm, indegree, sources, sourceweights, outdegree,
                                              destinations, destweights, info, 0, result);
    std::vector<std::pair<Neighbours, Neighbours>> all;
    Graph graph(static_cast<std::size_t>(ranks));
    for (std::size_t v = 0; v < given.size(); ++v) {
        std::size_t at = 2;
        Neighbours in = Neighbours::take(given[v], at, weighted);
        Neighbours out = Neighbours::take(given[v], at, weighted);
        for (std::size_t e = 0; e < out.ranks.size(); ++e)
            graph[v].push_back({out.ranks[e], weighted ? 1.0 * out.weights[e] : 1.0});
        all.emplace_back(std::move(in), std::move(out));
    }
    return create("MPI_Dist_graph_create_adjacent", communicator, comm, graph, [&](MPI_Comm in) {
        // This process stands for vertex `me` now, whose edges another one gave.
        int me = 0;
        mpi.Comm_rank(in, &me);
        const auto& [from, to] = all[static_cast<std::size_t>(me)];
        const auto weights = [&](const Neighbours& some) -> const int* {
            if (!weighted) return mpi.unweighted;
            return some.weights.empty() ? mpi.weights_empty : some.weights.data();
        };
        return mpi.Dist_graph_create_adjacent(
            in, static_cast<int>(from.ranks.size()), from.ranks.data(), weights(from),
            static_cast<int>(to.ranks.size()), to.ranks.data(), weights(to), info, 0, result);
    });
}

int distributed(Communicator& communicator, MPI_Comm comm, int count, const int* sources,
                const int* degrees, const int* destinations, const int* weights, MPI_Info info,
                MPI_Comm* result) {
    const int ranks = communicator.size();
    const auto make = [&](MPI_Comm in) {
        return native().Dist_graph_create(in, count, sources, degrees, destinations, weights, info,
                                          0, result);
    };
    bool sound = are_ranks(count, sources, ranks) && (count == 0 || degrees) &&
                 std::all_of(degrees, degrees + count, [](int degree) { return degree >= 0; });
    const int edges = sound ? std::accumulate(degrees, degrees + count, 0) : 0;
    sound = sound && are_ranks(edges, destinations, ranks);
    std::vector<int> own{sound ? 1 : 0};
    for (int s = 0, e = 0; sound && s < count; ++s)
        for (int i = 0; i < degrees[s]; ++i, ++e)
            own.insert(own.end(),
                       {sources[s], destinations[e], has_weights(weights) ? weights[e] : 1});
    Graph graph(static_cast<std::size_t>(ranks));
    bool all_sound = true;
    for (const auto& numbers : gather_all(comm, ranks, own)) {
        all_sound = all_sound && numbers[0] == 1;
        for (std::size_t e = 1; e + 2 < numbers.size(); e += 3)
            graph[static_cast<std::size_t>(numbers[e])].push_back(
                {numbers[e + 1], static_cast<double>(numbers[e + 2])});
    }
    if (!all_sound) return make(comm);
    return create("MPI_Dist_graph_create", communicator, comm, graph, make);
}

}  // namespace

}  // namespace eco

int eco_Cart_create(MPI_Comm comm, int ndims, const int dims[], const int periods[], int reorder,
                    MPI_Comm* comm_cart) {
    return eco::made_of(comm, comm_cart, [&]() -> int {
        const auto as_asked = [&] {
            const int code =
                eco::native().Cart_create(comm, ndims, dims, periods, reorder, comm_cart);
            return eco::made(code, comm, comm_cart);
        };
        eco::Communicator* communicator = nullptr;
        if (const int fault = eco::find_placeable(comm, reorder, communicator);
            fault != MPI_SUCCESS)
            return fault;
        if (!communicator || ndims < 1 || !dims || !periods) return as_asked();
        long long vertices = 1;
        for (int d = 0; d < ndims && vertices <= communicator->size(); ++d)
            vertices *= dims[d] > 0 ? dims[d] : communicator->size() + 1LL;
        if (vertices != communicator->size()) return as_asked();
        return eco::guarded_together(comm, [&] {
            return eco::create(
                "MPI_Cart_create", *communicator, comm,
                eco::grid_graph(std::vector<int>(dims, dims + ndims),
                                std::vector<bool>(periods, periods + ndims), communicator->size()),
                [&](MPI_Comm in) {
                    return eco::native().Cart_create(in, ndims, dims, periods, 0, comm_cart);
                });
        });
    });
}

int eco_Graph_create(MPI_Comm comm, int nnodes, const int index[], const int edges[], int reorder,
                     MPI_Comm* comm_graph) {
    return eco::made_of(comm, comm_graph, [&]() -> int {
        const auto as_asked = [&] {
            const int code =
                eco::native().Graph_create(comm, nnodes, index, edges, reorder, comm_graph);
            return eco::made(code, comm, comm_graph);
        };
        eco::Communicator* communicator = nullptr;
        if (const int fault = eco::find_placeable(comm, reorder, communicator);
            fault != MPI_SUCCESS)
            return fault;
        if (!communicator || nnodes != communicator->size() || !index) return as_asked();
        if (!std::is_sorted(index, index + nnodes) || index[0] < 0 ||
            !eco::are_ranks(index[nnodes - 1], edges, nnodes))
            return as_asked();
        return eco::guarded_together(comm, [&] {
            eco::Graph graph(static_cast<std::size_t>(communicator->size()));
            for (int v = 0, e = 0; v < nnodes; ++v)
                for (; e < index[v]; ++e)
                    graph[static_cast<std::size_t>(v)].push_back({edges[e], 1.0});
            return eco::create("MPI_Graph_create", *communicator, comm, graph, [&](MPI_Comm in) {
                return eco::native().Graph_create(in, nnodes, index, edges, 0, comm_graph);
            });
        });
    });
}

int eco_Dist_graph_create_adjacent(MPI_Comm comm, int indegree, const int sources[],
                                   const int sourceweights[], int outdegree,
                                   const int destinations[], const int destweights[], MPI_Info info,
                                   int reorder, MPI_Comm* comm_dist_graph) {
    return eco::made_of(comm, comm_dist_graph, [&]() -> int {
        eco::Communicator* communicator = nullptr;
        if (const int fault = eco::find_placeable(comm, reorder, communicator);
            fault != MPI_SUCCESS)
            return fault;
        if (!communicator)
            return eco::native().Dist_graph_create_adjacent(comm, indegree, sources, sourceweights,
                                                            outdegree, destinations, destweights,
                                                            info, reorder, comm_dist_graph);
        return eco::guarded_together(comm, [&] {
            return eco::adjacent(*communicator, comm, indegree, sources, sourceweights, outdegree,
                                 destinations, destweights, info, comm_dist_graph);
        });
    });
}

int eco_Dist_graph_create(MPI_Comm comm, int n, const int sources[], const int degrees[],
                          const int destinations[], const int weights[], MPI_Info info, int reorder,
                          MPI_Comm* comm_dist_graph) {
    return eco::made_of(comm, comm_dist_graph, [&]() -> int {
        eco::Communicator* communicator = nullptr;
        if (const int fault = eco::find_placeable(comm, reorder, communicator);
            fault != MPI_SUCCESS)
            return fault;
        if (!communicator)
            return eco::native().Dist_graph_create(comm, n, sources, degrees, destinations, weights,
                                                   info, reorder, comm_dist_graph);
        return eco::guarded_together(comm, [&] {
            return eco::distributed(*communicator, comm, n, sources, degrees, destinations, weights,
                                    info, comm_dist_graph);
        });
    });
}
