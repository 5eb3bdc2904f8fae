// SPDX-License-Identifier: BSD-3-Clause
// Time of collective calls on two ranks: of calls that do nothing (no other rank, no bytes), and of
// short ones, 16 bytes, the root of a broadcast in turn so that each waits for the one before.
// Prints one JSON line, nanoseconds a call, the least of several rounds.
//
//     calls CALLS           in each round; 0: ends at once
//     calls CALLS by-hand   the messages of ECO's tree, sent and received by the program
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { rounds = 9 };

static void nothing_alone(int turn) {
    char byte = 0;
    (void)turn;
    MPI_Bcast(&byte, 0, MPI_BYTE, 0, MPI_COMM_SELF);
}

static void nothing(int turn) {
    char byte = 0;
    (void)turn;
    MPI_Bcast(&byte, 0, MPI_BYTE, 0, MPI_COMM_WORLD);
}

static void bcast(int turn) {
    static char bytes[16];
    MPI_Bcast(bytes, 16, MPI_BYTE, turn % 2, MPI_COMM_WORLD);
}

static void allreduce(int turn) {
    static int from[4], to[4];
    (void)turn;
    MPI_Allreduce(from, to, 4, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

static void barrier(int turn) {
    (void)turn;
    MPI_Barrier(MPI_COMM_WORLD);
}

static MPI_Comm others;  // a duplicate: no message meets those of another collective

static int is_root(int root) {
    int rank = 0;
    MPI_Comm_rank(others, &rank);
    return rank == root;
}

static void bcast_by_hand(int turn) {
    static char bytes[16];
    if (is_root(turn % 2))
        MPI_Send(bytes, 16, MPI_BYTE, 1 - turn % 2, 1, others);
    else
        MPI_Recv(bytes, 16, MPI_BYTE, turn % 2, 1, others, MPI_STATUS_IGNORE);
}

static void allreduce_by_hand(int turn) {
    static int from[4], to[4], came[4];
    (void)turn;
    if (is_root(0)) {
        MPI_Recv(came, 4, MPI_INT, 1, 2, others, MPI_STATUS_IGNORE);
        for (int i = 0; i < 4; ++i) to[i] = from[i] + came[i];
        MPI_Send(to, 4, MPI_INT, 1, 3, others);
    } else {
        MPI_Send(from, 4, MPI_INT, 0, 2, others);
        MPI_Recv(to, 4, MPI_INT, 0, 3, others, MPI_STATUS_IGNORE);
    }
}

static void barrier_by_hand(int turn) {
    (void)turn;
    if (is_root(0)) {
        MPI_Recv(NULL, 0, MPI_BYTE, 1, 4, others, MPI_STATUS_IGNORE);
        MPI_Send(NULL, 0, MPI_BYTE, 1, 5, others);
    } else {
        MPI_Send(NULL, 0, MPI_BYTE, 0, 4, others);
        MPI_Recv(NULL, 0, MPI_BYTE, 0, 5, others, MPI_STATUS_IGNORE);
    }
}

static double least(void (*call)(int), int calls) {
    double best = 1e9;
    for (int round = 0; round < rounds; ++round) {
        for (int i = 0; i < calls / 10; ++i) call(i);
        const double start = MPI_Wtime();
        for (int i = 0; i < calls; ++i) call(i);
        const double now = (MPI_Wtime() - start) / calls * 1e9;
        if (now < best) best = now;
    }
    return best;
}

int main(int argc, char** argv) {
    const int calls = argc > 1 ? atoi(argv[1]) : 0;
    if (calls < 1) return 0;
    MPI_Init(&argc, &argv);
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_dup(MPI_COMM_WORLD, &others);
    const int by_hand = argc > 2 && !strcmp(argv[2], "by-hand");
    const double self = least(nothing_alone, 20 * calls), world = least(nothing, 20 * calls),
                 of_bcast = least(by_hand ? bcast_by_hand : bcast, calls),
                 of_allreduce = least(by_hand ? allreduce_by_hand : allreduce, calls),
                 of_barrier = least(by_hand ? barrier_by_hand : barrier, calls);
    if (rank == 0)
        printf(
            "{\"self\": %.1f, \"world\": %.1f, \"bcast\": %.1f, \"allreduce\": %.1f, "
            "\"barrier\": %.1f}\n",
            self, world, of_bcast, of_allreduce, of_barrier);
    MPI_Comm_free(&others);
    MPI_Finalize();
    return 0;
}
