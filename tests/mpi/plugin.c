/* SPDX-License-Identifier: BSD-3-Clause
 * What a program loads that knows nothing of MPI itself: see loads.c. */
#include <mpi.h>
#include <stddef.h>

int run(void) {
    int rank, size, sum = 0, data[100], wrong = 0;
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int root = 0; root < size; root++) {
        for (int n = 0; n < 100; n++) data[n] = rank == root ? root + n : -1;
        MPI_Bcast(data, 100, MPI_INT, root, MPI_COMM_WORLD);
        for (int n = 0; n < 100; n++) wrong += data[n] != root + n;
    }
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    wrong += sum != size * (size - 1) / 2;
    MPI_Finalize();
    return wrong;
}
