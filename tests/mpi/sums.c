// SPDX-License-Identifier: BSD-3-Clause
// sums CALLS DOUBLES…: prints for each length one hash of the bits of floating-point sums, made so
// that another order of the summands gives other bits, and of the greatest of NaNs and zeros.
#include <math.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t hash(const void* data, size_t bytes) {
    const unsigned char* byte = data;
    uint64_t hash = 14695981039346656037ull;
    for (size_t i = 0; i < bytes; i++) hash = (hash ^ byte[i]) * 1099511628211ull;
    return hash;
}

// The same on all ranks, of what all ranks have.
static uint64_t of_all(uint64_t own, int rank) {
    uint64_t all = 0;
    own *= 2 * (uint64_t)rank + 1;
    MPI_Allreduce(&own, &all, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    return all;
}

static double power_of_ten(int exponent) {
    double power = 1;
    while (exponent-- > 0) power *= 10;
    return power;
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int rank, ranks;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const int calls = atoi(argv[1]);
    for (int arg = 2; arg < argc; arg++) {
        const int count = atoi(argv[arg]);
        const size_t bytes = (size_t)count * sizeof(double);
        double *own = malloc(bytes), *sum = malloc(bytes), *first = malloc(bytes);
        double* blocks = malloc(bytes * (size_t)ranks);
        uint64_t found[5] = {0, 0, 0, 0, 0};
        int changes = 0;
        srand48(1000 * rank + count);
        for (int i = 0; i < count; i++)
            own[i] = (drand48() - 0.5) * power_of_ten((rank * 7 + i) % 13);
        for (int call = 0; call < calls; call++) {
            MPI_Allreduce(own, sum, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
            if (call == 0) memcpy(first, sum, bytes);
            changes += memcmp(first, sum, bytes) != 0;
            found[0] = hash(sum, bytes);
            memset(sum, 0, bytes);
            MPI_Reduce(own, sum, count, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
            found[1] = hash(sum, bytes);
            MPI_Scan(own, sum, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
            found[2] = hash(sum, bytes);
            for (int block = 0; block < ranks; block++) memcpy(blocks + block * count, own, bytes);
            MPI_Reduce_scatter_block(blocks, sum, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
            found[3] = hash(sum, bytes);
        }
        for (int i = 0; i < count; i++) own[i] = i % 2 ? NAN : (i + rank) % 4 ? -0.0 : 0.0;
        for (int call = 0; call < calls; call++)
            MPI_Allreduce(own, sum, count, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
        found[4] = hash(sum, bytes);
        uint64_t all[5];
        for (int i = 0; i < 5; i++) all[i] = of_all(found[i], rank);
        changes = (int)of_all((uint64_t)changes, rank);
        if (rank == 0)
            printf(
                "sums %d: allreduce %016llx reduce %016llx scan %016llx reduce_scatter %016llx "
                "max %016llx%s\n",
                count, (unsigned long long)all[0], (unsigned long long)all[1],
                (unsigned long long)all[2], (unsigned long long)all[3], (unsigned long long)all[4],
                changes ? " changed within the job" : "");
        free(own), free(sum), free(first), free(blocks);
    }
    MPI_Finalize();
    return 0;
}
