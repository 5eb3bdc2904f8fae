// SPDX-License-Identifier: BSD-3-Clause
// Gathers small facts from all ranks of a communicator to all ranks.
#pragma once

#include <numeric>
#include <type_traits>
#include <vector>

#include "eco/mpi/mpi_transport.h"

namespace eco {

// Everybody's value, by rank, as bytes: of one length on all ranks. Collective. Throws MpiError.
template <typename Value>
std::vector<Value> gather_each(MPI_Comm comm, const Value& own) {
    static_assert(std::is_trivially_copyable_v<Value>);
    const Native& mpi = native();
    int ranks = 0;
    check_mpi(mpi.Comm_size(comm, &ranks));
    std::vector<Value> all(static_cast<std::size_t>(ranks));
    constexpr int bytes = sizeof own;
    check_mpi(mpi.Allgather(&own, bytes, mpi.byte, all.data(), bytes, mpi.byte, comm));
    return all;
}

// Everybody's numbers, by rank. Collective. Throws MpiError.
inline std::vector<std::vector<int>> gather_all(MPI_Comm comm, int ranks,
                                                const std::vector<int>& own) {
    const Native& mpi = native();
    const int length = static_cast<int>(own.size());
    std::vector<int> lengths(static_cast<std::size_t>(ranks)), places(lengths.size(), 0);
    check_mpi(mpi.Allgather(&length, 1, mpi.int32, lengths.data(), 1, mpi.int32, comm));
    std::partial_sum(lengths.begin(), lengths.end() - 1, places.begin() + 1);
    std::vector<int> all(static_cast<std::size_t>(places.back() + lengths.back()));
    check_mpi(mpi.Allgatherv(own.data(), length, mpi.int32, all.data(), lengths.data(),
                             places.data(), mpi.int32, comm));
    std::vector<std::vector<int>> numbers;
    for (std::size_t rank = 0; rank < lengths.size(); ++rank)
        numbers.emplace_back(all.begin() + places[rank],
                             all.begin() + places[rank] + lengths[rank]);
    return numbers;
}

}  // namespace eco
