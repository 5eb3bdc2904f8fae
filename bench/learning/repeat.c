// SPDX-License-Identifier: BSD-3-Clause
/* Calls one collective again and again, as programs do, and says what each call took: from the last
 * rank's exit of the call before it to that of its own, as a rank may be several calls ahead (of
 * the first, from the last rank's entry). Used by bench/learning/learning.py; needs hosts that
 * share a clock, as the lab's do.
 *
 *     repeat OPERATION[,OPERATION…] BYTES CALLS [int|double [WORK]]
 *
 * Non-blocking calls (ibcast, ireduce, iallreduce, iallgather) have WORK seconds of work before
 * their wait, without any MPI call, and a barrier after every tenth. The work is sleep, as the
 * lab's hosts share processors. */
#define _GNU_SOURCE
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static double work;

static void wait_after_work(MPI_Request* request, int number) {
    const struct timespec time = {(time_t)work, (long)(1e9 * (work - (double)(time_t)work))};
    nanosleep(&time, NULL);
    MPI_Wait(request, MPI_STATUS_IGNORE);
    if (number % 10 == 9) MPI_Barrier(MPI_COMM_WORLD);
}

/* Returns whether there is such a call. */
static int start(const char* name, void* in, void* out, int bytes, MPI_Datatype number, int size,
                 MPI_Request* request) {
    const int elements = bytes / (size > 0 ? size : 1);
    if (!strcmp(name, "ibcast"))
        MPI_Ibcast(in, bytes, MPI_BYTE, 0, MPI_COMM_WORLD, request);
    else if (!strcmp(name, "ireduce"))
        MPI_Ireduce(in, out, elements, number, MPI_SUM, 0, MPI_COMM_WORLD, request);
    else if (!strcmp(name, "iallreduce"))
        MPI_Iallreduce(in, out, elements, number, MPI_SUM, MPI_COMM_WORLD, request);
    else if (!strcmp(name, "iallgather"))
        MPI_Iallgather(in, bytes, MPI_BYTE, out, bytes, MPI_BYTE, MPI_COMM_WORLD, request);
    else
        return 0;
    return 1;
}

static void call(const char* name, void* in, void* out, int bytes, MPI_Datatype number, int size) {
    const int elements = bytes / (size > 0 ? size : 1);
    if (!strcmp(name, "bcast")) MPI_Bcast(in, bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
    if (!strcmp(name, "barrier")) MPI_Barrier(MPI_COMM_WORLD);
    if (!strcmp(name, "allreduce"))
        MPI_Allreduce(in, out, elements, number, MPI_SUM, MPI_COMM_WORLD);
    if (!strcmp(name, "reduce")) MPI_Reduce(in, out, elements, number, MPI_SUM, 0, MPI_COMM_WORLD);
    if (!strcmp(name, "scan")) MPI_Scan(in, out, elements, number, MPI_SUM, MPI_COMM_WORLD);
    if (!strcmp(name, "reduce_scatter")) {
        int ranks;
        MPI_Comm_size(MPI_COMM_WORLD, &ranks);
        MPI_Reduce_scatter_block(in, out, elements > ranks ? elements / ranks : 1, number, MPI_SUM,
                                 MPI_COMM_WORLD);
    }
    if (!strcmp(name, "allgather"))
        MPI_Allgather(in, bytes, MPI_BYTE, out, bytes, MPI_BYTE, MPI_COMM_WORLD);
    if (!strcmp(name, "gather"))
        MPI_Gather(in, bytes, MPI_BYTE, out, bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
    if (!strcmp(name, "scatter"))
        MPI_Scatter(in, bytes, MPI_BYTE, out, bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
    if (!strcmp(name, "alltoall"))
        MPI_Alltoall(in, bytes, MPI_BYTE, out, bytes, MPI_BYTE, MPI_COMM_WORLD);
}

/* All calls of one operation and size; rank 0 prints what each took. */
static void measure(const char* name, int bytes, int calls, MPI_Datatype number) {
    int rank, ranks, size, i;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Type_size(number, &size);
    char *in = calloc((size_t)bytes + 1, (size_t)ranks),
         *out = calloc((size_t)bytes + 1, (size_t)ranks);
    double *entered = malloc(sizeof(double) * (size_t)calls),
           *left = malloc(sizeof(double) * (size_t)calls);
    double* latest = malloc(2 * sizeof(double) * (size_t)calls);
    for (i = 0; i < calls; ++i) {
        MPI_Request request;
        entered[i] = now();
        if (start(name, in, out, bytes, number, size, &request))
            wait_after_work(&request, i);
        else
            call(name, in, out, bytes, number, size);
        left[i] = now();
    }
    /* Sent natively by rank, so that nothing here is one of the calls. */
    if (rank != 0) {
        MPI_Send(entered, calls, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD);
        MPI_Send(left, calls, MPI_DOUBLE, 0, 2, MPI_COMM_WORLD);
    } else {
        memcpy(latest, entered, sizeof(double) * (size_t)calls);
        memcpy(latest + calls, left, sizeof(double) * (size_t)calls);
        double* other = malloc(sizeof(double) * (size_t)calls);
        int from, part;
        for (from = 1; from < ranks; ++from)
            for (part = 0; part < 2; ++part) {
                MPI_Recv(other, calls, MPI_DOUBLE, from, 1 + part, MPI_COMM_WORLD,
                         MPI_STATUS_IGNORE);
                for (i = 0; i < calls; ++i)
                    if (other[i] > latest[part * calls + i]) latest[part * calls + i] = other[i];
            }
        free(other);
        printf("{\"operation\": \"%s\", \"bytes\": %d, \"total\": %.6f, \"calls\": [", name, bytes,
               latest[2 * calls - 1] - latest[0]);
        for (i = 0; i < calls; ++i)
            printf("%s%.6f", i ? ", " : "",
                   latest[calls + i] - (i ? latest[calls + i - 1] : latest[0]));
        printf("]}\n");
        fflush(stdout);
    }
    /* What sends and does not wait would else be ahead of what comes next. */
    for (i = 0; i < ranks; ++i) {
        char word = 0;
        if (rank == 0 && i > 0) MPI_Send(&word, 1, MPI_CHAR, i, 3, MPI_COMM_WORLD);
        if (rank == i && i > 0)
            MPI_Recv(&word, 1, MPI_CHAR, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    free(in);
    free(out);
    free(entered);
    free(left);
    free(latest);
}

int main(int count, char** words) {
    int rank;
    char* place = NULL;
    MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (count < 4) {
        if (rank == 0)
            fprintf(stderr, "repeat OPERATION[,OPERATION…] BYTES CALLS [int|double [WORK]]\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    const MPI_Datatype number = count > 4 && !strcmp(words[4], "double") ? MPI_DOUBLE : MPI_INT;
    work = count > 5 ? atof(words[5]) : 0;
    const char* name = strtok_r(words[1], ",", &place);
    for (; name; name = strtok_r(NULL, ",", &place))
        measure(name, atoi(words[2]), atoi(words[3]), number);
    MPI_Finalize();
    return 0;
}
