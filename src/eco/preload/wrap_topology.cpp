// SPDX-License-Identifier: BSD-3-Clause
// MPI's process topologies with reorder. With ECO_REORDER=on ranks are renumbered so that
// neighbours are near each other (ECO §2, §5, §6.2, §7), then the library makes the topology as it
// would; else the call is the library's, and counted for the report
// (docs/decisions/0047-ranks-keep-their-numbers.md).
#include <algorithm>
#include <exception>
#include <numeric>
#include <optional>

#include "eco/job/call.h"
#include "eco/job/reorder_counts.h"
#include "eco/preload/given_graph.h"
#include "eco/preload/wrappers.h"
#include "eco/topology/placement.h"

namespace eco {

namespace {

// What becomes of a request for reorder. communicator: null where it is the library's alone.
struct Treatment {
    Communicator* communicator = nullptr;
    bool renumbers = false;  // else the library's call runs as it is, and is counted
};

int find_treatment(MPI_Comm comm, int reorder, Treatment& treatment) {
    return guarded(comm, [&] {
        ensure_session(comm);
        const Session* here = session();
        if (!reorder || !here) return;
        const Settings& settings = here->settings;
        treatment.renumbers = settings.reorder == Reorder::on && settings.choice != "native";
        if (treatment.renumbers || settings.reports())
            treatment.communicator = communicator_of(comm);
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

// The same ranks renumbered, each with the number of the vertex whose place it takes; null if
// they already stand well. Collective.
int renumber(const ReorderRequest& request, const Communicator& communicator, MPI_Comm comm,
             const Graph& graph, MPI_Comm* renumbered) {
    *renumbered = native().comm_null;
    std::vector<Rank> identity(graph.size());
    std::iota(identity.begin(), identity.end(), 0);
    const auto rank_of = place(graph, communicator.hierarchy(), communicator.links_between());
    count_reorder(request, communicator, graph, rank_of);
    if (rank_of == identity) return MPI_SUCCESS;
    const auto vertex = std::find(rank_of.begin(), rank_of.end(), communicator.rank());
    return native().Comm_split(comm, 0, static_cast<int>(vertex - rank_of.begin()), renumbered);
}

// make(comm): the native call. Renumbers first where that brings neighbours nearer.
template <typename Make>
int create(const ReorderRequest& request, const Communicator& communicator, MPI_Comm comm,
           const Graph& graph, Make make) {
    MPI_Comm renumbered{};
    int code = renumber(request, communicator, comm, graph, &renumbered);
    if (code != MPI_SUCCESS) return code;
    if (renumbered == native().comm_null) return make(comm);
    code = make(renumbered);
    native().Comm_free(&renumbered);
    return code;
}

// The library's call as it is, counted for the report. graph: null if it is not known.
template <typename Make>
int create_natively(const ReorderRequest& request, const Communicator& communicator, MPI_Comm comm,
                    MPI_Comm* result, const Graph* graph, Make make) {
    const int code = make(comm);
    if (code == MPI_SUCCESS) count_native_reorder(request, communicator, comm, *result, graph);
    return code;
}

// The same of a graph that this rank knows.
template <typename FindGraph, typename Make>
int create_known(const ReorderRequest& request, const Communicator& communicator, MPI_Comm comm,
                 MPI_Comm* result, FindGraph find_graph, Make make) {
    std::optional<Graph> graph;
    try {
        if (estimates_reorder(communicator)) graph = find_graph();
    } catch (const std::exception&) {
        // Only the report says less.
    }
    return create_natively(request, communicator, comm, result, graph ? &*graph : nullptr, make);
}

// The same of a distributed graph. gather: collective.
template <typename Gather, typename Make>
int create_distributed(const ReorderRequest& request, Communicator& communicator, MPI_Comm comm,
                       MPI_Comm* result, Gather gather, Make make) {
    GivenGraph given;
    if (may_exchange_graph(communicator)) {
        const int code = guarded_together(comm, [&] { given = gather(); });
        if (code != MPI_SUCCESS) return code;
    }
    return create_natively(request, communicator, comm, result,
                           given.sound ? &given.graph : nullptr, make);
}

}  // namespace

}  // namespace eco

int eco_Cart_create(MPI_Comm comm, int ndims, const int dims[], const int periods[], int reorder,
                    MPI_Comm* comm_cart) {
    const eco::ReorderRequest request{"MPI_Cart_create", ECO_SITE};
    return eco::made_of(comm, comm_cart, [&]() -> int {
        const auto as_asked = [&](MPI_Comm in) {
            const int code =
                eco::native().Cart_create(in, ndims, dims, periods, reorder, comm_cart);
            return eco::made(code, in, comm_cart);
        };
        eco::Treatment treatment;
        if (const int fault = eco::find_treatment(comm, reorder, treatment); fault != MPI_SUCCESS)
            return fault;
        eco::Communicator* communicator = treatment.communicator;
        if (!communicator || ndims < 1 || !dims || !periods) return as_asked(comm);
        long long vertices = 1;
        for (int d = 0; d < ndims && vertices <= communicator->size(); ++d)
            vertices *= dims[d] > 0 ? dims[d] : communicator->size() + 1LL;
        if (vertices != communicator->size()) return as_asked(comm);
        const auto graph = [&] {
            return eco::grid_graph(std::vector<int>(dims, dims + ndims),
                                   std::vector<bool>(periods, periods + ndims),
                                   communicator->size());
        };
        if (!treatment.renumbers)
            return eco::create_known(request, *communicator, comm, comm_cart, graph, as_asked);
        return eco::guarded_together(comm, [&] {
            return eco::create(request, *communicator, comm, graph(), [&](MPI_Comm in) {
                return eco::native().Cart_create(in, ndims, dims, periods, 0, comm_cart);
            });
        });
    });
}

int eco_Graph_create(MPI_Comm comm, int nnodes, const int index[], const int edges[], int reorder,
                     MPI_Comm* comm_graph) {
    const eco::ReorderRequest request{"MPI_Graph_create", ECO_SITE};
    return eco::made_of(comm, comm_graph, [&]() -> int {
        const auto as_asked = [&](MPI_Comm in) {
            const int code =
                eco::native().Graph_create(in, nnodes, index, edges, reorder, comm_graph);
            return eco::made(code, in, comm_graph);
        };
        eco::Treatment treatment;
        if (const int fault = eco::find_treatment(comm, reorder, treatment); fault != MPI_SUCCESS)
            return fault;
        eco::Communicator* communicator = treatment.communicator;
        if (!communicator || nnodes != communicator->size() || !index) return as_asked(comm);
        if (!std::is_sorted(index, index + nnodes) || index[0] < 0 ||
            !eco::are_ranks(index[nnodes - 1], edges, nnodes))
            return as_asked(comm);
        const auto graph = [&] {
            eco::Graph given(static_cast<std::size_t>(nnodes));
            for (int v = 0, e = 0; v < nnodes; ++v)
                for (; e < index[v]; ++e)
                    given[static_cast<std::size_t>(v)].push_back({edges[e], 1.0});
            return given;
        };
        if (!treatment.renumbers)
            return eco::create_known(request, *communicator, comm, comm_graph, graph, as_asked);
        return eco::guarded_together(comm, [&] {
            return eco::create(request, *communicator, comm, graph(), [&](MPI_Comm in) {
                return eco::native().Graph_create(in, nnodes, index, edges, 0, comm_graph);
            });
        });
    });
}

int eco_Dist_graph_create_adjacent(MPI_Comm comm, int indegree, const int sources[],
                                   const int sourceweights[], int outdegree,
                                   const int destinations[], const int destweights[], MPI_Info info,
                                   int reorder, MPI_Comm* comm_dist_graph) {
    const eco::ReorderRequest request{"MPI_Dist_graph_create_adjacent", ECO_SITE};
    return eco::made_of(comm, comm_dist_graph, [&]() -> int {
        const auto natively = [&](int with_reorder) {
            return eco::native().Dist_graph_create_adjacent(comm, indegree, sources, sourceweights,
                                                            outdegree, destinations, destweights,
                                                            info, with_reorder, comm_dist_graph);
        };
        eco::Treatment treatment;
        if (const int fault = eco::find_treatment(comm, reorder, treatment); fault != MPI_SUCCESS)
            return fault;
        eco::Communicator* communicator = treatment.communicator;
        if (!communicator) return natively(reorder);
        const auto gather = [&] {
            return eco::gather_adjacent(*communicator, comm, indegree, sources, sourceweights,
                                        outdegree, destinations, destweights);
        };
        if (!treatment.renumbers)
            return eco::create_distributed(request, *communicator, comm, comm_dist_graph, gather,
                                           [&](MPI_Comm) { return natively(reorder); });
        return eco::guarded_together(comm, [&] {
            const eco::GivenGraph all = gather();
            if (!all.sound) return natively(0);
            return eco::create(request, *communicator, comm, all.graph, [&](MPI_Comm in) {
                return eco::make_adjacent(all, in, info, comm_dist_graph);
            });
        });
    });
}

int eco_Dist_graph_create(MPI_Comm comm, int n, const int sources[], const int degrees[],
                          const int destinations[], const int weights[], MPI_Info info, int reorder,
                          MPI_Comm* comm_dist_graph) {
    const eco::ReorderRequest request{"MPI_Dist_graph_create", ECO_SITE};
    return eco::made_of(comm, comm_dist_graph, [&]() -> int {
        const auto natively = [&](MPI_Comm in, int with_reorder) {
            return eco::native().Dist_graph_create(in, n, sources, degrees, destinations, weights,
                                                   info, with_reorder, comm_dist_graph);
        };
        eco::Treatment treatment;
        if (const int fault = eco::find_treatment(comm, reorder, treatment); fault != MPI_SUCCESS)
            return fault;
        eco::Communicator* communicator = treatment.communicator;
        if (!communicator) return natively(comm, reorder);
        const auto gather = [&] {
            return eco::gather_distributed(*communicator, comm, n, sources, degrees, destinations,
                                           weights);
        };
        if (!treatment.renumbers)
            return eco::create_distributed(request, *communicator, comm, comm_dist_graph, gather,
                                           [&](MPI_Comm in) { return natively(in, reorder); });
        return eco::guarded_together(comm, [&] {
            const eco::GivenGraph all = gather();
            if (!all.sound) return natively(comm, 0);
            return eco::create(request, *communicator, comm, all.graph,
                               [&](MPI_Comm in) { return natively(in, 0); });
        });
    });
}
