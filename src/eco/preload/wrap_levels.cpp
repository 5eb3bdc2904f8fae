// SPDX-License-Identifier: BSD-3-Clause
// What a program may ask about the network: the functions of include/eco.h, and MPI's own way,
// MPI_Comm_split_type with MPI_COMM_TYPE_HW_GUIDED and a resource type of ECO's: "eco:level0",
// "eco:level1" …, "eco:subnet", "eco:host".
#include <algorithm>
#include <cstring>
#include <optional>
#include <string>

#include "eco/job/call.h"
#include "eco/mpi/fortran.h"
#include "eco/preload/wrappers.h"

namespace eco {

namespace {

// MPI_Info_get is deprecated since MPI-4, but every library has it.
using InfoGet = int(MPI_Info, const char*, int, char*, int*);

constexpr const char* resource_key = "mpi_hw_resource_type";

// The colour by which the calling rank's part of a resource type of ECO's is split off; nothing for
// other types.
std::optional<int> colour_of(MPI_Info info, Communicator& communicator) {
    void* address = native_symbol("PMPI_Info_get");
    if (!address) return std::nullopt;
    char value[64] = "";
    int found = 0;
    const auto get = reinterpret_cast<InfoGet*>(address);
    if (get(info, resource_key, sizeof value - 1, value, &found) != MPI_SUCCESS || !found ||
        std::strncmp(value, "eco:", 4) != 0)
        return std::nullopt;
    const std::string name = value + 4;
    // A rank alone in its subnet has no level of its host.
    if (name == "host") return communicator.host_of(communicator.rank());
    std::size_t level = std::string::npos;
    if (name == "subnet") level = session()->profile.levels.size() - 1;
    if (name.starts_with("level") && name.size() > 5 && name.size() < 8 &&
        name.find_first_not_of("0123456789", 5) == std::string::npos)
        level = std::stoul(name.substr(5));
    const auto& ids = communicator.clusters()[static_cast<std::size_t>(communicator.rank())];
    return level < ids.size() ? ids[level] : MPI_UNDEFINED;
}

bool is_rank(MPI_Comm comm, int rank) {
    int size = 0;
    return native().Comm_size(comm, &size) == MPI_SUCCESS && rank >= 0 && rank < size;
}

// Null if it is not known where the ranks are.
const std::vector<int>* clusters_of(Communicator* communicator, int rank) {
    return communicator ? &communicator->clusters()[static_cast<std::size_t>(rank)] : nullptr;
}

bool same_cluster(const std::vector<int>& a, const std::vector<int>& b, int level) {
    const auto l = static_cast<std::size_t>(level);
    return l < a.size() && l < b.size() && a[l] == b[l];
}

// The functions of eco.h; within guarded(). If it is not known where the ranks are (one rank, an
// intercommunicator, an unknown host) all are in one cluster of one level.

int levels(MPI_Comm comm, int rank) {
    const auto* ids = clusters_of(placed_communicator(comm), rank);
    return ids ? static_cast<int>(ids->size()) : 1;
}

std::optional<int> cluster(MPI_Comm comm, int rank, int level) {
    const auto* ids = clusters_of(placed_communicator(comm), rank);
    if (!ids) return level == 0 ? std::optional(0) : std::nullopt;
    if (level < 0 || level >= static_cast<int>(ids->size())) return std::nullopt;
    return (*ids)[static_cast<std::size_t>(level)];
}

Rank leader(MPI_Comm comm, int rank, int level) {
    Communicator* communicator = placed_communicator(comm);
    const auto* ids = clusters_of(communicator, rank);
    if (!ids) return 0;
    // The one whose place in the ring comes first, which leads in schedules too.
    for (const Rank other : communicator->hierarchy().ring)
        if (same_cluster(*ids, *clusters_of(communicator, other), level)) return other;
    return 0;
}

// The others, nearest first.
std::vector<Rank> nearest(MPI_Comm comm) {
    Communicator* communicator = placed_communicator(comm);
    std::vector<Rank> others;
    if (!communicator) {
        int size = 0, rank = 0;
        native().Comm_size(comm, &size);
        native().Comm_rank(comm, &rank);
        for (int step = 1; step < size; ++step) others.push_back((rank + step) % size);
        return others;
    }
    const auto& own = *clusters_of(communicator, communicator->rank());
    const auto& ring = communicator->hierarchy().ring;
    const auto me = std::find(ring.begin(), ring.end(), communicator->rank()) - ring.begin();
    const auto common = [&](Rank other) {
        const auto& ids = *clusters_of(communicator, other);
        int level = 0;
        while (same_cluster(own, ids, level)) ++level;
        return level;
    };
    // Within a level, in the order of the ring.
    for (int level = static_cast<int>(own.size()); level >= 0; --level)
        for (std::size_t step = 1; step < ring.size(); ++step) {
            const Rank other = ring[(static_cast<std::size_t>(me) + step) % ring.size()];
            if (common(other) == level) others.push_back(other);
        }
    return others;
}

}  // namespace

}  // namespace eco

int eco_Comm_split_type(MPI_Comm comm, int split_type, int key, MPI_Info info, MPI_Comm* newcomm) {
    return eco::made_of(comm, newcomm, [&]() -> int {
        const eco::Native& mpi = eco::native();
        const auto run_native = [&] {
            return mpi.Comm_split_type(comm, split_type, key, info, newcomm);
        };
        eco::Communicator* communicator = nullptr;
        std::optional<int> colour;
        const int fault = eco::guarded_together(comm, [&] {
            communicator = eco::communicator_of(comm);
            if (communicator && split_type == MPI_COMM_TYPE_HW_GUIDED && info != mpi.info_null)
                colour = eco::colour_of(info, *communicator);
        });
        if (fault != MPI_SUCCESS) return fault;
        if (!communicator) return run_native();
        // Ranks that want no part (MPI_UNDEFINED) need give no type: they learn that it is one of
        // ECO's.
        const int mine = colour ? 1 : 0;
        int of_eco = 0;
        if (const int code = mpi.Allreduce(&mine, &of_eco, 1, mpi.int32, mpi.max, comm);
            code != MPI_SUCCESS)
            return code;
        return of_eco ? mpi.Comm_split(comm, colour.value_or(MPI_UNDEFINED), key, newcomm)
                      : run_native();
    });
}

#pragma GCC visibility push(default)

extern "C" {

int eco_comm_levels(MPI_Comm comm, int rank, int* levels) {
    *levels = 1;
    if (!eco::is_rank(comm, rank)) return MPI_ERR_RANK;
    return eco::guarded(comm, [&] { *levels = eco::levels(comm, rank); });
}

int eco_comm_cluster(MPI_Comm comm, int rank, int level, int* cluster) {
    *cluster = 0;
    if (!eco::is_rank(comm, rank)) return MPI_ERR_RANK;
    std::optional<int> found;
    const int fault = eco::guarded(comm, [&] { found = eco::cluster(comm, rank, level); });
    if (fault != MPI_SUCCESS) return fault;
    *cluster = found.value_or(0);
    return found ? MPI_SUCCESS : MPI_ERR_ARG;
}

int eco_comm_leader(MPI_Comm comm, int rank, int level, int* leader) {
    int own = 0;
    *leader = 0;
    if (const int code = eco_comm_cluster(comm, rank, level, &own); code != MPI_SUCCESS)
        return code;
    return eco::guarded(comm, [&] { *leader = eco::leader(comm, rank, level); });
}

int eco_comm_nearest(MPI_Comm comm, int count, int ranks[], int* found) {
    *found = 0;
    return eco::guarded(comm, [&] {
        const auto others = eco::nearest(comm);
        for (; *found < count && static_cast<std::size_t>(*found) < others.size(); ++*found)
            ranks[*found] = others[static_cast<std::size_t>(*found)];
    });
}

// For Fortran and Python, which know communicators as integers.
int eco_comm_levels_f(int comm, int rank, int* levels) {
    return eco_comm_levels(eco::from_fortran(comm), rank, levels);
}
int eco_comm_cluster_f(int comm, int rank, int level, int* cluster) {
    return eco_comm_cluster(eco::from_fortran(comm), rank, level, cluster);
}
int eco_comm_leader_f(int comm, int rank, int level, int* leader) {
    return eco_comm_leader(eco::from_fortran(comm), rank, level, leader);
}
int eco_comm_nearest_f(int comm, int count, int ranks[], int* found) {
    return eco_comm_nearest(eco::from_fortran(comm), count, ranks, found);
}
}

#pragma GCC visibility pop
