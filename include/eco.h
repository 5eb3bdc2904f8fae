/* What ECO knows of the network, for programs that want to know it. A program that uses this needs
 * ECO neither to link nor to run: without it, all ranks are in one cluster of one level.
 *
 * Level 0 is the widest (between sites, say); each next one divides its clusters further; the last
 * ones are the host, its packages, NUMA nodes and shared caches (for ranks that are bound to one,
 * as hwloc knows it) and the rank itself, where they divide anything. Ranks may differ in how many
 * levels they have. All calls are local and return MPI_SUCCESS or an MPI error code. */
#ifndef ECO_H
#define ECO_H

#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Of ECO's preloaded object; null where there is none. Use the functions below. */
extern int eco_comm_levels(MPI_Comm comm, int rank, int* levels) __attribute__((weak));
extern int eco_comm_cluster(MPI_Comm comm, int rank, int level, int* cluster) __attribute__((weak));
extern int eco_comm_leader(MPI_Comm comm, int rank, int level, int* leader) __attribute__((weak));
extern int eco_comm_nearest(MPI_Comm comm, int count, int ranks[], int* found)
    __attribute__((weak));

/* How many levels `rank` of comm has a cluster at; 1 or more. */
static inline int ECO_Comm_levels(MPI_Comm comm, int rank, int* levels) {
    if (eco_comm_levels) return eco_comm_levels(comm, rank, levels);
    *levels = 1;
    return MPI_SUCCESS;
}

/* The id of its cluster at a level, the same for all ranks in it. MPI_ERR_ARG: it has no such
 * level. */
static inline int ECO_Comm_cluster(MPI_Comm comm, int rank, int level, int* cluster) {
    if (eco_comm_cluster) return eco_comm_cluster(comm, rank, level, cluster);
    *cluster = 0;
    return level == 0 ? MPI_SUCCESS : MPI_ERR_ARG;
}

/* The rank that speaks for its cluster at a level: the same for all ranks in it. */
static inline int ECO_Comm_leader(MPI_Comm comm, int rank, int level, int* leader) {
    if (eco_comm_leader) return eco_comm_leader(comm, rank, level, leader);
    *leader = 0;
    return level == 0 ? MPI_SUCCESS : MPI_ERR_ARG;
}

/* The ranks nearest to the calling one, nearest first, `count` at most; how many in `found`. */
static inline int ECO_Comm_nearest(MPI_Comm comm, int count, int ranks[], int* found) {
    int size, me, i;
    if (eco_comm_nearest) return eco_comm_nearest(comm, count, ranks, found);
    MPI_Comm_size(comm, &size);
    MPI_Comm_rank(comm, &me);
    for (i = 1, *found = 0; i < size && *found < count; ++i) ranks[(*found)++] = (me + i) % size;
    return MPI_SUCCESS;
}

#ifdef __cplusplus
}
#endif

#endif
