// SPDX-License-Identifier: BSD-3-Clause
/* Collectives on two communicators from two threads at once; needs --threads. */
#include <pthread.h>
#include <stdlib.h>

#include "check.h"
#include "sections.h"

typedef struct {
    MPI_Comm comm;
    int seed;
} Work;

static void require(int condition, int line) {
    if (!condition) fail(__FILE__, line, "wrong result in a thread");
}

static void* rounds(void* argument) {
    const Work* work = argument;
    enum { most = 3000 };
    int rank, size, *data = malloc(most * sizeof(int));
    MPI_Comm_rank(work->comm, &rank);
    MPI_Comm_size(work->comm, &size);
    int* all = malloc((size_t)size * sizeof(int));
    for (int turn = 0; turn < 40; turn++) {
        int count = turn % 4 == 0 ? most : 5, root = turn % size, mine = rank * work->seed, sum = 0;
        for (int n = 0; n < count; n++) data[n] = rank == root ? work->seed * turn + n : 0;
        MPI_Bcast(data, count, MPI_INT, root, work->comm);
        for (int n = 0; n < count; n++) require(data[n] == work->seed * turn + n, __LINE__);
        MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, work->comm);
        require(sum == work->seed * size * (size - 1) / 2, __LINE__);
        MPI_Allgather(&mine, 1, MPI_INT, all, 1, MPI_INT, work->comm);
        for (int r = 0; r < size; r++) require(all[r] == work->seed * r, __LINE__);
        if (turn % 10 ==
            0) { /* a communicator is made, used and freed while the other thread works */
            MPI_Comm other;
            MPI_Comm_split(work->comm, 0, -rank, &other);
            MPI_Scan(&mine, &sum, 1, MPI_INT, MPI_SUM, other);
            require(sum == work->seed * (size - rank) * (size - 1 + rank) / 2, __LINE__);
            MPI_Comm_free(&other);
        }
        MPI_Barrier(work->comm);
    }
    free(all);
    free(data);
    return NULL;
}

void section_threads(void) {
    int provided;
    MPI_Query_thread(&provided);
    doing("two threads");
    if (provided != MPI_THREAD_MULTIPLE) return;
    Work work[2] = {{MPI_COMM_NULL, 3}, {MPI_COMM_NULL, 5}};
    MPI_Comm_dup(MPI_COMM_WORLD, &work[0].comm);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &work[1].comm);
    pthread_t thread;
    REQUIRE(pthread_create(&thread, NULL, rounds, &work[1]) == 0);
    rounds(&work[0]);
    pthread_join(thread, NULL);
    MPI_Comm_free(&work[0].comm);
    MPI_Comm_free(&work[1].comm);
}
