// SPDX-License-Identifier: BSD-3-Clause
// in_parts ROUNDS: sums of two lengths in turn, and the same in communicators of half of the ranks,
// made before and in the middle.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { most = 2000 };

static double own[most], sum[most];

static void add_up(MPI_Comm comm) {
    MPI_Allreduce(own, sum, 2, MPI_DOUBLE, MPI_SUM, comm);
    MPI_Allreduce(own, sum, most, MPI_DOUBLE, MPI_SUM, comm);
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    const int rounds = argc > 1 ? atoi(argv[1]) : 12;
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < most; i++) own[i] = rank + i;
    MPI_Comm part, late;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &part);
    for (int round = 0; round < rounds; round++) {
        add_up(MPI_COMM_WORLD);
        add_up(part);
    }
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &late);
    for (int round = 0; round < rounds; round++) add_up(late);
    MPI_Comm_free(&part);
    MPI_Comm_free(&late);
    MPI_Finalize();
    return 0;
}
