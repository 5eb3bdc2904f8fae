// SPDX-License-Identifier: BSD-3-Clause
// Milliseconds that starting takes, the slowest rank's: MPI_Init, and from its call to the end of a
// first, second and third barrier. Rank 0 prints them as one JSON line.
#include <mpi.h>
#include <stdio.h>
#include <time.h>

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return 1e3 * (double)time.tv_sec + 1e-6 * (double)time.tv_nsec;
}

int main(int argc, char** argv) {
    double times[4], all[4];
    int rank;
    const double start = now();
    MPI_Init(&argc, &argv);
    times[0] = now() - start;
    for (int i = 1; i < 4; ++i) {
        MPI_Barrier(MPI_COMM_WORLD);
        times[i] = now() - start;
    }
    MPI_Reduce(times, all, 4, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        printf("{\"init\": %.2f, \"first\": %.2f, \"second\": %.2f, \"third\": %.2f}\n", all[0],
               all[1], all[2], all[3]);
    MPI_Finalize();
    return 0;
}
