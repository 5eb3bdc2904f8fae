/* SPDX-License-Identifier: BSD-3-Clause */
/* All-to-alls whose pairs have very different lengths, 0 to 200,000 bytes on both sides of the
   least length that waits for a window, so that some ranks wait where others do not. Each call has
   other pairs that are long. Prints the bytes that were checked. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static const int lengths[] = {16, 0, 1399, 200000, 1400, 1, 65536, 3};
enum { kinds = sizeof lengths / sizeof *lengths };

static int rank, ranks, turn;

/* By turns: every pair has another length; one rank sends and receives only long ones; only one
   pair has a long one. */
static int length(int from, int to) {
    if (turn % 3 == 0) return lengths[(3 * from + 5 * to + turn) % kinds];
    if (turn % 3 == 1) return from == turn % ranks || to == turn % ranks ? 65536 : 16;
    return from == turn % ranks && to == (turn + 1) % ranks ? 200000 : 16;
}

static char value(int from, int to, int at) { return (char)(31 * from + 7 * to + at + turn); }

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    enum { most = 64, room = 200000 };
    static int sends[most], takes[most], places[most];
    static MPI_Datatype types[most];
    char *out = malloc((size_t)ranks * room), *in = malloc((size_t)ranks * room);
    if (ranks > most || !out || !in) MPI_Abort(MPI_COMM_WORLD, 1);
    long checked = 0;
    for (turn = 0; turn < 24; turn++) {
        for (int r = 0; r < ranks; r++) {
            sends[r] = length(rank, r);
            takes[r] = length(r, rank);
            places[r] = r * room;
            types[r] = MPI_BYTE;
            for (int b = 0; b < sends[r]; b++) out[r * room + b] = value(rank, r, b);
            for (int b = 0; b < takes[r]; b++) in[r * room + b] = (char)~value(r, rank, b);
        }
        if (turn % 2)
            MPI_Alltoallw(out, sends, places, types, in, takes, places, types, MPI_COMM_WORLD);
        else
            MPI_Alltoallv(out, sends, places, MPI_BYTE, in, takes, places, MPI_BYTE,
                          MPI_COMM_WORLD);
        for (int r = 0; r < ranks; r++)
            for (int b = 0; b < takes[r]; b++, checked++)
                if (in[r * room + b] != value(r, rank, b)) {
                    fprintf(stderr, "turn %d: byte %d from rank %d is wrong\n", turn, b, r);
                    MPI_Abort(MPI_COMM_WORLD, 1);
                }
    }
    long all = 0;
    MPI_Reduce(&checked, &all, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) printf("checked %ld\n", all);
    free(out);
    free(in);
    MPI_Finalize();
    return 0;
}
