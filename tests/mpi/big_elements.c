// SPDX-License-Identifier: BSD-3-Clause
/* One element of a datatype that is longer than an int counts, from rank 0 to rank 1, by calls
 * whose size not all ranks know. The buffers are the same few pages again and again, so they take
 * little memory. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { rows = 2176, row = 1 << 20, gap = 1 << 10, most_ranks = 16 };
static const size_t period = (size_t)3 << 20;

static char* repeated(size_t bytes) {
    const size_t all = bytes + period;
    const int pages = memfd_create("repeated", 0);
    char* start = mmap(NULL, all, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    size_t done;
    if (pages < 0 || ftruncate(pages, (off_t)period) != 0 || start == MAP_FAILED) return NULL;
    for (done = 0; done < bytes; done += period)
        if (mmap(start + done, period, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, pages, 0) ==
            MAP_FAILED)
            return NULL;
    close(pages);
    return start;
}

int main(int argc, char** argv) {
    int rank, ranks, i, wrong = 0, none[most_ranks] = {0}, one[most_ranks] = {0};
    MPI_Datatype type, types[most_ranks];
    char *in, *out;
    const size_t bytes = (size_t)rows * (row + gap);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Type_create_hvector(rows, row, row + gap, MPI_CHAR, &type);
    MPI_Type_commit(&type);
    for (i = 0; i < most_ranks; ++i) types[i] = type;
    in = repeated(bytes);
    out = repeated(bytes);
    if (!in || !out || argc < 2) MPI_Abort(MPI_COMM_WORLD, 1);
    memset(in, 7, period);
    memset(out, 1, period);
    if (rank == 0) one[1] = 1;
    if (strcmp(argv[1], "alltoallv") == 0) {
        int from[most_ranks] = {rank == 1};
        MPI_Alltoallv(in, one, none, type, out, from, none, type, MPI_COMM_WORLD);
    } else if (strcmp(argv[1], "alltoallw") == 0) {
        int from[most_ranks] = {rank == 1};
        MPI_Alltoallw(in, one, none, types, out, from, none, types, MPI_COMM_WORLD);
    } else {
        int from[most_ranks] = {1};
        MPI_Gatherv(in, rank == 0, type, out, from, none, type, 1, MPI_COMM_WORLD);
    }
    if (rank == 1)
        for (i = 0; i < rows; ++i) wrong += out[(size_t)i * (row + gap) + row - 1] != 7;
    MPI_Bcast(&wrong, 1, MPI_INT, 1, MPI_COMM_WORLD);
    if (rank == 0) printf(wrong ? "wrong\n" : "all ok\n");
    MPI_Type_free(&type);
    MPI_Finalize();
    return wrong != 0;
}
