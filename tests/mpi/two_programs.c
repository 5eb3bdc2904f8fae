// SPDX-License-Identifier: BSD-3-Clause
/* A job of two programs, of which the one with -DNAMES names non-blocking collectives.
   wait         it is on rank 0, and the other waits for its message before any collective on all
                ranks
   late S       the same, but the other first sleeps for S seconds, and then calls one
   group        it is on all ranks but 0: of a communicator that no collective on all ranks made,
                rank 1 calls one before the first collective on all ranks, the others after it */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int rank, size, value = 42;

#ifdef NAMES
static void one_way(MPI_Comm comm, int root) {
    MPI_Request request;
    MPI_Ibcast(&value, 1, MPI_INT, root, comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void in_a_group(void) {
    MPI_Group all, some;
    MPI_Comm comm;
    MPI_Request request;
    const int first = 0;
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_excl(all, 1, &first, &some);
    MPI_Comm_create_group(MPI_COMM_WORLD, some, 0, &comm);
    if (rank == 1) MPI_Ibcast(&value, 1, MPI_INT, 0, comm, &request);
    MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (rank != 1) MPI_Ibcast(&value, 1, MPI_INT, 0, comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int i = 0; i < 3; ++i) {
        int sum = rank;
        MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_SUM, comm);
        if (sum != size * (size - 1) / 2) MPI_Abort(MPI_COMM_WORLD, 3);
        one_way(comm, size - 2);
    }
    MPI_Comm_free(&comm);
}

static void apart(void) {
    one_way(MPI_COMM_SELF, 0);
    for (int other = 1; other < size; ++other)
        MPI_Send(&value, 1, MPI_INT, other, 0, MPI_COMM_WORLD);
}
#else
static void in_a_group(void) { MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD); }

static void apart(void) { MPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); }
#endif

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (argc > 2) {
#ifndef NAMES
        sleep((unsigned)atoi(argv[2]));
#endif
        MPI_Barrier(MPI_COMM_WORLD);
    }
    if (argc > 1 && strcmp(argv[1], "group") == 0)
        in_a_group();
    else
        apart();
    MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0) printf("sum %d of %d ranks\n", value, size);
    MPI_Finalize();
    return 0;
}
