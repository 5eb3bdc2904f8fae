// SPDX-License-Identifier: BSD-3-Clause
// A halo exchange on a two-dimensional grid, as a stencil code does it: every rank gives each of
// its neighbours one edge of its tile, again and again. Asks MPI to reorder the ranks; knows
// nothing of the network.
//
//     mpirun -n 8 halo [--bytes 16000] [--steps 20] [--periodic] [--no-reorder] [--json]
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void exchange(MPI_Comm grid, char* out, char* in, int bytes) {
    MPI_Request requests[8];
    int count = 0;
    for (int d = 0; d < 2; ++d) {
        int below, above;
        MPI_Cart_shift(grid, d, 1, &below, &above);
        const int sides[2] = {below, above};
        for (int s = 0; s < 2; ++s) {
            const size_t place = (size_t)(2 * d + s) * (size_t)bytes;
            MPI_Irecv(in + place, bytes, MPI_BYTE, sides[s], d, grid, &requests[count++]);
            MPI_Isend(out + place, bytes, MPI_BYTE, sides[s], d, grid, &requests[count++]);
        }
    }
    MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
}

int main(int argc, char** argv) {
    int bytes = 16000, steps = 20, periodic = 0, reorder = 1, json = 0;
    MPI_Init(&argc, &argv);
    for (int i = 1; i < argc; ++i) {
        if (!strcmp(argv[i], "--bytes") && i + 1 < argc)
            bytes = atoi(argv[++i]);
        else if (!strcmp(argv[i], "--steps") && i + 1 < argc)
            steps = atoi(argv[++i]);
        else if (!strcmp(argv[i], "--periodic"))
            periodic = 1;
        else if (!strcmp(argv[i], "--no-reorder"))
            reorder = 0;
        else if (!strcmp(argv[i], "--json"))
            json = 1;
        else {
            fprintf(stderr, "halo: %s is not known; see the head of halo.c\n", argv[i]);
            MPI_Abort(MPI_COMM_WORLD, 2);
        }
    }
    if (bytes < 1 || steps < 1) {
        fprintf(stderr, "halo: --bytes and --steps take a number above 0\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    int ranks = 0, rank = 0, dims[2] = {0, 0};
    const int periods[2] = {periodic, periodic};
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Dims_create(ranks, 2, dims);
    MPI_Comm grid;
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, reorder, &grid);
    MPI_Comm_rank(grid, &rank);
    char* out = calloc(8, (size_t)bytes);
    char* in = out + 4 * (size_t)bytes;
    exchange(grid, out, in, bytes);
    MPI_Barrier(grid);
    const double start = MPI_Wtime();
    for (int step = 0; step < steps; ++step) exchange(grid, out, in, bytes);
    double own = (MPI_Wtime() - start) / steps, slowest = 0;
    MPI_Reduce(&own, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, grid);
    if (rank == 0 && json)
        printf("{\"ranks\": %d, \"grid\": [%d, %d], \"bytes\": %d, \"exchange_s\": %.6f}\n", ranks,
               dims[0], dims[1], bytes, slowest);
    else if (rank == 0)
        printf("%d ranks, %d x %d, %d bytes a side: %.3f ms for an exchange\n", ranks, dims[0],
               dims[1], bytes, 1e3 * slowest);
    free(out);
    MPI_Comm_free(&grid);
    MPI_Finalize();
    return 0;
}
