// SPDX-License-Identifier: BSD-3-Clause
/* Collectives whose results each rank writes to a file of its own in the folder that is named,
   reads back and sends on. Prints a hash of all: the same whoever watches. */
#include <fcntl.h>
#include <mpi.h>
#include <string.h>

#include "require.h"

enum { length = 3000, rounds = 5 };

int main(int count, char** words) {
    MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    REQUIRE(count == 2);
    char path[1000];
    snprintf(path, sizeof path, "%s/written-%d", words[1], rank);
    double mine[length], sum[length], back[length];
    for (int round = 0; round < rounds; round++) {
        for (int i = 0; i < length; i++) mine[i] = rank * 100 + round * 10 + i % 7;
        MPI_Allreduce(mine, sum, length, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        int file = open(path, O_CREAT | O_TRUNC | O_WRONLY, 0600);
        REQUIRE(file >= 0 && write(file, sum, sizeof sum) == (ssize_t)sizeof sum);
        close(file);
        file = open(path, O_RDONLY);
        REQUIRE(file >= 0 && read(file, back, sizeof back) == (ssize_t)sizeof back);
        close(file);
        REQUIRE(memcmp(sum, back, sizeof sum) == 0);
        MPI_Bcast(back, length, MPI_DOUBLE, round % ranks, MPI_COMM_WORLD);
        digest(back, sizeof back);
    }
    unlink(path);
    if (rank == 0) printf("ok writes %016llx\n", (unsigned long long)hash);
    MPI_Finalize();
    return 0;
}
