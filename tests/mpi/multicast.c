// SPDX-License-Identifier: BSD-3-Clause
// Several multicasts at once by ECO_Multicast: drawn at random, checked byte for byte; and every
// wrong argument. Prints "all ok".
#include <eco.h>
#include <string.h>

enum { most = 40 };

static int ranks, me, wrong = 0;
static unsigned state = 1;

static int draw(int below) {
    state = state * 1103515245u + 12345u;
    return (int)(state >> 16 & 0x7fff) % below;
}

static char content(int message, long at, int turn) {
    return (char)(message * 37 + at * 11 + at / 257 + turn);
}

// The same messages again at another turn: the plan is known then.
static void several(int count, long longest) {
    int sources[most], degrees[most], destinations[most * 64], total = 0, mine[most];
    MPI_Aint bytes[most];
    void* buffers[most];
    for (int m = 0; m < count; ++m) {
        sources[m] = draw(ranks);
        bytes[m] = draw(4) ? draw(3) * longest / 2 + draw(10) : 0;
        degrees[m] = 0;
        mine[m] = me == sources[m];
        for (int r = ranks - 1; r >= 0; --r)
            if (r != sources[m] && draw(3)) {
                destinations[total + degrees[m]++] = r;
                mine[m] += 2 * (r == me);
            }
        total += degrees[m];
        buffers[m] = mine[m] ? malloc((size_t)bytes[m] + 1) : NULL;
    }
    for (int turn = 0; turn < 2; ++turn) {
        for (int m = 0; m < count; ++m)
            for (long i = 0; mine[m] && i <= bytes[m]; ++i)
                ((char*)buffers[m])[i] =
                    mine[m] == 1 && i < bytes[m] ? content(m, i, turn) : (char)0xA5;
        wrong += ECO_Multicast(count, sources, bytes, degrees, destinations, buffers,
                               MPI_COMM_WORLD) != MPI_SUCCESS;
        for (int m = 0; m < count; ++m)
            for (long i = 0; mine[m] && i <= bytes[m]; ++i)
                wrong +=
                    ((char*)buffers[m])[i] != (i < bytes[m] ? content(m, i, turn) : (char)0xA5);
    }
    for (int m = 0; m < count; ++m) free(buffers[m]);
}

static void refused(int want, int source, long bytes, int degree, int first, int second) {
    const MPI_Aint length = bytes;
    const int destinations[2] = {first, second};
    char room[8] = "";
    void* buffer = room;
    const int code =
        ECO_Multicast(1, &source, &length, &degree, destinations, &buffer, MPI_COMM_WORLD);
    if (code != want) fprintf(stderr, "rank %d: %d instead of %d\n", me, code, want);
    wrong += code != want;
}

int main(int argc, char** argv) {
    int all = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    several(0, 0);
    several(1, 10);
    several(5, 20000);
    several(most, 3000);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    refused(MPI_ERR_RANK, ranks, 1, 1, 0, 0);
    refused(MPI_ERR_RANK, 0, 1, 1, ranks, 0);
    refused(MPI_ERR_RANK, -1, 1, 1, 0, 0);
    refused(MPI_ERR_ARG, 0, 1, 1, 0, 0);
    refused(MPI_ERR_ARG, 0, 1, 2, 1, 1);
    refused(MPI_ERR_COUNT, 0, -1, 1, 1, 0);
    refused(MPI_ERR_COUNT, 0, 1, -1, 1, 0);
    wrong += ECO_Multicast(-1, NULL, NULL, NULL, NULL, NULL, MPI_COMM_WORLD) != MPI_ERR_COUNT;
    refused(MPI_SUCCESS, 0, 1, 1, 1, 0);
    MPI_Allreduce(&wrong, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (me == 0 && all == 0) puts("all ok");
    MPI_Finalize();
    return all != 0;
}
