// SPDX-License-Identifier: BSD-3-Clause
/* Broadcasts and allgathers on a communicator of the first ranks alone, as rows and columns of
 * grids have: checks every result, and prints how long the last calls took. Words: number of ranks,
 * bytes, calls of each. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int count, char** words) {
    int rank, first, members, bytes, calls, call, i, size, wrong = 0;
    double took[2] = {0, 0};
    MPI_Comm comm;
    MPI_Init(&count, &words);
    if (count < 5) MPI_Abort(MPI_COMM_WORLD, 2);
    first = atoi(words[1]), members = atoi(words[2]), bytes = atoi(words[3]),
    calls = atoi(words[4]);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_split(MPI_COMM_WORLD, rank >= first && rank < first + members ? 0 : MPI_UNDEFINED,
                   rank, &comm);
    if (comm != MPI_COMM_NULL) {
        char *own = malloc((size_t)bytes), *all;
        MPI_Comm_size(comm, &size);
        MPI_Comm_rank(comm, &rank);
        all = malloc((size_t)bytes * (size_t)size);
        for (call = 0; call < calls; ++call) {
            double began = MPI_Wtime();
            memset(own, rank == call % size ? call % 100 : 111, (size_t)bytes);
            MPI_Bcast(own, bytes, MPI_BYTE, call % size, comm);
            wrong += own[0] != call % 100 || own[bytes - 1] != call % 100;
            MPI_Barrier(comm);
            if (call >= calls / 2) took[0] += MPI_Wtime() - began;
            began = MPI_Wtime();
            memset(own, rank + call % 50, (size_t)bytes);
            MPI_Allgather(own, bytes, MPI_BYTE, all, bytes, MPI_BYTE, comm);
            for (i = 0; i < size; ++i)
                wrong +=
                    all[(i + 1) * bytes - 1] != i + call % 50 || all[i * bytes] != i + call % 50;
            MPI_Barrier(comm);
            if (call >= calls / 2) took[1] += MPI_Wtime() - began;
        }
        if (rank == 0)
            printf("bcast %.3f ms, allgather %.3f ms\n", 1e3 * took[0] / (calls - calls / 2),
                   1e3 * took[1] / (calls - calls / 2));
        free(own), free(all);
        MPI_Comm_free(&comm);
    }
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0) puts(wrong == 0 ? "all ok" : "wrong results");
    MPI_Finalize();
    return wrong != 0;
}
