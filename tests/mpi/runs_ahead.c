// SPDX-License-Identifier: BSD-3-Clause
/* Broadcasts from rank 0, which does nothing else and runs ahead of the others. Word: how many. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int words, char** word) {
    int rank, call, value, wrong = 0, all = 0;
    const int calls = words > 1 ? atoi(word[1]) : 300;
    MPI_Init(&words, &word);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (call = 0; call < calls; ++call) {
        value = rank == 0 ? call : -1;
        MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD);
        wrong += value != call;
        if (rank != 0) usleep(1000);
    }
    MPI_Reduce(&wrong, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) printf("%s\n", all ? "WRONG" : "all ok");
    MPI_Finalize();
    return 0;
}
