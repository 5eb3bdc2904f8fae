/* SPDX-License-Identifier: BSD-3-Clause
 * leaves BYTES LATE MODE…: broadcasts by rank 0 that rank LATE comes to only when all others have
 * left them and done something else:
 *   sends     what rank LATE waits for before it comes
 *   receives  wait in a native receive for what rank LATE sends afterwards
 *   frees     free the communicator, then as `sends`
 *   many      as `sends`, after 30 broadcasts
 *   ends      free one of two communicators and go into MPI_Finalize
 * Prints how long rank 0's broadcasts took at most. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int rank, ranks, bytes, late;
static unsigned char* memory;
static double longest;

static unsigned char content(int call, int i) {
    return (unsigned char)(7 * call + 3 * i + i / 253);
}

static void broadcast(MPI_Comm comm, int call) {
    for (int i = 0; i < bytes; ++i) memory[i] = rank == 0 ? content(call, i) : 0;
    const double before = MPI_Wtime();
    MPI_Bcast(memory, bytes, MPI_BYTE, 0, comm);
    const double took = MPI_Wtime() - before;
    if (took > longest) longest = took;
    for (int i = 0; i < bytes; ++i)
        if (memory[i] != content(call, i)) {
            printf("wrong: rank %d call %d at %d\n", rank, call, i);
            fflush(stdout);
            MPI_Abort(MPI_COMM_WORLD, 3);
        }
    memset(memory, 0xee, (size_t)bytes);
}

/* From all others, which say by it that they have left. */
static void hear_all(void) {
    int word;
    for (int each = 0; each < ranks; ++each)
        if (each != late) MPI_Recv(&word, 1, MPI_INT, each, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void say(void) { MPI_Send(&rank, 1, MPI_INT, late, 1, MPI_COMM_WORLD); }

static void be_late(const char* mode, MPI_Comm comm, int calls) {
    const int is_late = rank == late;
    if (is_late && strcmp(mode, "ends") == 0) sleep(1);
    if (is_late && strcmp(mode, "ends") != 0) hear_all();
    for (int call = 0; call < calls; ++call) broadcast(comm, call);
    if (strcmp(mode, "ends") == 0) broadcast(MPI_COMM_WORLD, calls);
    if (comm != MPI_COMM_WORLD) MPI_Comm_free(&comm);
    if (!is_late && strcmp(mode, "ends") != 0) say();
    if (strcmp(mode, "receives") != 0) return;
    if (is_late)
        for (int each = 0; each < ranks; ++each) {
            if (each != late) MPI_Send(&rank, 1, MPI_INT, each, 2, MPI_COMM_WORLD);
        }
    else
        MPI_Recv(&(int){0}, 1, MPI_INT, late, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int count, char** words) {
    MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    bytes = atoi(words[1]);
    late = atoi(words[2]);
    memory = malloc((size_t)bytes + 1);
    broadcast(MPI_COMM_WORLD, 0);
    for (int word = 3; word < count; ++word) {
        const char* mode = words[word];
        MPI_Comm comm = MPI_COMM_WORLD;
        if (strcmp(mode, "frees") == 0 || strcmp(mode, "ends") == 0)
            MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        broadcast(comm, 0);
        MPI_Barrier(comm);
        longest = 0;
        be_late(mode, comm, strcmp(mode, "many") == 0 ? 30 : 2);
        if (rank == 0) fprintf(stderr, "root: %s %d bytes %.4f s\n", mode, bytes, longest);
        if (rank == late) printf("ok %s\n", mode);
        fflush(stdout);
        if (strcmp(mode, "ends") != 0) MPI_Barrier(MPI_COMM_WORLD);
    }
    free(memory);
    MPI_Finalize();
    return 0;
}
