// SPDX-License-Identifier: BSD-3-Clause
/* Collectives on communicators of an MPI session: sessions HOW. Each rank ends with "all ok".
       alone   MPI_Init is never called
       around  the session is there before MPI_Init and after MPI_Finalize
       part    the first collective after MPI_Init is on a part of a session's ranks
   With PLAIN it refers to nothing for which ECO would begin in MPI_Init. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "eco.h"

static int wrong;
#define WRONG_IF(bad)                                                                              \
    do {                                                                                           \
        if ((bad) && wrong++ < 10) fprintf(stderr, "sessions.c, line %d: %s\n", __LINE__, #bad);   \
    } while (0)

/* Of the ranks that are in the session's world, all but so many at its end; null in those. */
static MPI_Comm of_session(MPI_Session session, int without, const char* name) {
    MPI_Group all, some;
    MPI_Comm comm = MPI_COMM_NULL;
    int size, rank;
    MPI_Group_from_session_pset(session, "mpi://WORLD", &all);
    MPI_Group_size(all, &size);
    MPI_Group_rank(all, &rank);
    int range[1][3] = {{0, size - 1 - without, 1}};
    MPI_Group_range_incl(all, 1, range, &some);
    if (rank < size - without)
        MPI_Comm_create_from_group(some, name, MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
    MPI_Group_free(&some);
    MPI_Group_free(&all);
    return comm;
}

/* A broadcast, a sum and a gather with each rank as root, that block. */
static void blocking(MPI_Comm comm) {
    static int data[20000], all[100];
    int rank, size;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    for (int root = 0; root < size; root++) {
        const int count = root % 2 ? 5 : 20000;
        int mine = rank + root, sum = 0;
        for (int n = 0; n < count; n++) data[n] = rank == root ? root + n : -1;
        MPI_Bcast(data, count, MPI_INT, root, comm);
        for (int n = 0; n < count; n++) WRONG_IF(data[n] != root + n);
        MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, comm);
        WRONG_IF(sum != size * root + size * (size - 1) / 2);
        MPI_Gather(&mine, 1, MPI_INT, all, 1, MPI_INT, root, comm);
        for (int r = 0; rank == root && r < size; r++) WRONG_IF(all[r] != r + root);
        MPI_Barrier(comm);
    }
}

#ifndef PLAIN
/* Those that do not block, and those that persist. */
static void requests(MPI_Comm comm) {
    int rank, size, data, sum;
    MPI_Request request;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    for (int root = 0; root < size; root++) {
        data = rank == root ? 100 + root : -1;
        MPI_Ibcast(&data, 1, MPI_INT, root, comm, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        WRONG_IF(data != 100 + root);
    }
    MPI_Allreduce_init(&rank, &sum, 1, MPI_INT, MPI_SUM, comm, MPI_INFO_NULL, &request);
    for (int turn = 0; turn < 3; turn++) {
        sum = -1;
        MPI_Start(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        WRONG_IF(sum != size * (size - 1) / 2);
    }
    MPI_Request_free(&request);
}

/* What a program asks of its network. */
static void levels_of(MPI_Comm comm) {
    int rank, levels, nearest[100], found;
    MPI_Comm_rank(comm, &rank);
    WRONG_IF(ECO_Comm_levels(comm, rank, &levels) != MPI_SUCCESS || levels < 0);
    WRONG_IF(ECO_Comm_nearest(comm, 100, nearest, &found) != MPI_SUCCESS);
}
#endif

/* Communicators made of it, one with a topology. */
static void made_of(MPI_Comm comm) {
    int rank, size, one[1] = {0};
    MPI_Comm copy, half, ring;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    MPI_Comm_dup(comm, &copy);
    blocking(copy);
    MPI_Comm_split(copy, rank % 2, rank, &half);
    blocking(half);
    MPI_Cart_create(comm, 1, &size, one, 1, &ring);
    int all[100];
    MPI_Allgather(&rank, 1, MPI_INT, all, 1, MPI_INT, ring);
    int sum = 0;
    for (int r = 0; r < size; r++) sum += all[r];
    WRONG_IF(sum != size * (size - 1) / 2);
    MPI_Comm_free(&ring);
    MPI_Comm_free(&half);
    MPI_Comm_free(&copy);
}

static void everything(MPI_Comm comm) {
    blocking(comm);
    made_of(comm);
#ifndef PLAIN
    requests(comm);
    levels_of(comm);
#endif
    blocking(comm);
}

int main(int argc, char** argv) {
    const char* how = argc > 1 ? argv[1] : "";
    const int part = !strcmp(how, "part");
    int rank = 0, word = 0;
    MPI_Session session;
    if (part) MPI_Init(&argc, &argv);
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    MPI_Comm comm = of_session(session, part, "eco.test");
    if (comm != MPI_COMM_NULL) blocking(comm);
    if (part) {
        /* The last rank comes to no collective before the others are through theirs. */
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        if (comm == MPI_COMM_NULL)
            MPI_Recv(&word, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        else if (rank == 0) {
            int size;
            MPI_Comm_size(MPI_COMM_WORLD, &size);
            MPI_Send(&word, 1, MPI_INT, size - 1, 1, MPI_COMM_WORLD);
        }
        blocking(MPI_COMM_WORLD);
    }
    if (comm != MPI_COMM_NULL) everything(comm);
    if (!strcmp(how, "around")) {
        MPI_Init(&argc, &argv);
        blocking(comm);
        everything(MPI_COMM_WORLD);
        everything(comm);
        MPI_Finalize();
        everything(comm);
    }
    if (comm != MPI_COMM_NULL) MPI_Comm_free(&comm);
    if (part) MPI_Finalize();
    MPI_Session_finalize(&session);
    puts(wrong ? "wrong" : "all ok");
    return wrong != 0;
}
