// SPDX-License-Identifier: BSD-3-Clause
/* How many bytes rank 0's host sends in broadcasts from rank 0, of each size on the command line:
   "sent BYTES: MULTIPLE", in multiples of the message. It tells algorithms apart without a clock:
   in a pipeline the root sends a message once, in a star once to every other rank. One rank on each
   host. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "require.h"

enum { calls = 50 };

static long long sent_here(void) {
    FILE* file = fopen("/proc/self/net/dev", "r");
    REQUIRE(file);
    char line[512];
    long long sent = -1;
    while (fgets(line, sizeof line, file)) {
        long long field;
        const char* colon = strstr(line, "eth0:");
        if (colon && sscanf(colon + 5, "%*s %*s %*s %*s %*s %*s %*s %*s %lld", &field) == 1)
            sent = field;
    }
    fclose(file);
    return sent;
}

/* When this host has been quiet for 0.2 s, or after 10 s. */
static long long sent_at_last(void) {
    long long before = -1, now = sent_here();
    for (int turn = 0; turn < 50 && now != before; ++turn) {
        before = now;
        usleep(200000);
        now = sent_here();
    }
    return now;
}

int main(int count, char** words) {
    MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int at = 1; at < count; ++at) {
        const int bytes = atoi(words[at]);
        char* data = calloc(1, (size_t)bytes);
        MPI_Bcast(data, bytes, MPI_BYTE, 0, MPI_COMM_WORLD); /* connects */
        MPI_Barrier(MPI_COMM_WORLD);
        const long long before = sent_at_last();
        for (int call = 0; call < calls; ++call)
            MPI_Bcast(data, bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
        const long long after = sent_at_last();
        REQUIRE(before >= 0 && after >= before);
        if (rank == 0) printf("sent %d: %.2f\n", bytes, (double)(after - before) / calls / bytes);
        free(data);
    }
    MPI_Finalize();
    return 0;
}
