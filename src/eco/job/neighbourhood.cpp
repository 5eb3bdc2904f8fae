// SPDX-License-Identifier: BSD-3-Clause
#include "eco/job/neighbourhood.h"

#include <algorithm>
#include <bit>
#include <map>
#include <utility>

#include "eco/mpi/gather_all.h"
#include "eco/simulate/multicast_plan.h"

namespace eco {

namespace {

struct Edges {
    std::vector<int> in, out;
};

Edges edges_of_grid(MPI_Comm comm) {
    const Native& mpi = native();
    Edges edges;
    int dimensions = 0;
    check_mpi(mpi.Cartdim_get(comm, &dimensions));
    for (int d = 0; d < dimensions; ++d) {
        int below = 0, above = 0;
        check_mpi(mpi.Cart_shift(comm, d, 1, &below, &above));
        for (auto* list : {&edges.in, &edges.out}) list->insert(list->end(), {below, above});
    }
    return edges;
}

Edges edges_of_graph(MPI_Comm comm, int rank) {
    const Native& mpi = native();
    int count = 0;
    check_mpi(mpi.Graph_neighbors_count(comm, rank, &count));
    std::vector<int> list(static_cast<std::size_t>(count));
    check_mpi(mpi.Graph_neighbors(comm, rank, count, list.data()));
    return {list, list};
}

Edges edges_of_distributed(MPI_Comm comm) {
    const Native& mpi = native();
    int in = 0, out = 0, weighted = 0;
    check_mpi(mpi.Dist_graph_neighbors_count(comm, &in, &out, &weighted));
    Edges edges{std::vector<int>(static_cast<std::size_t>(in)),
                std::vector<int>(static_cast<std::size_t>(out))};
    std::vector<int> weights_in(edges.in.size() + 1), weights_out(edges.out.size() + 1);
    check_mpi(mpi.Dist_graph_neighbors(comm, in, edges.in.data(), weights_in.data(), out,
                                       edges.out.data(), weights_out.data()));
    return edges;
}

Edges edges_of(MPI_Comm comm, int rank) {
    int kind = MPI_UNDEFINED;
    check_mpi(native().Topo_test(comm, &kind));
    if (kind == MPI_CART) return edges_of_grid(comm);
    if (kind == MPI_GRAPH) return edges_of_graph(comm, rank);
    if (kind == MPI_DIST_GRAPH) return edges_of_distributed(comm);
    return {};
}

// Whether the edges, in whichever direction, lead from rank 0 to every rank.
bool joins_all(const std::vector<Multicast>& messages) {
    std::vector<std::vector<Rank>> beside(messages.size());
    for (const Multicast& message : messages)
        for (const Rank to : message.destinations) {
            beside[static_cast<std::size_t>(message.source)].push_back(to);
            beside[static_cast<std::size_t>(to)].push_back(message.source);
        }
    std::vector<char> seen(messages.size(), 0);
    std::vector<Rank> open{0};
    seen[0] = 1;
    std::size_t found = 1;
    while (!open.empty()) {
        const Rank rank = open.back();
        open.pop_back();
        for (const Rank other : beside[static_cast<std::size_t>(rank)]) {
            if (std::exchange(seen[static_cast<std::size_t>(other)], 1)) continue;
            ++found;
            open.push_back(other);
        }
    }
    return found == messages.size();
}

}  // namespace

Neighbourhood::Neighbourhood(MPI_Comm comm, const Communicator& communicator) {
    const Rank me = communicator.rank();
    Edges own = edges_of(comm, me);
    const int nobody = MPI_PROC_NULL;
    std::replace(own.in.begin(), own.in.end(), nobody, -1);
    sources_ = own.in;
    has_out_ = std::any_of(own.out.begin(), own.out.end(), [=](int to) { return to != nobody; });
    std::vector<int> numbers{static_cast<int>(own.out.size())};
    numbers.insert(numbers.end(), own.out.begin(), own.out.end());
    numbers.insert(numbers.end(), own.in.begin(), own.in.end());
    std::map<std::pair<Rank, Rank>, int> balance;  // edges, out less in
    std::size_t deliveries = 0;
    const auto all = gather_all(communicator.hidden(), communicator.size(), numbers);
    for (Rank rank = 0; rank < communicator.size(); ++rank) {
        const auto& list = all[static_cast<std::size_t>(rank)];
        const auto out = list.begin() + 1, in = out + list.front();
        Multicast message{rank, 0, {}};
        for (auto edge = out; edge != in; ++edge) {
            if (*edge == MPI_PROC_NULL) continue;
            balance[{rank, *edge}] += 1;
            if (*edge != rank) message.destinations.push_back(*edge);
        }
        for (auto edge = in; edge != list.end(); ++edge)
            if (*edge >= 0) balance[{*edge, rank}] -= 1;
        auto& to = message.destinations;
        std::sort(to.begin(), to.end());
        to.erase(std::unique(to.begin(), to.end()), to.end());
        deliveries += to.size();
        if (rank == me) gives_ = !to.empty();
        messages_.push_back(std::move(message));
    }
    connected_ = joins_all(messages_);
    usable_ = deliveries > 0 && deliveries <= most_deliveries &&
              std::all_of(balance.begin(), balance.end(),
                          [](const auto& edge) { return edge.second == 0; });
}

bool Neighbourhood::has_in() const {
    return std::any_of(sources_.begin(), sources_.end(), [](Rank from) { return from >= 0; });
}

MulticastPlans::Plan Neighbourhood::planned(const Communicator& communicator, Operation operation,
                                            const std::vector<Bytes>& sizes, bool may_mcast) {
    for (std::size_t m = 0; m < sizes.size(); ++m) messages_[m].bytes = sizes[m];
    return plans_.find(communicator, operation, messages_, true, may_mcast);
}

MulticastPlans::Plan Neighbourhood::of_size(const Communicator& communicator, Bytes bytes,
                                            bool may_mcast) {
    const std::pair key(size_class(bytes), may_mcast);
    if (const auto* known = by_size_.find(key)) return *known;
    auto plan = planned(communicator, Operation::neighbor_allgather,
                        std::vector<Bytes>(messages_.size(), bytes), may_mcast);
    const std::size_t held = plan->bytes();
    return by_size_.put(key, std::move(plan), held);
}

MulticastPlans::Plan Neighbourhood::of_own_size(const Communicator& communicator, Bytes bytes,
                                                bool may_mcast) {
    if (std::has_single_bit(++calls_)) {
        sizes_.resize(messages_.size());
        check_mpi(native().Allgather(&bytes, sizeof bytes, native().byte, sizes_.data(),
                                     sizeof bytes, native().byte, communicator.hidden()));
        for (auto& plan : last_) plan.reset();
    }
    return last_of_own_size(communicator, may_mcast);
}

MulticastPlans::Plan Neighbourhood::last_of_own_size(const Communicator& communicator,
                                                     bool may_mcast) {
    auto& plan = last_[may_mcast ? 1 : 0];
    if (!plan && !sizes_.empty())
        plan = planned(communicator, Operation::neighbor_allgatherv, sizes_, may_mcast);
    return plan;
}

}  // namespace eco
