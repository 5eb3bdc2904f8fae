// SPDX-License-Identifier: BSD-3-Clause
// Gathers small facts from all ranks of a communicator to all ranks.
#pragma once

#include <algorithm>
#include <numeric>
#include <string>
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

// Everybody's text, by rank. Collective. Throws MpiError.
inline std::vector<std::string> gather_texts(MPI_Comm comm, const std::string& own) {
    const Native& mpi = native();
    const std::vector<int> lengths = gather_each(comm, static_cast<int>(own.size()));
    const int longest = *std::max_element(lengths.begin(), lengths.end());
    const auto room = static_cast<std::size_t>(longest);
    std::string padded = own, all(lengths.size() * room, '\0');
    padded.resize(room);
    check_mpi(mpi.Allgather(padded.data(), longest, mpi.byte, all.data(), longest, mpi.byte, comm));
    std::vector<std::string> texts;
    for (std::size_t rank = 0; rank < lengths.size(); ++rank)
        texts.push_back(all.substr(rank * room, static_cast<std::size_t>(lengths[rank])));
    return texts;
}

}  // namespace eco
