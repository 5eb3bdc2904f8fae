// SPDX-License-Identifier: BSD-3-Clause
/* Repeats collectives so often that ECO learns which choice is faster, and checks every result:
 * another choice from one call to the next must not be seen. Prints a hash of all sums of
 * floating-point numbers, whose bits may not change within a job. Words: number of rounds;
 * "short": nothing but sums of four integers. */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static int rank, ranks, wrong;

static void check(int fine, const char* what, int call) {
    if (!fine && wrong++ == 0) printf("wrong %s at call %d on rank %d\n", what, call, rank);
}

static void bcast(int call, int count) {
    int i, *data = malloc(sizeof(int) * (size_t)count);
    for (i = 0; i < count; ++i) data[i] = rank == call % ranks ? call + i : -1;
    MPI_Bcast(data, count, MPI_INT, call % ranks, MPI_COMM_WORLD);
    for (i = 0; i < count; ++i) check(data[i] == call + i, "bcast", call);
    free(data);
}

static void sum_of_integers(int call, int count) {
    int i, *in = calloc((size_t)count, sizeof(int)), *out = calloc((size_t)count, sizeof(int));
    for (i = 0; i < count; ++i) in[i] = rank + call + i;
    MPI_Allreduce(in, out, count, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    for (i = 0; i < count; ++i)
        check(out[i] == ranks * (call + i) + ranks * (ranks - 1) / 2, "allreduce", call);
    free(in);
    free(out);
}

/* The same numbers each time: every order of adding gives bits of its own. */
static void sum_of_reals(int call, int count, uint64_t* hash) {
    static double first[64];
    int i;
    double in[64] = {0}, out[64];
    for (i = 0; i < count; ++i) in[i] = 1.0 / (3.0 + rank * 7 + i);
    MPI_Allreduce(in, out, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    for (i = 0; i < count; ++i) {
        union {
            double number;
            uint64_t bits;
        } each = {out[i]};
        if (call == 0) first[i] = out[i];
        check(out[i] == first[i], "bits of a sum", call);
        *hash = *hash * 1099511628211u + each.bits;
    }
}

/* Takes the left one: associative, and commutes with nothing. */
static void left(void* in, void* inout, int* count, MPI_Datatype* type) {
    int i;
    (void)type;
    for (i = 0; i < *count; ++i) ((int*)inout)[i] = ((int*)in)[i];
}

/* Of the same size as sum_of_integers: what is learned of the one must not run the other. */
static void leftmost(int call, int count, MPI_Op op) {
    int i, in[8] = {0}, out[8];
    for (i = 0; i < count; ++i) in[i] = 100 * rank + i + call;
    MPI_Allreduce(in, out, count, MPI_INT, op, MPI_COMM_WORLD);
    for (i = 0; i < count; ++i) check(out[i] == i + call, "leftmost", call);
}

static void alltoall(int call) {
    int i, *in = malloc(sizeof(int) * (size_t)ranks), *out = malloc(sizeof(int) * (size_t)ranks);
    for (i = 0; i < ranks; ++i) in[i] = 1000 * rank + i + call;
    MPI_Alltoall(in, 1, MPI_INT, out, 1, MPI_INT, MPI_COMM_WORLD);
    for (i = 0; i < ranks; ++i) check(out[i] == 1000 * i + rank + call, "alltoall", call);
    free(in);
    free(out);
}

int main(int count, char** words) {
    int call, all = 0;
    uint64_t hash = 14695981039346656037u;
    MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const int calls = count > 1 ? atoi(words[1]) : 60;
    MPI_Op op;
    MPI_Op_create(left, 0, &op);
    for (call = 0; call < calls; ++call) {
        if (count > 2) {
            sum_of_integers(call, 4);
            continue;
        }
        bcast(call, 4000);
        sum_of_integers(call, 4 + call % 2);
        sum_of_reals(call, 64, &hash);
        leftmost(call, 4 + call % 2, op);
        alltoall(call);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Reduce(&wrong, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) printf("sums %016llx\n%s\n", (unsigned long long)hash, all ? "WRONG" : "all ok");
    MPI_Op_free(&op);
    MPI_Finalize();
    return wrong != 0;
}
