// SPDX-License-Identifier: BSD-3-Clause
#include "eco/preload/given_graph.h"

#include <algorithm>
#include <numeric>

#include "eco/mpi/gather_all.h"

namespace eco {

namespace {

// Of a graph with weights; a process without neighbours has none to give.
bool is_weighted(const int* weights) { return weights != native().unweighted; }

bool has_weights(const int* weights) {
    return is_weighted(weights) && weights != native().weights_empty;
}

void put(const Neighbours& some, std::vector<int>& numbers) {
    numbers.push_back(static_cast<int>(some.ranks.size()));
    numbers.insert(numbers.end(), some.ranks.begin(), some.ranks.end());
    numbers.insert(numbers.end(), some.weights.begin(), some.weights.end());
}

Neighbours take(const std::vector<int>& numbers, std::size_t& at, bool weighted) {
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

Neighbours neighbours(int degree, const int* ranks, const int* weights) {
    Neighbours found{{ranks, ranks + degree}, {}};
    if (degree > 0 && has_weights(weights)) found.weights.assign(weights, weights + degree);
    return found;
}

}  // namespace

bool are_ranks(int count, const int* ranks, int size) {
    return count >= 0 && (count == 0 || ranks) &&
           std::all_of(ranks, ranks + count, [size](int rank) { return rank >= 0 && rank < size; });
}

GivenGraph gather_adjacent(const Communicator& communicator, MPI_Comm comm, int indegree,
                           const int* sources, const int* sourceweights, int outdegree,
                           const int* destinations, const int* destweights) {
    const int ranks = communicator.size();
    GivenGraph all;
    all.weighted = is_weighted(destweights);
    const bool sound = are_ranks(indegree, sources, ranks) &&
                       are_ranks(outdegree, destinations, ranks) &&
                       is_weighted(sourceweights) == all.weighted;
    std::vector<int> own{sound ? 1 : 0, all.weighted ? 1 : 0};
    if (sound) {
        put(neighbours(indegree, sources, sourceweights), own);
        put(neighbours(outdegree, destinations, destweights), own);
    }
    const auto given = gather_all(comm, ranks, own);
    all.sound = std::all_of(given.begin(), given.end(), [&](const auto& numbers) {
        return numbers[0] == 1 && numbers[1] == given[0][1];
    });
    if (!all.sound) return all;
    all.graph.resize(given.size());
    for (std::size_t v = 0; v < given.size(); ++v) {
        std::size_t at = 2;
        Neighbours in = take(given[v], at, all.weighted);
        Neighbours out = take(given[v], at, all.weighted);
        for (std::size_t e = 0; e < out.ranks.size(); ++e)
            all.graph[v].push_back({out.ranks[e], all.weighted ? 1.0 * out.weights[e] : 1.0});
        all.neighbours.emplace_back(std::move(in), std::move(out));
    }
    return all;
}

int make_adjacent(const GivenGraph& all, MPI_Comm comm, MPI_Info info, MPI_Comm* result) {
    const Native& mpi = native();
    int me = 0;
    mpi.Comm_rank(comm, &me);
    const auto& [from, to] = all.neighbours[static_cast<std::size_t>(me)];
    const auto weights = [&](const Neighbours& some) -> const int* {
        if (!all.weighted) return mpi.unweighted;
        return some.weights.empty() ? mpi.weights_empty : some.weights.data();
    };
    return mpi.Dist_graph_create_adjacent(
        comm, static_cast<int>(from.ranks.size()), from.ranks.data(), weights(from),
        static_cast<int>(to.ranks.size()), to.ranks.data(), weights(to), info, 0, result);
}

GivenGraph gather_distributed(const Communicator& communicator, MPI_Comm comm, int count,
                              const int* sources, const int* degrees, const int* destinations,
                              const int* weights) {
    const int ranks = communicator.size();
    bool sound = are_ranks(count, sources, ranks) && (count == 0 || degrees) &&
                 std::all_of(degrees, degrees + count, [](int degree) { return degree >= 0; });
    const int edges = sound ? std::accumulate(degrees, degrees + count, 0) : 0;
    sound = sound && are_ranks(edges, destinations, ranks);
    std::vector<int> own{sound ? 1 : 0};
    for (int s = 0, e = 0; sound && s < count; ++s)
        for (int i = 0; i < degrees[s]; ++i, ++e)
            own.insert(own.end(),
                       {sources[s], destinations[e], has_weights(weights) ? weights[e] : 1});
    GivenGraph all;
    all.graph.resize(static_cast<std::size_t>(ranks));
    all.sound = true;
    for (const auto& numbers : gather_all(comm, ranks, own)) {
        all.sound = all.sound && numbers[0] == 1;
        for (std::size_t e = 1; e + 2 < numbers.size(); e += 3)
            all.graph[static_cast<std::size_t>(numbers[e])].push_back(
                {numbers[e + 1], static_cast<double>(numbers[e + 2])});
    }
    return all;
}

}  // namespace eco
