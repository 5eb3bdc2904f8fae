// SPDX-License-Identifier: BSD-3-Clause
// sanitized [fault]: collectives of a heap buffer; with a word, reads behind it.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { count = 3000 };

int main(int argc, char** argv) {
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int* own = malloc(count * sizeof(int));
    int* sum = malloc(count * sizeof(int));
    for (int call = 0; call < 20; ++call) {
        for (int i = 0; i < count; ++i) own[i] = rank + 1;
        MPI_Allreduce(own, sum, count, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        MPI_Bcast(own, count, MPI_INT, call % ranks, MPI_COMM_WORLD);
    }
    printf("sum %d of %d\n", sum[argc > 1 ? count : 7], ranks);
    fflush(stdout);
    free(own);
    free(sum);
    return MPI_Finalize();
}
