// SPDX-License-Identifier: BSD-3-Clause
// alive COUNT: keeps COUNT communicators alive, each with collectives on it; prints "all ok".
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    const int count = argc > 1 ? atoi(argv[1]) : 100;
    MPI_Comm* comms = malloc((size_t)count * sizeof *comms);
    int rank = 0, ranks = 0, wrong = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int i = 0; i < count; ++i) {
        MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
        int word = rank == 0 ? i : -1, sum = 0;
        MPI_Bcast(&word, 1, MPI_INT, 0, comms[i]);
        MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comms[i]);
        wrong += word != i || sum != ranks * (ranks - 1) / 2;
    }
    for (int i = 0; i < count; ++i) MPI_Comm_free(&comms[i]);
    // What was given back can be had again.
    MPI_Comm last;
    MPI_Comm_dup(MPI_COMM_WORLD, &last);
    MPI_Barrier(last);
    MPI_Comm_free(&last);
    MPI_Finalize();
    if (wrong) return 1;
    if (rank == 0) puts("all ok");
    free(comms);
    return 0;
}
