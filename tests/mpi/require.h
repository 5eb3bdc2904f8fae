// SPDX-License-Identifier: BSD-3-Clause
/* What programs of one file share: the rank, a condition that ends the job where it does not hold,
   and a hash of all results. */
#ifndef REQUIRE_H
#define REQUIRE_H
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int rank, ranks;
static uint64_t hash = 14695981039346656037u;

static inline void fail(const char* what) {
    printf("rank %d: %s\n", rank, what);
    fflush(stdout);
    MPI_Abort(MPI_COMM_WORLD, 1);
}
#define REQUIRE(condition)                                                                         \
    do {                                                                                           \
        if (!(condition)) fail(#condition);                                                        \
    } while (0)

static inline void digest(const void* bytes, size_t count) {
    for (size_t i = 0; i < count; i++)
        hash = (hash ^ ((const unsigned char*)bytes)[i]) * 1099511628211u;
}

/* A program that hangs ends after so many seconds. */
static inline void begin_program(int* argc, char*** argv, int seconds) {
    alarm((unsigned)seconds);
    MPI_Init(argc, argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
}

/* Rank 0 prints the hash of all ranks' results so far. */
static inline void print_hash(const char* what) {
    uint64_t hashes = 0;
    MPI_Reduce(&hash, &hashes, 1, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) printf("ok %s %016llx\n", what, (unsigned long long)hashes), fflush(stdout);
}

/* At last. */
static inline void say_all_ok(const char* what) {
    print_hash(what);
    if (rank == 0) printf("all ok\n");
}
#endif
