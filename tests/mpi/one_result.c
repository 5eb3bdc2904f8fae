// SPDX-License-Identifier: BSD-3-Clause
/* Every rank must have the same bits of MPI_Allreduce (MPI-4.1, 6.9.6), also where operators
 * commute in mathematics and not in bits: NaN of other payloads, zeros of both signs, infinities,
 * ties of MAXLOC and MINLOC, operators of a program's own that say that they commute. On
 * communicators of 2 ranks to all. Prints "all ok", or where ranks differ. */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { most_elements = 1000, most_cases = 256 };
static const int lengths[] = {1, 33, most_elements};

typedef struct {
    double value;
    int place;
} DoubleInt;
typedef struct {
    float value;
    int place;
} FloatInt;

static uint64_t hashes[most_cases];
static char names[most_cases][64];
static int cases, me, wrong;

/* As wrong as a program's operator may be: it keeps the first of two, in effect. */
static void first(void* in, void* inout, int* count, MPI_Datatype* type) {
    (void)type;
    memcpy(inout, in, (size_t)*count * sizeof(double));
}

/* Neither commutes nor is associative. */
static void mix(void* in, void* inout, int* count, MPI_Datatype* type) {
    uint64_t *a = in, *b = inout;
    int i;
    (void)type;
    for (i = 0; i < *count; ++i) b[i] = (a[i] << 7 | a[i] >> 57) * 31 + b[i];
}

static double nan_of(int number) {
    union {
        uint64_t bits;
        double value;
    } each = {UINT64_C(0x7ff8000000000000) + (uint64_t)number};
    return number % 2 ? each.value : -each.value;
}
static float float_nan_of(int number) {
    union {
        uint32_t bits;
        float value;
    } each = {UINT32_C(0x7fc00000) + (uint32_t)number};
    return number % 2 ? each.value : -each.value;
}

/* What rank `rank` of `ranks` has at this place: at some of them one rank, or all, have NaN. */
static int is_nan_at(int rank, int ranks, int place) {
    return place % 7 == 1 ? rank == place % ranks : place % 7 == 2 ? (rank + place) % 2 : 0;
}
static double value_at(int rank, int ranks, int place) {
    if (is_nan_at(rank, ranks, place)) return nan_of(1 + rank * 64 + place);
    if (place % 7 == 3) return (rank + place) % 3 ? 0.0 : -0.0;
    if (place % 7 == 4 && rank == place % ranks) return 1.0 / ((rank + place) % 2 ? 0.0 : -0.0);
    if (place % 7 == 5) return rank % 3;
    return 1.0 / (3.0 + rank * 7 + place) - (rank % 2);
}
static float float_at(int rank, int ranks, int place) {
    if (is_nan_at(rank, ranks, place)) return float_nan_of(1 + rank * 64 + place);
    return (float)value_at(rank, ranks, place);
}

static void note(const char* what, const char* op, int count, const void* result, size_t bytes) {
    const unsigned char* byte = result;
    uint64_t hash = UINT64_C(14695981039346656037);
    size_t i;
    for (i = 0; i < bytes; ++i) hash = (hash ^ byte[i]) * UINT64_C(1099511628211);
    snprintf(names[cases], sizeof names[cases], "%s %s of %d", what, op, count);
    hashes[cases++] = hash;
}

typedef struct {
    MPI_Op op;
    const char* name;
} Operator;

/* of_pairs: with a place each. */
static void sums(MPI_Comm comm, const Operator* ops, int operators, int of_pairs) {
    static double doubles[most_elements], double_sums[most_elements];
    static float floats[most_elements], float_sums[most_elements];
    static DoubleInt double_pairs[most_elements], double_result[most_elements];
    static FloatInt float_pairs[most_elements], float_result[most_elements];
    int rank, ranks, i, o;
    size_t n;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    for (i = 0; i < most_elements; ++i) {
        double_pairs[i].value = doubles[i] = value_at(rank, ranks, i);
        float_pairs[i].value = floats[i] = float_at(rank, ranks, i);
        double_pairs[i].place = float_pairs[i].place = (rank + i) % 3;
    }
    for (n = 0; n < sizeof lengths / sizeof *lengths; ++n)
        for (o = 0; o < operators; ++o) {
            const int count = lengths[n];
            const size_t all = (size_t)count;
            if (of_pairs) {
                /* What lies between the members of a pair is nobody's. */
                memset(double_result, 0, sizeof double_result);
                MPI_Allreduce(double_pairs, double_result, count, MPI_DOUBLE_INT, ops[o].op, comm);
                for (i = 0; i < count; ++i) double_sums[i] = double_result[i].value;
                note("double_int", ops[o].name, count, double_sums, all * sizeof(double));
                for (i = 0; i < count; ++i) double_sums[i] = double_result[i].place;
                note("place of double_int", ops[o].name, count, double_sums, all * sizeof(double));
                MPI_Allreduce(float_pairs, float_result, count, MPI_FLOAT_INT, ops[o].op, comm);
                note("float_int", ops[o].name, count, float_result, all * sizeof(FloatInt));
                continue;
            }
            MPI_Allreduce(doubles, double_sums, count, MPI_DOUBLE, ops[o].op, comm);
            note("double", ops[o].name, count, double_sums, all * sizeof(double));
            memcpy(double_sums, doubles, sizeof doubles);
            MPI_Allreduce(MPI_IN_PLACE, double_sums, count, MPI_DOUBLE, ops[o].op, comm);
            note("double in place", ops[o].name, count, double_sums, all * sizeof(double));
            if (ops[o].name[0] == ' ') continue; /* its own operators take doubles alone */
            MPI_Allreduce(floats, float_sums, count, MPI_FLOAT, ops[o].op, comm);
            note("float", ops[o].name, count, float_sums, all * sizeof(float));
        }
    if (!of_pairs) {
        MPI_Request request;
        MPI_Iallreduce(doubles, double_sums, most_elements, MPI_DOUBLE, MPI_MAX, comm, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        note("double", "MAX, not blocking,", most_elements, double_sums, sizeof double_sums);
    }
}

static void compare(MPI_Comm comm) {
    static uint64_t theirs[most_cases];
    int rank, ranks, other, i;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    if (rank > 0) MPI_Send(hashes, cases, MPI_UINT64_T, 0, 0, comm);
    for (other = 1; rank == 0 && other < ranks; ++other) {
        MPI_Recv(theirs, cases, MPI_UINT64_T, other, 0, comm, MPI_STATUS_IGNORE);
        for (i = 0; i < cases; ++i)
            if (theirs[i] != hashes[i] && wrong++ < 20)
                printf("ranks 0 and %d of %d differ: %s\n", other, ranks, names[i]);
    }
}

int main(int argc, char** argv) {
    Operator plain[] = {{MPI_MAX, "MAX"},   {MPI_MIN, "MIN"},        {MPI_SUM, "SUM"},
                        {MPI_PROD, "PROD"}, {MPI_OP_NULL, " first"}, {MPI_OP_NULL, " mix"}};
    const Operator places[] = {{MPI_MAXLOC, "MAXLOC"}, {MPI_MINLOC, "MINLOC"}};
    int ranks, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Op_create(first, 1, &plain[4].op);
    MPI_Op_create(mix, 1, &plain[5].op);
    for (size = 2; size <= ranks; ++size) {
        MPI_Comm some;
        MPI_Comm_split(MPI_COMM_WORLD, me < size ? 0 : MPI_UNDEFINED, me, &some);
        if (some == MPI_COMM_NULL) continue;
        cases = 0;
        sums(some, plain, 6, 0);
        sums(some, places, 2, 1);
        compare(some);
        MPI_Comm_free(&some);
    }
    MPI_Op_free(&plain[4].op);
    MPI_Op_free(&plain[5].op);
    if (me == 0 && wrong == 0) printf("all ok\n");
    MPI_Finalize();
    return wrong != 0;
}
