// SPDX-License-Identifier: BSD-3-Clause
#include "eco/job/reorder_counts.h"

#include <exception>
#include <numeric>

#include "eco/job/communicator.h"
#include "eco/job/session.h"

namespace eco {

namespace {

// To find numbers for so many ranks takes 0.1 s where links are known (placement.h), on rank 0.
constexpr int most_ranks_of_estimate = 1024;
// Of one communicator: each takes two collectives of the library, and a program that makes more
// distributed graphs of it makes most of them alike.
constexpr int most_exchanges = 16;

bool counts_here() {
    const Session* here = session();
    return here && here->settings.reports() && here->world_rank == 0;
}

std::vector<Rank> numbers(std::size_t ranks) {
    std::vector<Rank> same(ranks);
    std::iota(same.begin(), same.end(), 0);
    return same;
}

// By rank of `made`, the rank of `comm`; empty if MPI does not say.
std::vector<Rank> ranks_in(MPI_Comm comm, MPI_Comm made, int ranks) {
    const Native& mpi = native();
    const auto all = numbers(static_cast<std::size_t>(ranks));
    std::vector<Rank> found(all.size(), MPI_UNDEFINED);
    MPI_Group before{}, after{};
    if (mpi.Comm_group(comm, &before) != MPI_SUCCESS) return {};
    bool fine = mpi.Comm_group(made, &after) == MPI_SUCCESS;
    if (fine) {
        fine = mpi.Group_translate_ranks(after, ranks, all.data(), before, found.data()) ==
               MPI_SUCCESS;
        mpi.Group_free(&after);
    }
    mpi.Group_free(&before);
    return fine ? found : std::vector<Rank>();
}

// The row of such a request, new or counted once more. new_row: works out what it says, which may
// take a while.
template <typename NewRow>
void count(const ReorderRequest& request, int ranks, Numbering numbering, NewRow new_row) {
    Session& here = *session();
    const ReorderKey key{request.function, request.site, ranks, numbering};
    {
        const std::lock_guard lock(here.mutex);
        if (const auto known = reorder_counts().find(key); known != reorder_counts().end()) {
            ++known->second.calls;
            return;
        }
    }
    ReorderRow row = new_row();
    row.function = request.function;
    row.ranks = ranks;
    row.numbering = numbering;
    row.calls = 1;
    const std::lock_guard lock(here.mutex);
    reorder_counts().emplace(key, std::move(row));
}

// What the ranks `as_it_ran` are worth against `otherwise`; by_eco: as_it_ran are ECO's.
ReorderRow compare(const Communicator& communicator, const Graph& graph,
                   const std::vector<Rank>& as_it_ran, const std::vector<Rank>& otherwise,
                   bool by_eco) {
    const Hierarchy& hierarchy = communicator.hierarchy();
    const LinksBetween links = communicator.links_between();
    ReorderRow row;
    row.crossing = crossing_share(graph, hierarchy, as_it_ran);
    row.otherwise = crossing_share(graph, hierarchy, otherwise);
    const double natively =
        placement_cost(graph, hierarchy, links, by_eco ? otherwise : as_it_ran).busiest;
    if (as_it_ran == otherwise)
        row.busiest = 1;
    else if (natively > 0)
        row.busiest =
            placement_cost(graph, hierarchy, links, by_eco ? as_it_ran : otherwise).busiest /
            natively;
    return row;
}

}  // namespace

ReorderCounts& reorder_counts() {
    static auto* all = new ReorderCounts;  // not destroyed at exit, as call_counts()
    return *all;
}

bool estimates_reorder(const Communicator& communicator) {
    return counts_here() && communicator.size() <= most_ranks_of_estimate;
}

bool may_exchange_graph(Communicator& communicator) {
    return session()->settings.reports() && communicator.has_rank_0_of_job() &&
           communicator.size() <= most_ranks_of_estimate &&
           communicator.count_graph_exchange() < most_exchanges;
}

void count_native_reorder(const ReorderRequest& request, const Communicator& communicator,
                          MPI_Comm comm, MPI_Comm made, const Graph* graph) noexcept {
    if (!counts_here()) return;
    try {
        const auto rank_of = ranks_in(comm, made, communicator.size());
        if (rank_of.empty()) return;
        const bool renumbered = rank_of != numbers(rank_of.size());
        count(request, communicator.size(), renumbered ? Numbering::library : Numbering::kept, [&] {
            if (!graph) return ReorderRow();
            const auto ours = place(*graph, communicator.hierarchy(), communicator.links_between());
            return compare(communicator, *graph, rank_of, ours, false);
        });
    } catch (const std::exception&) {
        // The communicator is there; only the report lacks a row.
    }
}

void count_reorder(const ReorderRequest& request, const Communicator& communicator,
                   const Graph& graph, const std::vector<Rank>& rank_of) noexcept {
    if (!counts_here()) return;
    try {
        const auto before = numbers(rank_of.size());
        count(request, communicator.size(), rank_of == before ? Numbering::best : Numbering::eco,
              [&] { return compare(communicator, graph, rank_of, before, true); });
    } catch (const std::exception&) {
        // As above.
    }
}

}  // namespace eco
