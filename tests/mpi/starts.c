// SPDX-License-Identifier: BSD-3-Clause
// What ECO must not disturb when its session has yet to begin: `starts HOW`. Rank 0 ends with
// "all ok".
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int rank, ranks, wrong;

static void pause_for(double seconds) {
    struct timespec time = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};
    nanosleep(&time, NULL);
}

// Sums and a broadcast from the last rank, right on all ranks.
static void check_collectives(MPI_Comm comm) {
    int own, size, sum = 0, word;
    MPI_Comm_rank(comm, &own);
    MPI_Comm_size(comm, &size);
    MPI_Allreduce(&own, &sum, 1, MPI_INT, MPI_SUM, comm);
    wrong += sum != size * (size - 1) / 2;
    word = own == size - 1 ? 4711 : 0;
    MPI_Bcast(&word, 1, MPI_INT, size - 1, comm);
    wrong += word != 4711;
    MPI_Barrier(comm);
}

// A message round the ring, taken from anyone.
static void ring(void) {
    int got = -1;
    MPI_Status status;
    MPI_Request request;
    MPI_Isend(&rank, 1, MPI_INT, (rank + 1) % ranks, 7, MPI_COMM_WORLD, &request);
    MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, &status);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    wrong += got != (rank + ranks - 1) % ranks || status.MPI_SOURCE != got;
}

static MPI_Comm group_of(int first, int last, int tag) {
    int range[1][3] = {{first, last, 1}};
    MPI_Group world, group;
    MPI_Comm comm;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_range_incl(world, 1, range, &group);
    MPI_Comm_create_group(MPI_COMM_WORLD, group, tag, &comm);
    MPI_Group_free(&group);
    MPI_Group_free(&world);
    return comm;
}

// The last rank waits for a message that comes after a collective of the others; so it must not be
// needed for that.
static void others_first(void) {
    int word = 0;
    if (rank < ranks - 1) {
        MPI_Comm some = group_of(0, ranks - 2, 1);
        check_collectives(some);
        MPI_Comm_free(&some);
    }
    if (rank == 0) MPI_Send(&word, 1, MPI_INT, ranks - 1, 0, MPI_COMM_WORLD);
    if (rank == ranks - 1) MPI_Recv(&word, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    check_collectives(MPI_COMM_WORLD);
}

// Rank 0 is in a collective of a part while the others are in one of all that ECO does not take.
static void pending(void) {
    int word = rank == 0 ? 12 : 0;
    MPI_Request request;
    if (rank > 0) MPI_Ibcast(&word, 1, MPI_INT, 0, MPI_COMM_WORLD, &request);
    MPI_Comm part = rank < 2 ? group_of(0, 1, 2) : MPI_COMM_NULL;
    if (part != MPI_COMM_NULL) check_collectives(part);
    if (rank == 0) MPI_Ibcast(&word, 1, MPI_INT, 0, MPI_COMM_WORLD, &request);
    check_collectives(MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    wrong += word != 12;
    if (part != MPI_COMM_NULL) MPI_Comm_free(&part);
}

// No collective but on what was made of MPI_COMM_WORLD.
static void derived(int how) {
    MPI_Comm comm, half;
    int dims[1] = {ranks}, periods[1] = {1};
    if (how == 0) MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    if (how == 1) MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &comm);
    if (how == 2) MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periods, 0, &comm);
    check_collectives(comm);
    MPI_Comm_split(comm, rank % 2, 0, &half);
    check_collectives(half);
    MPI_Comm_free(&half);
    MPI_Comm_free(&comm);
}

static void* on(void* comm) {
    for (int times = 0; times < 20; ++times) check_collectives(*(MPI_Comm*)comm);
    return NULL;
}

// Each thread's first collective is on another communicator, none of them made by a collective of
// all that ECO takes.
static void threads(void) {
    pthread_t all[4];
    MPI_Comm comms[4] = {MPI_COMM_WORLD};
    for (int t = 1; t < 4; ++t) comms[t] = group_of(0, ranks - 1, t);
    for (int t = 0; t < 4; ++t) pthread_create(&all[t], NULL, on, &comms[t]);
    for (int t = 0; t < 4; ++t) pthread_join(all[t], NULL);
    for (int t = 1; t < 4; ++t) MPI_Comm_free(&comms[t]);
}

int main(int argc, char** argv) {
    const char* how = argc > 1 ? argv[1] : "";
    int provided;
    if (strcmp(how, "threads") == 0)
        MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    else
        MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (strcmp(how, "messages") == 0) ring();
    if (strcmp(how, "late") == 0) {
        ring();
        if (rank == ranks - 1) pause_for(1);
        check_collectives(MPI_COMM_WORLD);
    }
    if (strcmp(how, "others-first") == 0) others_first();
    if (strcmp(how, "pending") == 0) pending();
    if (strcmp(how, "dup") == 0) derived(0);
    if (strcmp(how, "split") == 0) derived(1);
    if (strcmp(how, "grid") == 0) derived(2);
    if (strcmp(how, "threads") == 0) {
        if (provided == MPI_THREAD_MULTIPLE)
            threads();
        else
            check_collectives(MPI_COMM_WORLD);
    }
    // Not by a collective, of which some runs are to make none.
    for (int other = 1; rank == 0 && other < ranks && strcmp(how, "nothing") != 0; ++other) {
        int more = 0;
        MPI_Recv(&more, 1, MPI_INT, other, 99, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        wrong += more;
    }
    if (rank > 0 && strcmp(how, "nothing") != 0)
        MPI_Send(&wrong, 1, MPI_INT, 0, 99, MPI_COMM_WORLD);
    if (rank == 0) puts(wrong ? "wrong" : "all ok");
    MPI_Finalize();
    return wrong != 0;
}
