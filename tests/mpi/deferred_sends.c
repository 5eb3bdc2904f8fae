// SPDX-License-Identifier: BSD-3-Clause
/* Calls that return while their messages are still under way over a long way: what was given is
 * changed, freed and sent again at once, communicators go at once, and what a rank has sent arrives
 * though it calls MPI no more. Prints the longest that a rank waited for a root that slept.
 *
 *     deferred_sends blocking|nonblocking|persistent FILE
 *
 * At last all ranks but the last broadcast, and the last joins them when it finds the file, which
 * rank 0 writes when the others are through: none may wait until their messages are taken. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { most = 20000, sleeps = 1 };

static int me, size;
static char form;

static void fail(const char* what, int round) {
    fprintf(stderr, "rank %d: %s is wrong in round %d\n", me, what, round);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static void wait_for(MPI_Request* request) {
    if (form == 'p') MPI_Start(request);
    MPI_Wait(request, MPI_STATUS_IGNORE);
    if (form == 'p') MPI_Request_free(request);
}

static void bcast(void* data, int bytes, int root, MPI_Comm comm) {
    MPI_Request request;
    if (form == 'b') {
        MPI_Bcast(data, bytes, MPI_BYTE, root, comm);
        return;
    }
    if (form == 'p')
        MPI_Bcast_init(data, bytes, MPI_BYTE, root, comm, MPI_INFO_NULL, &request);
    else
        MPI_Ibcast(data, bytes, MPI_BYTE, root, comm, &request);
    wait_for(&request);
}

static void allreduce(const long* given, long* sum, int count, MPI_Comm comm) {
    MPI_Request request;
    if (form == 'b') {
        MPI_Allreduce(given, sum, count, MPI_LONG, MPI_SUM, comm);
        return;
    }
    if (form == 'p')
        MPI_Allreduce_init(given, sum, count, MPI_LONG, MPI_SUM, comm, MPI_INFO_NULL, &request);
    else
        MPI_Iallreduce(given, sum, count, MPI_LONG, MPI_SUM, comm, &request);
    wait_for(&request);
}

static void reduce(const void* given, long* sum, int count, MPI_Comm comm) {
    MPI_Request request;
    if (form == 'b') {
        MPI_Reduce(given, sum, count, MPI_LONG, MPI_SUM, 0, comm);
        return;
    }
    if (form == 'p')
        MPI_Reduce_init(given, sum, count, MPI_LONG, MPI_SUM, 0, comm, MPI_INFO_NULL, &request);
    else
        MPI_Ireduce(given, sum, count, MPI_LONG, MPI_SUM, 0, comm, &request);
    wait_for(&request);
}

static void broadcast(MPI_Comm comm, int round) {
    const int bytes = 1 + (round * 977) % most, root = round % size;
    char* data = calloc(bytes, 1);
    memset(data, me == root ? round & 127 : 0, bytes);
    bcast(data, bytes, root, comm);
    if (data[0] != (round & 127) || data[bytes - 1] != (round & 127)) fail("a broadcast", round);
    memset(data, 255, bytes);
    free(data);
}

static void add(MPI_Comm comm, int round) {
    const int count = 1 + (round * 131) % (most / 8);
    long *given = calloc(count, sizeof *given), *sum = calloc(count, sizeof *sum);
    for (int i = 0; i < count; ++i) given[i] = me + round + i;
    allreduce(given, sum, count, comm);
    for (int i = 0; i < count; ++i) {
        if (sum[i] != (long)size * (size - 1) / 2 + (long)size * (round + i)) fail("a sum", round);
        given[i] = sum[i] = -1;
    }
    reduce(me == 0 ? MPI_IN_PLACE : given, me == 0 ? given : NULL, count, comm);
    if (me == 0 && given[0] != -size) fail("a sum at one rank", round);
    free(given);
    free(sum);
}

/* The last rank is far from the others. */
static void nobody_waits_for_the_last(const char* file) {
    enum { most_tenths = 300 };
    const int is_last = me == size - 1;
    char data[12000];
    MPI_Comm others;
    MPI_Comm_split(MPI_COMM_WORLD, is_last, me, &others);
    memset(data, me, sizeof data);
    for (int tenths = 0; is_last && access(file, F_OK) != 0; ++tenths) {
        if (tenths == most_tenths) fail("what others wait for", 0);
        usleep(100000);
    }
    bcast(data, sizeof data, 0, MPI_COMM_WORLD);
    if (data[0] != 0 || data[sizeof data - 1] != 0) fail("the last broadcast", 0);
    if (!is_last) MPI_Barrier(others);
    if (me == 0) fclose(fopen(file, "w"));
    MPI_Comm_free(&others);
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    form = argv[1][0];
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
    /* The first of its host's site, one of another machine there, and the one that is far away. */
    const int roots[] = {0, size - 2, size - 1};
    for (int r = 0; r < 3; ++r) {
        const int root = roots[r];
        memset(data, root, sizeof data);
        MPI_Barrier(MPI_COMM_WORLD);
        waited = -MPI_Wtime();
        bcast(data, sizeof data, root, MPI_COMM_WORLD);
        waited += MPI_Wtime();
        if (me == root)
            sleep(sleeps);
        else if (waited > longest)
            longest = waited;
    }
    MPI_Allreduce(&longest, &waited, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    if (me == 0) printf("waited %.3f of %d s\n", waited, sleeps);
    nobody_waits_for_the_last(argv[2]);
    MPI_Finalize();
    return 0;
}
