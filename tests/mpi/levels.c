// SPDX-License-Identifier: BSD-3-Clause
// Prints, from rank 0, each rank's clusters by eco.h; checks them against MPI_Comm_split_type.
#include <eco.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The communicator of a resource type; MPI_COMM_NULL for a rank that it does not hold. Null: this
// rank wants no part, and says no more than that.
static MPI_Comm split(const char* type) {
    MPI_Info info;
    MPI_Comm part;
    if (!type) {
        MPI_Comm_split_type(MPI_COMM_WORLD, MPI_UNDEFINED, 0, MPI_INFO_NULL, &part);
        return part;
    }
    MPI_Info_create(&info);
    MPI_Info_set(info, "mpi_hw_resource_type", type);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_HW_GUIDED, 0, info, &part);
    MPI_Info_free(&info);
    return part;
}

// How many ranks are in a cluster of a level, `without` not counted.
static int members(int level, int cluster, int ranks, int without) {
    int count = 0;
    for (int r = 0; r < ranks; ++r) {
        int id = -1;
        if (r != without && ECO_Comm_cluster(MPI_COMM_WORLD, r, level, &id) == MPI_SUCCESS)
            count += id == cluster;
    }
    return count;
}

// "eco:levelN" splits off exactly those with this rank's cluster id at level N.
static int wrong_level(int level, int rank, int ranks) {
    char type[32];
    snprintf(type, sizeof type, "eco:level%d", level);
    MPI_Comm part = split(type);
    int own = -1, size = 0;
    if (ECO_Comm_cluster(MPI_COMM_WORLD, rank, level, &own) != MPI_SUCCESS)
        return part != MPI_COMM_NULL;
    if (part == MPI_COMM_NULL) return 1;
    MPI_Comm_size(part, &size);
    MPI_Comm_free(&part);
    return size != members(level, own, ranks, -1);
}

// "eco:host" splits off the ranks of this host.
static int wrong_host(void) {
    char own[MPI_MAX_PROCESSOR_NAME] = "", first[MPI_MAX_PROCESSOR_NAME] = "";
    int length = 0, size = 0, all = 0;
    MPI_Comm host = split("eco:host"), shared;
    if (host == MPI_COMM_NULL) return 1;
    MPI_Get_processor_name(own, &length);
    for (int i = 0; i < length; ++i) first[i] = own[i];
    MPI_Bcast(first, MPI_MAX_PROCESSOR_NAME, MPI_CHAR, 0, host);
    MPI_Comm_size(host, &size);
    MPI_Comm_free(&host);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &shared);
    MPI_Comm_size(shared, &all);
    MPI_Comm_free(&shared);
    return strcmp(own, first) != 0 || size != all;
}

// Rank 1 wants no part; all others are together on "eco:level0".
static int wrong_without_one(int rank, int ranks) {
    MPI_Comm part = split(rank == 1 ? NULL : "eco:level0"), rest;
    int id = 0, size = 0;
    // A type of MPI's own afterwards, without rank 1 too.
    MPI_Comm_split_type(MPI_COMM_WORLD, rank == 1 ? MPI_UNDEFINED : MPI_COMM_TYPE_SHARED, 0,
                        MPI_INFO_NULL, &rest);
    if (rest != MPI_COMM_NULL) MPI_Comm_free(&rest);
    if (rank == 1) return part != MPI_COMM_NULL;
    ECO_Comm_cluster(MPI_COMM_WORLD, rank, 0, &id);
    MPI_Comm_size(part, &size);
    MPI_Comm_free(&part);
    return size != members(0, id, ranks, 1);
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int rank = 0, ranks = 0, wrong = 0, all = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int r = 0; rank == 0 && r < ranks; ++r) {
        int levels = 0, id = 0, leader = 0;
        ECO_Comm_levels(MPI_COMM_WORLD, r, &levels);
        printf("%d:", r);
        for (int level = 0; level < levels; ++level) {
            ECO_Comm_cluster(MPI_COMM_WORLD, r, level, &id);
            ECO_Comm_leader(MPI_COMM_WORLD, r, level, &leader);
            printf(" %d/%d", id, leader);
        }
        printf("\n");
    }
    int id = 0, near = 0, found = 0, size = 0, code = 0;
    ECO_Comm_cluster(MPI_COMM_WORLD, rank, 0, &id);
    code = ECO_Comm_cluster(MPI_COMM_WORLD, rank, 99, &near);
    wrong += code != MPI_ERR_ARG;
    wrong += ECO_Comm_levels(MPI_COMM_WORLD, ranks, &near) != MPI_ERR_RANK;
    wrong += ECO_Comm_cluster(MPI_COMM_WORLD, -1, 0, &near) != MPI_ERR_RANK;
    wrong += ECO_Comm_leader(MPI_COMM_WORLD, ranks, 0, &near) != MPI_ERR_RANK;
    ECO_Comm_nearest(MPI_COMM_SELF, 1, &near, &found);
    wrong += found != 0;
    ECO_Comm_nearest(MPI_COMM_WORLD, 1, &near, &found);
    wrong += found != 1;
    if (argc > 1) {
        MPI_Comm subnet = split("eco:subnet");
        MPI_Comm_size(subnet, &size);
        int* ids = malloc((size_t)size * sizeof *ids);
        MPI_Allgather(&id, 1, MPI_INT, ids, 1, MPI_INT, subnet);
        for (int i = 0; i < size; ++i) wrong += ids[i] != id;
        int near_id = -1;
        ECO_Comm_cluster(MPI_COMM_WORLD, near, 0, &near_id);
        wrong += size > 1 && near_id != id;
        free(ids);
        MPI_Comm_free(&subnet);
        for (int level = 0; level < 6; ++level) wrong += wrong_level(level, rank, ranks);
        wrong += wrong_host();
        wrong += wrong_without_one(rank, ranks);
    }
    MPI_Allreduce(&wrong, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0 && all == 0) puts("all ok");
    MPI_Finalize();
    return all != 0;
}
