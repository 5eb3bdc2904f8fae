/* SPDX-License-Identifier: BSD-3-Clause
 * A library that makes a communicator of its own and calls nothing on it but collectives that do
 * not block, as PETSc's pipelined solvers do: see loads.c. */
#include <mpi.h>
#include <stddef.h>

int run(void) {
    int rank, size, wrong = 0;
    MPI_Comm own;
    MPI_Init(NULL, NULL);
    MPI_Comm_dup(MPI_COMM_WORLD, &own);
    MPI_Comm_rank(own, &rank);
    MPI_Comm_size(own, &size);
    for (int step = 0; step < 20; step++) {
        int value = rank + step, sum = 0;
        MPI_Request request;
        MPI_Iallreduce(&value, &sum, 1, MPI_INT, MPI_SUM, own, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        wrong += sum != size * (size - 1) / 2 + size * step;
    }
    MPI_Comm_free(&own);
    MPI_Finalize();
    return wrong;
}
