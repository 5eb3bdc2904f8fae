// SPDX-License-Identifier: BSD-3-Clause
/* A job of two programs. The one with -DNAMES, on rank 0, names a non-blocking collective, which it
   calls on MPI_COMM_SELF; the other waits for its message before any collective on all ranks.
   With an argument, the other first sleeps for so many seconds, and then calls one. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char** argv) {
    int rank, size, value = 42;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (argc > 1) {
#ifndef NAMES
        sleep((unsigned)atoi(argv[1]));
#endif
        MPI_Barrier(MPI_COMM_WORLD);
    }
#ifdef NAMES
    MPI_Request request;
    MPI_Ibcast(&value, 1, MPI_INT, 0, MPI_COMM_SELF, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int other = 1; other < size; ++other)
        MPI_Send(&value, 1, MPI_INT, other, 0, MPI_COMM_WORLD);
#else
    MPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
#endif
    MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0) printf("sum %d of %d ranks\n", value, size);
    MPI_Finalize();
    return 0;
}
