// SPDX-License-Identifier: BSD-3-Clause
/* The card of one host goes down while the ranks are inside collectives over all cards.
       mpirun -n 4 rail_down INTERFACE fatal|return */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char** argv) {
    enum { bytes = 200000, most = 64 };
    static char block[bytes], all[most * (size_t)bytes];
    char command[200];
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (argc < 3 || size > most) MPI_Abort(MPI_COMM_WORLD, 2);
    if (!strcmp(argv[2], "return")) MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    snprintf(command, sizeof command, "ip link set %s down", argv[1]);
    for (int turn = 0; turn < 40; turn++) {
        if (turn == 5) MPI_Barrier(MPI_COMM_WORLD); /* senders may be turns ahead of the root */
        if (turn == 5 && rank == size - 1 && system(command)) MPI_Abort(MPI_COMM_WORLD, 3);
        for (int i = 0; i < bytes; i++) block[i] = (char)(rank + turn + i);
        MPI_Gather(block, bytes, MPI_CHAR, all, bytes, MPI_CHAR, 0, MPI_COMM_WORLD);
        for (size_t i = 0; rank == 0 && i < (size_t)size * bytes; i++)
            if (all[i] != (char)(i / bytes + turn + i % bytes)) {
                printf("wrong data\n");
                MPI_Abort(MPI_COMM_WORLD, 4);
            }
        if (turn == 4 && rank == 0) printf("under way\n");
        fflush(stdout);
    }
    if (rank == 0) printf("came to the end\n");
    MPI_Finalize();
    return 0;
}
