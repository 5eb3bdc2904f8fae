/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI before main and after it. With -DLIBRARY a library of the program, else the program.
   CONSTRUCTS=library: the library's constructor begins MPI and its destructor ends it; program:
   what a global object does (constructed before main, destroyed by exit); destructor: main begins
   MPI and the library's destructor ends it. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef LIBRARY
#define IS(how) (!strcmp(getenv("CONSTRUCTS"), how))

void constructs_sum(const char* where) {
    int one = 1, sum = 0, ranks = 0, rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int times = 0; times < 3; times++)
        MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0) fprintf(stderr, "%s: sum %d of %d\n", where, sum, ranks);
}

__attribute__((constructor)) static void begin(void) {
    if (!IS("library")) return;
    MPI_Init(NULL, NULL);
    constructs_sum("in the constructor");
}

__attribute__((destructor)) static void end(void) {
    if (IS("program")) return;
    constructs_sum("in the destructor");
    MPI_Finalize();
}
#else
#define IS(how) (!strcmp(getenv("CONSTRUCTS"), how))
void constructs_sum(const char* where);

static void destroy(void) {
    constructs_sum("in the destructor");
    MPI_Finalize();
}

__attribute__((constructor)) static void construct(void) {
    if (!IS("program")) return;
    MPI_Init(NULL, NULL);
    atexit(destroy);
    constructs_sum("in the constructor");
}

int main(int argc, char** argv) {
    if (IS("destructor")) MPI_Init(&argc, &argv);
    constructs_sum("in main");
    return 0;
}
#endif
