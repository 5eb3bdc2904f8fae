// SPDX-License-Identifier: BSD-3-Clause
/* One rank dies while the others are inside collectives: the job must end as it does natively.
       mpirun -n 4 dies exit|abort|kill|segfault [RANK] */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void die(const char* how) {
    usleep(300000); /* a launcher that ends a job may drop what was printed just before */
    if (!strcmp(how, "exit")) _exit(7);
    if (!strcmp(how, "abort")) MPI_Abort(MPI_COMM_WORLD, 7);
    if (!strcmp(how, "kill")) kill(getpid(), SIGKILL);
    if (!strcmp(how, "segfault")) raise(SIGSEGV);
}

int main(int argc, char** argv) {
    enum { words = 20000 };
    static int data[words], sum[words];
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int doomed = argc > 2 ? atoi(argv[2]) : size - 1;
    if (argc < 2) MPI_Abort(MPI_COMM_WORLD, 2);
    for (int turn = 0; turn < 100; turn++) {
        if (turn == 3 && rank == doomed) die(argv[1]);
        MPI_Bcast(data, words, MPI_INT, turn % size, MPI_COMM_WORLD);
        MPI_Allreduce(data, sum, words, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        if (turn == 2 && rank == 0) printf("under way\n");
        fflush(stdout);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    printf("rank %d came to the end\n", rank);
    MPI_Finalize();
    return 0;
}
