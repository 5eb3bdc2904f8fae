// SPDX-License-Identifier: BSD-3-Clause
/* Barrier, and the operations with a root that only move data: broadcast, gather, scatter. */
#include <stdio.h>
#include <unistd.h>

#include "check.h"
#include "sections.h"

/* One rank is late. Whoever leaves the barrier tells it; it must hear nothing before it comes. */
static void late(const Place* p, int sleeper) {
    enum { left = 7 };
    doing("barrier on %s, rank %d late", p->name, sleeper);
    if (p->rank == sleeper) {
        int early = 0;
        usleep(15000);
        MPI_Iprobe(MPI_ANY_SOURCE, left, p->comm, &early, MPI_STATUS_IGNORE);
        EXPECT(early, 0);
    }
    MPI_Barrier(p->comm);
    if (p->rank != sleeper) {
        MPI_Send(NULL, 0, MPI_INT, sleeper, left, p->comm);
    } else {
        for (int other = 1; other < p->size; other++)
            MPI_Recv(NULL, 0, MPI_INT, MPI_ANY_SOURCE, left, p->comm, MPI_STATUS_IGNORE);
    }
}

void section_barrier(void) {
    for (int n = 0; n < place_count; n++) {
        for (int sleeper = 0; sleeper < places[n].size; sleeper++) late(&places[n], sleeper);
        for (int again = 0; again < 20; again++) MPI_Barrier(places[n].comm);
    }
}

static void bcast(const Place* p, const Form* form, int elements, int root) {
    doing("bcast of %d × %s on %s, root %d", elements, form->name, p->name, root);
    Buffer got = buffer(form, (size_t)elements), want = buffer(form, (size_t)elements);
    if (p->rank == root) fill(got, form, 0, (size_t)elements, root);
    fill(want, form, 0, (size_t)elements, root);
    MPI_Bcast(got.origin, elements / form->slots, form->type, root, p->comm);
    same(got, want);
}

void section_bcast(void) {
    for (int n = 0; n < place_count; n++) {
        const Place* p = &places[n];
        for (const int* e = small_sizes; *e >= 0; e++)
            for (int root = 0; root < p->size; root = next_root(p, root, *e))
                bcast(p, &plain[*e % KINDS], *e, root);
        for (const int* e = derived_sizes; *e >= 0; e++) /* types differ from rank to rank */
            for (int f = 0; f < derived_forms; f++)
                bcast(p, &derived[(f + p->rank) % derived_forms], *e, f % p->size);
    }
    for (const int* e = large_sizes; *e >= 0; e++)
        for (int root = 0; root < places[0].size; root = next_root(&places[0], root, *e))
            bcast(&places[0], &plain[DOUBLE], *e, root);
}

typedef struct {
    const Place* p;
    const Form *send, *recv;
    int elements, root, in_place;
} Rooted;

static void gather(Rooted t) {
    doing("gather of %d × %s into %s on %s, root %d%s", t.elements, t.send->name, t.recv->name,
          t.p->name, t.root, t.in_place ? ", in place" : "");
    size_t n = (size_t)t.elements;
    Buffer from = buffer(t.send, n), kept = buffer(t.send, n);
    fill(from, t.send, 0, n, t.p->rank);
    fill(kept, t.send, 0, n, t.p->rank);
    int send_count = t.elements / t.send->slots;
    if (t.p->rank != t.root) { /* what is for the root alone must not be looked at */
        MPI_Gather(from.origin, send_count, t.send->type, NULL, -1, MPI_DATATYPE_NULL, t.root,
                   t.p->comm);
    } else {
        size_t all = n * (size_t)t.p->size;
        Buffer got = buffer(t.recv, all), want = buffer(t.recv, all);
        if (t.in_place) fill(got, t.recv, n * (size_t)t.root, n, t.root);
        for (int r = 0; r < t.p->size; r++)
            for (size_t e = 0; e < n; e++) put(want, t.recv, n * (size_t)r + e, value(r, e));
        if (t.in_place)
            MPI_Gather(MPI_IN_PLACE, -1, MPI_DATATYPE_NULL, got.origin, t.elements / t.recv->slots,
                       t.recv->type, t.root, t.p->comm);
        else
            MPI_Gather(from.origin, send_count, t.send->type, got.origin,
                       t.elements / t.recv->slots, t.recv->type, t.root, t.p->comm);
        same(got, want);
    }
    same(from, kept);
}

static void scatter(Rooted t) {
    doing("scatter of %d × %s into %s on %s, root %d%s", t.elements, t.send->name, t.recv->name,
          t.p->name, t.root, t.in_place ? ", in place" : "");
    size_t n = (size_t)t.elements, all = n * (size_t)t.p->size;
    Buffer got = buffer(t.recv, n), want = buffer(t.recv, n);
    int recv_count = t.elements / t.recv->slots, send_count = t.elements / t.send->slots;
    int placed = t.in_place && t.p->rank == t.root;
    if (!placed) fill(want, t.recv, 0, n, t.p->rank);
    if (t.p->rank != t.root) {
        MPI_Scatter(NULL, -1, MPI_DATATYPE_NULL, got.origin, recv_count, t.recv->type, t.root,
                    t.p->comm);
    } else {
        Buffer from = buffer(t.send, all), kept = buffer(t.send, all);
        for (int r = 0; r < t.p->size; r++)
            for (size_t e = 0; e < n; e++) {
                put(from, t.send, n * (size_t)r + e, value(r, e));
                put(kept, t.send, n * (size_t)r + e, value(r, e));
            }
        if (placed)
            MPI_Scatter(from.origin, send_count, t.send->type, MPI_IN_PLACE, -1, MPI_DATATYPE_NULL,
                        t.root, t.p->comm);
        else
            MPI_Scatter(from.origin, send_count, t.send->type, got.origin, recv_count, t.recv->type,
                        t.root, t.p->comm);
        same(from, kept);
    }
    same(got, want);
}

static void everywhere(void (*operation)(Rooted)) {
    for (int n = 0; n < place_count; n++) {
        const Place* p = &places[n];
        for (const int* e = small_sizes; *e >= 0; e++)
            for (int root = 0; root < p->size; root = next_root(p, root, *e))
                operation(
                    (Rooted){p, &plain[*e % KINDS], &plain[*e % KINDS], *e, root, (*e + root) % 2});
        for (const int* e = derived_sizes; *e >= 0; e++)
            for (int f = 0; f < derived_forms; f++)
                operation((Rooted){p, &derived[(f + p->rank) % derived_forms],
                                   &derived[(f * 3 + 1) % derived_forms], *e, f % p->size,
                                   f % 3 == 0});
    }
    for (const int* e = large_sizes; *e >= 0; e++)
        operation((Rooted){&places[0], &plain[INT32], &plain[INT32], *e, places[0].size - 1, 0});
}

void section_gather(void) { everywhere(gather); }
/* With scatter the types of the two sides change roles: the root's is the one that sends. */
static void scatter_from_root(Rooted t) {
    const Form* at_root = t.recv;
    t.recv = t.send;
    t.send = at_root;
    scatter(t);
}
void section_scatter(void) { everywhere(scatter_from_root); }
