// SPDX-License-Identifier: BSD-3-Clause
/* All-to-alls with blocks of as many bytes as each word says; checks what arrives. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char** argv) {
    int rank, ranks, word, other, wrong = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (word = 1; word < argc; ++word) {
        const int bytes = atoi(argv[word]);
        const size_t all = (size_t)bytes * (size_t)ranks;
        char *in = malloc(all), *out = malloc(all);
        for (other = 0; other < ranks; ++other)
            memset(in + (size_t)other * (size_t)bytes, 16 * rank + other, (size_t)bytes);
        MPI_Alltoall(in, bytes, MPI_CHAR, out, bytes, MPI_CHAR, MPI_COMM_WORLD);
        for (other = 0; other < ranks; ++other) {
            const char* block = out + (size_t)other * (size_t)bytes;
            const char want = (char)(16 * other + rank);
            wrong += block[0] != want || block[bytes / 2] != want || block[bytes - 1] != want;
        }
        free(in);
        free(out);
    }
    MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0) printf(wrong ? "wrong\n" : "all ok\n");
    MPI_Finalize();
    return wrong != 0;
}
