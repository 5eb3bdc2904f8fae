// SPDX-License-Identifier: BSD-3-Clause
/* Blocking collectives among other traffic: non-blocking and persistent collectives in flight,
   wildcard receives that must catch none of ECO's messages, calls by their PMPI names. */
#include <stdlib.h>

#include "check.h"
#include "sections.h"

static void some_blocking(const Place* p, int seed) {
    int mine = p->rank + seed, sum = 0, all = p->size * seed + p->size * (p->size - 1) / 2;
    MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, p->comm);
    EXPECT(sum, all);
    int data[2000];
    for (int n = 0; n < 2000; n++) data[n] = p->rank == seed % p->size ? seed + n : -1;
    MPI_Bcast(data, 2000, MPI_INT, seed % p->size, p->comm);
    for (int n = 0; n < 2000; n++) EXPECT(data[n], seed + n);
    MPI_Barrier(p->comm);
}

static void in_flight(const Place* p) {
    for (int turn = 0; turn < 5; turn++) {
        doing("non-blocking collectives in flight on %s", p->name);
        int word[500], sums[2] = {1, p->rank}, summed[2];
        int* gathered = room((size_t)p->size * sizeof(int));
        MPI_Request requests[4];
        for (int n = 0; n < 500; n++) word[n] = p->rank == 0 ? n * turn : 0;
        MPI_Ibcast(word, 500, MPI_INT, 0, p->comm, &requests[0]);
        MPI_Iallreduce(sums, summed, 2, MPI_INT, MPI_SUM, p->comm, &requests[1]);
        some_blocking(p, turn);
        MPI_Iallgather(&p->rank, 1, MPI_INT, gathered, 1, MPI_INT, p->comm, &requests[2]);
        MPI_Ibarrier(p->comm, &requests[3]);
        some_blocking(p, turn + 1);
        MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
        for (int n = 0; n < 500; n++) EXPECT(word[n], n * turn);
        EXPECT(summed[0], p->size);
        EXPECT(summed[1], p->size * (p->size - 1) / 2);
        for (int r = 0; r < p->size; r++) EXPECT(gathered[r], r);
        free(gathered);
    }
}

/* A receive from anyone with any tag is open while collectives run on the same communicator. */
static void wildcard(const Place* p) {
    doing("open wildcard receive on %s", p->name);
    int left = (p->rank + p->size - 1) % p->size, right = (p->rank + 1) % p->size;
    int got = -1, sent = 1000 + p->rank, there = 0;
    MPI_Request request;
    MPI_Status status;
    MPI_Irecv(&got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, p->comm, &request);
    some_blocking(p, 3);
    some_blocking(p, 4);
    MPI_Test(&request, &there, &status);
    EXPECT(there, 0);
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, p->comm, &there, &status);
    EXPECT(there, 0);
    MPI_Barrier(p->comm); /* nobody sends before all have looked */
    MPI_Send(&sent, 1, MPI_INT, right, 0, p->comm);
    some_blocking(p, 5);
    MPI_Wait(&request, &status);
    EXPECT(got, 1000 + left);
    EXPECT(status.MPI_SOURCE, left);
}

/* Two communicators in turn, entered by the ranks in the same order. */
static void interleaved(void) {
    doing("two communicators in turn");
    for (int turn = 0; turn < 10; turn++)
        for (int n = 0; n < place_count; n++) {
            int word = places[n].rank == 0 ? turn : -1;
            MPI_Bcast(&word, 1, MPI_INT, 0, places[n].comm);
            EXPECT(word, turn);
        }
}

#if MPI_VERSION >= 4
static void persistent(const Place* p) {
    doing("persistent collectives on %s", p->name);
    int word = 0, sum = 0;
    MPI_Request requests[2];
    MPI_Bcast_init(&word, 1, MPI_INT, 0, p->comm, MPI_INFO_NULL, &requests[0]);
    MPI_Allreduce_init(&p->rank, &sum, 1, MPI_INT, MPI_SUM, p->comm, MPI_INFO_NULL, &requests[1]);
    for (int turn = 0; turn < 4; turn++) {
        word = p->rank == 0 ? turn : -1;
        MPI_Startall(2, requests);
        some_blocking(p, turn);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        EXPECT(word, turn);
        EXPECT(sum, p->size * (p->size - 1) / 2);
    }
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
}
#else
static void persistent(const Place* p) { (void)p; }
#endif

void section_mixed(void) {
    for (int n = 0; n < place_count; n++) {
        in_flight(&places[n]);
        wildcard(&places[n]);
        persistent(&places[n]);
    }
    interleaved();
}

/* By the names that a profiling tool, and Open MPI's Fortran, call. */
void section_profiling(void) {
    for (int n = 0; n < place_count; n++) {
        const Place* p = &places[n];
        int me = p->rank, size = p->size, sum = 0, word = me == 0 ? 9 : 0, mine = me + 1;
        int *all = room((size_t)size * sizeof(int)), *turned = room((size_t)size * sizeof(int));
        doing("PMPI names on %s", p->name);
        PMPI_Bcast(&word, 1, MPI_INT, 0, p->comm);
        EXPECT(word, 9);
        PMPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, p->comm);
        EXPECT(sum, size * (size + 1) / 2);
        PMPI_Reduce(&mine, &sum, 1, MPI_INT, MPI_MAX, size - 1, p->comm);
        EXPECT(sum, me == size - 1 ? size : size * (size + 1) / 2);
        PMPI_Allgather(&mine, 1, MPI_INT, all, 1, MPI_INT, p->comm);
        PMPI_Alltoall(all, 1, MPI_INT, turned, 1, MPI_INT, p->comm);
        for (int r = 0; r < size; r++) EXPECT(turned[r], mine);
        PMPI_Gather(&mine, 1, MPI_INT, all, 1, MPI_INT, 0, p->comm);
        PMPI_Scatter(all, 1, MPI_INT, &word, 1, MPI_INT, 0, p->comm);
        EXPECT(word, mine);
        PMPI_Scan(&mine, &sum, 1, MPI_INT, MPI_SUM, p->comm);
        EXPECT(sum, mine * (mine + 1) / 2);
        PMPI_Barrier(p->comm);
        free(all);
        free(turned);
    }
}
