/* SPDX-License-Identifier: BSD-3-Clause */
/* Topology queries for programs, and several multicasts in one call.
 * A program that uses this needs ECO neither to link nor to run: without it, all ranks are in one
 * cluster of one level, and messages go directly from each source to each destination.
 *
 * Level 0 is the widest (for example between sites); each next level divides its clusters further.
 * The last levels are the host, its packages, NUMA nodes and shared caches (by hwloc, for ranks
 * that are bound to one) and the rank itself; a level that divides nothing is left out. Ranks may
 * have different numbers of levels. All calls but ECO_Multicast are local. All return MPI_SUCCESS
 * or an MPI error code. Functions that are looked up by name at run time (dlsym), and all with
 * ECO_BEGIN=later, answer as without ECO until the first collective on MPI_COMM_WORLD, or the first
 * communicator made of it. */
#ifndef ECO_H
#define ECO_H

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Defined by ECO's preload object, else null. Use the functions below. */
extern int eco_comm_levels(MPI_Comm comm, int rank, int* levels) __attribute__((weak));
extern int eco_comm_cluster(MPI_Comm comm, int rank, int level, int* cluster) __attribute__((weak));
extern int eco_comm_leader(MPI_Comm comm, int rank, int level, int* leader) __attribute__((weak));
extern int eco_comm_nearest(MPI_Comm comm, int count, int ranks[], int* found)
    __attribute__((weak));
extern int eco_multicast(int count, const int sources[], const MPI_Aint bytes[],
                         const int degrees[], const int destinations[], void* const buffers[],
                         MPI_Comm comm, int* taken) __attribute__((weak));

static inline int eco_check_rank(MPI_Comm comm, int rank) {
    int size;
    MPI_Comm_size(comm, &size);
    return rank >= 0 && rank < size ? MPI_SUCCESS : MPI_ERR_RANK;
}

/* On how many levels `rank` of comm is in a cluster; 1 or more. MPI_ERR_RANK: comm has no such
 * rank. */
static inline int ECO_Comm_levels(MPI_Comm comm, int rank, int* levels) {
    if (eco_comm_levels) return eco_comm_levels(comm, rank, levels);
    *levels = 1;
    return eco_check_rank(comm, rank);
}

/* The id of its cluster on a level, the same for all ranks in it. MPI_ERR_RANK as above;
 * MPI_ERR_ARG: it has no such level. */
static inline int ECO_Comm_cluster(MPI_Comm comm, int rank, int level, int* cluster) {
    if (eco_comm_cluster) return eco_comm_cluster(comm, rank, level, cluster);
    *cluster = 0;
    return level == 0 ? eco_check_rank(comm, rank) : MPI_ERR_ARG;
}

/* The leader of its cluster on a level: one rank, the same for all ranks in the cluster. */
static inline int ECO_Comm_leader(MPI_Comm comm, int rank, int level, int* leader) {
    if (eco_comm_leader) return eco_comm_leader(comm, rank, level, leader);
    *leader = 0;
    return level == 0 ? eco_check_rank(comm, rank) : MPI_ERR_ARG;
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

/* What is wrong with one message of ECO_Multicast; last[r]: the latest message to rank r, or -1. */
static inline int eco_multicast_check_one(int ranks, int m, int source, MPI_Aint bytes, int degree,
                                          const int destinations[], int last[], char* why,
                                          size_t room) {
    int d;
    if (source < 0 || source >= ranks) {
        snprintf(why, room, "message %d: its source, %d, is not a rank of the communicator", m,
                 source);
        return MPI_ERR_RANK;
    }
    if (bytes < 0 || degree < 0) {
        snprintf(why, room, "message %d: %ld bytes to %d ranks; give 0 or more of both", m,
                 (long)bytes, degree);
        return MPI_ERR_COUNT;
    }
    for (d = 0; d < degree; ++d) {
        const int to = destinations[d];
        if (to < 0 || to >= ranks) {
            snprintf(why, room, "message %d: %d is not a rank of the communicator", m, to);
            return MPI_ERR_RANK;
        }
        if (to == source) {
            snprintf(why, room, "message %d: rank %d is its source and a destination", m, to);
            return MPI_ERR_ARG;
        }
        if (last[to] == m) {
            snprintf(why, room, "message %d: destination %d is named twice", m, to);
            return MPI_ERR_ARG;
        }
        last[to] = m;
    }
    return MPI_SUCCESS;
}

/* What is wrong with the arguments of ECO_Multicast: an MPI error code, and a sentence. */
static inline int eco_multicast_check(int ranks, int count, const int sources[],
                                      const MPI_Aint bytes[], const int degrees[],
                                      const int destinations[], char* why, size_t room) {
    int code = MPI_SUCCESS, m, rank;
    int* last;
    if (count < 0) {
        snprintf(why, room, "a count of %d messages; give 0 or more", count);
        return MPI_ERR_COUNT;
    }
    last = (int*)malloc((size_t)ranks * sizeof *last);
    if (!last) {
        snprintf(why, room, "out of memory for %d numbers", ranks);
        return MPI_ERR_NO_MEM;
    }
    for (rank = 0; rank < ranks; ++rank) last[rank] = -1;
    for (m = 0; m < count; ++m) {
        code = eco_multicast_check_one(ranks, m, sources[m], bytes[m], degrees[m], destinations,
                                       last, why, room);
        if (code != MPI_SUCCESS) break;
        destinations += degrees[m];
    }
    free(last);
    return code;
}

/* Each message directly to each destination, on a communicator of its own. */
static inline int eco_multicast_straight(int count, const int sources[], const MPI_Aint bytes[],
                                         const int degrees[], const int destinations[],
                                         void* const buffers[], MPI_Comm comm) {
    const MPI_Aint most = (MPI_Aint)1 << 30;
    MPI_Comm own;
    MPI_Request* requests;
    MPI_Aint at, part;
    int me, m, d, code, waiting = 0, room = 0, size;
    char why[160];
    MPI_Comm_size(comm, &size);
    MPI_Comm_rank(comm, &me);
    code = eco_multicast_check(size, count, sources, bytes, degrees, destinations, why, sizeof why);
    if (code != MPI_SUCCESS) {
        fprintf(stderr, "ECO_Multicast: %s\n", why);
        MPI_Comm_call_errhandler(comm, code);
        return code;
    }
    for (m = 0; m < count; ++m) room += (int)(bytes[m] / most + 1) * degrees[m];
    requests = (MPI_Request*)malloc(((size_t)room + 1) * sizeof *requests);
    if (!requests) return MPI_ERR_NO_MEM;
    code = MPI_Comm_dup(comm, &own);
    for (m = 0; code == MPI_SUCCESS && m < count; destinations += degrees[m], ++m)
        for (d = 0; d < degrees[m]; ++d)
            for (at = 0; code == MPI_SUCCESS && at < bytes[m]; at += part) {
                char* data = (char*)buffers[m] + at;
                part = bytes[m] - at < most ? bytes[m] - at : most;
                if (me == sources[m])
                    code = MPI_Isend(data, (int)part, MPI_BYTE, destinations[d], 0, own,
                                     &requests[waiting++]);
                else if (me == destinations[d])
                    code = MPI_Irecv(data, (int)part, MPI_BYTE, sources[m], 0, own,
                                     &requests[waiting++]);
                else
                    break;
            }
    if (code == MPI_SUCCESS) code = MPI_Waitall(waiting, requests, MPI_STATUSES_IGNORE);
    if (code == MPI_SUCCESS) code = MPI_Comm_free(&own);
    free(requests);
    return code;
}

/* Sends `count` messages at once, message m of bytes[m] bytes from rank sources[m] to degrees[m]
 * destinations; these follow each other in `destinations`, those of message 0 first. Collective
 * over comm: all ranks give the same arguments. buffers[m] is the send buffer of message m at its
 * source and the receive buffer at a destination (which may forward it from there); elsewhere it is
 * not used. Buffers must not overlap. A schedule for the network is planned when these arguments
 * are used for the first time; only sources and destinations of a message receive it. Bytes are not
 * converted between kinds of machines.
 * MPI_ERR_COUNT: something negative. MPI_ERR_RANK: no rank of comm. MPI_ERR_ARG: a source among
 * its own destinations, or a destination named twice. Then a sentence on stderr says which, comm's
 * error handler is called, and nothing has been sent. */
static inline int ECO_Multicast(int count, const int sources[], const MPI_Aint bytes[],
                                const int degrees[], const int destinations[],
                                void* const buffers[], MPI_Comm comm) {
    int taken = 0, code = MPI_SUCCESS;
    if (eco_multicast)
        code = eco_multicast(count, sources, bytes, degrees, destinations, buffers, comm, &taken);
    if (taken || code != MPI_SUCCESS) return code;
    return eco_multicast_straight(count, sources, bytes, degrees, destinations, buffers, comm);
}

#ifdef __cplusplus
}
#endif

#endif
