// SPDX-License-Identifier: BSD-3-Clause
/* Prints the host of every rank in rank order, then what rank 0 reads; ends with the code given. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
    int rank, size, length;
    char name[MPI_MAX_PROCESSOR_NAME] = "";
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Get_processor_name(name, &length);
    char* names = malloc((size_t)size * sizeof name);
    MPI_Gather(name, sizeof name, MPI_CHAR, names, sizeof name, MPI_CHAR, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        long bytes = 0;
        while (getchar() != EOF) ++bytes;
        for (int i = 0; i < size; ++i) printf("%s ", names + (size_t)i * sizeof name);
        printf("\n%ld %s\n", bytes, getenv("ECO_LIBMPI") ? getenv("ECO_LIBMPI") : "-");
    }
    MPI_Finalize();
    return argc > 1 ? atoi(argv[1]) : 0;
}
