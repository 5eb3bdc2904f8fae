// SPDX-License-Identifier: BSD-3-Clause
/* Calls that return while their messages are still under way over a long way: what was given is
 * changed, freed and sent again at once, communicators go at once, and what a rank has sent arrives
 * though it calls MPI no more. Prints the longest that a rank waited for a root that slept. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { most = 20000, sleeps = 1 };

static int me, size;

static void fail(const char* what, int round) {
    fprintf(stderr, "rank %d: %s is wrong in round %d\n", me, what, round);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static void broadcast(MPI_Comm comm, int round) {
    const int bytes = 1 + (round * 977) % most, root = round % size;
    char* data = calloc(bytes, 1);
    memset(data, me == root ? round & 127 : 0, bytes);
    MPI_Bcast(data, bytes, MPI_BYTE, root, comm);
    if (data[0] != (round & 127) || data[bytes - 1] != (round & 127)) fail("a broadcast", round);
    memset(data, 255, bytes);
    free(data);
}

static void add(MPI_Comm comm, int round) {
    const int count = 1 + (round * 131) % (most / 8);
    long *given = calloc(count, sizeof *given), *sum = calloc(count, sizeof *sum);
    for (int i = 0; i < count; ++i) given[i] = me + round + i;
    MPI_Allreduce(given, sum, count, MPI_LONG, MPI_SUM, comm);
    for (int i = 0; i < count; ++i) {
        if (sum[i] != (long)size * (size - 1) / 2 + (long)size * (round + i)) fail("a sum", round);
        given[i] = sum[i] = -1;
    }
    MPI_Reduce(me == 0 ? MPI_IN_PLACE : given, me == 0 ? given : NULL, count, MPI_LONG, MPI_SUM, 0,
               comm);
    if (me == 0 && given[0] != -size) fail("a sum at one rank", round);
    free(given);
    free(sum);
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int round = 0; round < 60; ++round) {
        broadcast(MPI_COMM_WORLD, round);
        add(MPI_COMM_WORLD, round);
    }
    for (int round = 0; round < 10; ++round) {
        MPI_Comm comm;
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        for (int again = 0; again < 3; ++again) broadcast(comm, round);
        add(comm, round);
        MPI_Comm_free(&comm);
    }
    char data[12000];
    double longest = 0, waited;
    for (int root = 0; root < size; ++root) {
        memset(data, root, sizeof data);
        MPI_Barrier(MPI_COMM_WORLD);
        waited = -MPI_Wtime();
        MPI_Bcast(data, sizeof data, MPI_BYTE, root, MPI_COMM_WORLD);
        waited += MPI_Wtime();
        if (me == root)
            sleep(sleeps);
        else if (waited > longest)
            longest = waited;
    }
    MPI_Allreduce(&longest, &waited, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    if (me == 0) printf("waited %.3f of %d s\n", waited, sleeps);
    MPI_Bcast(data, sizeof data, MPI_BYTE, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
