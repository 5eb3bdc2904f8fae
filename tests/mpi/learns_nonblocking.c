// SPDX-License-Identifier: BSD-3-Clause
/* Repeats non-blocking collectives so often that ECO learns which choice is faster, and checks
 * every result. Words: number of rounds; "meets": a barrier every ten rounds; "never": no blocking
 * call; "ahead": rank 0 starts many calls before the others may start their first one. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { count = 4000, ints = 4, reals = 64, most = 4 };
static int rank, ranks, wrong;

static void check(int fine, const char* what, int call) {
    if (!fine && wrong++ == 0) printf("wrong %s at call %d on rank %d\n", what, call, rank);
}

struct round {
    MPI_Request requests[3];
    int data[count], in[ints], out[ints];
    double given[reals], sum[reals];
};

static void start(struct round* it, int call) {
    int i;
    for (i = 0; i < count; ++i) it->data[i] = rank == 0 ? call + i : -1;
    for (i = 0; i < ints; ++i) it->in[i] = rank + call + i;
    for (i = 0; i < reals; ++i) it->given[i] = 1.0 / (3.0 + rank * 7 + i);
    MPI_Ibcast(it->data, count, MPI_INT, 0, MPI_COMM_WORLD, &it->requests[0]);
    MPI_Iallreduce(it->in, it->out, ints, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &it->requests[1]);
    MPI_Iallreduce(it->given, it->sum, reals, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD,
                   &it->requests[2]);
}

static void finish(struct round* it, int call) {
    static double first[reals];
    static int known = 0;
    int i;
    if (call % 2)
        MPI_Waitall(3, it->requests, MPI_STATUSES_IGNORE);
    else
        for (i = 0; i < 3; ++i) MPI_Wait(&it->requests[i], MPI_STATUS_IGNORE);
    for (i = 0; i < count; ++i) check(it->data[i] == call + i, "ibcast", call);
    for (i = 0; i < ints; ++i)
        check(it->out[i] == ranks * (call + i) + ranks * (ranks - 1) / 2, "iallreduce", call);
    for (i = 0; i < reals; ++i) check(!known || it->sum[i] == first[i], "bits of a sum", call);
    if (!known++) memcpy(first, it->sum, sizeof first);
}

int main(int words, char** word) {
    int call, all = 0, token = 0;
    struct round* rounds;
    const char* how = words > 2 ? word[2] : "meets";
    const int calls = words > 1 ? atoi(word[1]) : 60;
    MPI_Init(&words, &word);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    rounds = malloc(most * sizeof *rounds);
    if (!rounds) return 1;
    if (strcmp(how, "ahead") == 0) {
        const int under_way = 4;
        int begin, i, other;
        for (begin = 0; begin < calls; begin += under_way) {
            if (rank != 0) MPI_Recv(&token, 1, MPI_INT, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            for (i = 0; i < under_way; ++i) start(&rounds[i], begin + i);
            for (other = 1; rank == 0 && other < ranks; ++other)
                MPI_Send(&token, 1, MPI_INT, other, 5, MPI_COMM_WORLD);
            for (i = 0; i < under_way; ++i) finish(&rounds[i], begin + i);
            if (begin % 12 == 0) MPI_Barrier(MPI_COMM_WORLD);
        }
    } else {
        for (call = 0; call < calls; ++call) {
            start(&rounds[0], call);
            finish(&rounds[0], call);
            if (call % 10 == 9 && strcmp(how, "meets") == 0) MPI_Barrier(MPI_COMM_WORLD);
        }
    }
    if (strcmp(how, "never") != 0) MPI_Reduce(&wrong, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) printf("%s\n", all || wrong ? "WRONG" : "all ok");
    free(rounds);
    MPI_Finalize();
    return wrong != 0;
}
