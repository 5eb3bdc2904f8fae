// SPDX-License-Identifier: BSD-3-Clause
/* A profiling tool, as users load one above the MPI library: it counts two calls and passes them on
   by their PMPI names. With ECO below it must count the same, and ECO must still get the calls.
   Loaded before ECO's object: LD_PRELOAD="profiler.so libeco-….so". */
#include <mpi.h>
#include <stdio.h>

static int bcasts, allreduces;

int MPI_Bcast(void* data, int count, MPI_Datatype type, int root, MPI_Comm comm) {
    bcasts++;
    return PMPI_Bcast(data, count, type, root, comm);
}

int MPI_Allreduce(const void* mine, void* result, int count, MPI_Datatype type, MPI_Op op,
                  MPI_Comm comm) {
    allreduces++;
    return PMPI_Allreduce(mine, result, count, type, op, comm);
}

int MPI_Finalize(void) {
    int rank;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) printf("profiler: %d bcast, %d allreduce\n", bcasts, allreduces);
    fflush(stdout);
    return PMPI_Finalize();
}
