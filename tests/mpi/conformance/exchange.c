// SPDX-License-Identifier: BSD-3-Clause
/* Operations without a root that only move data: allgather and all-to-all. */
#include "check.h"
#include "sections.h"

typedef struct {
    const Place* p;
    const Form *send, *recv;
    int elements, in_place;
} Exchange;

static void allgather(Exchange t) {
    doing("allgather of %d × %s into %s on %s%s", t.elements, t.send->name, t.recv->name, t.p->name,
          t.in_place ? ", in place" : "");
    size_t n = (size_t)t.elements, all = n * (size_t)t.p->size;
    Buffer from = buffer(t.send, n), kept = buffer(t.send, n);
    Buffer got = buffer(t.recv, all), want = buffer(t.recv, all);
    fill(from, t.send, 0, n, t.p->rank);
    fill(kept, t.send, 0, n, t.p->rank);
    for (int r = 0; r < t.p->size; r++)
        for (size_t e = 0; e < n; e++) put(want, t.recv, n * (size_t)r + e, value(r, e));
    if (t.in_place) {
        for (size_t e = 0; e < n; e++)
            put(got, t.recv, n * (size_t)t.p->rank + e, value(t.p->rank, e));
        MPI_Allgather(MPI_IN_PLACE, -1, MPI_DATATYPE_NULL, got.origin, t.elements / t.recv->slots,
                      t.recv->type, t.p->comm);
    } else {
        MPI_Allgather(from.origin, t.elements / t.send->slots, t.send->type, got.origin,
                      t.elements / t.recv->slots, t.recv->type, t.p->comm);
    }
    same(got, want);
    same(from, kept);
}

/* What goes from one rank to another. */
static long between(int from, int to, size_t element) { return value(from * 17 + to, element); }

static void alltoall(Exchange t) {
    doing("alltoall of %d × %s into %s on %s%s", t.elements, t.send->name, t.recv->name, t.p->name,
          t.in_place ? ", in place" : "");
    size_t n = (size_t)t.elements, all = n * (size_t)t.p->size;
    Buffer from = buffer(t.send, all), kept = buffer(t.send, all);
    Buffer got = buffer(t.recv, all), want = buffer(t.recv, all);
    for (int r = 0; r < t.p->size; r++)
        for (size_t e = 0; e < n; e++) {
            size_t at = n * (size_t)r + e;
            put(from, t.send, at, between(t.p->rank, r, e));
            put(kept, t.send, at, between(t.p->rank, r, e));
            put(want, t.recv, at, between(r, t.p->rank, e));
            if (t.in_place) put(got, t.recv, at, between(t.p->rank, r, e));
        }
    if (t.in_place)
        MPI_Alltoall(MPI_IN_PLACE, -1, MPI_DATATYPE_NULL, got.origin, t.elements / t.recv->slots,
                     t.recv->type, t.p->comm);
    else
        MPI_Alltoall(from.origin, t.elements / t.send->slots, t.send->type, got.origin,
                     t.elements / t.recv->slots, t.recv->type, t.p->comm);
    same(got, want);
    same(from, kept);
}

static void everywhere(void (*operation)(Exchange), int same_form) {
    for (int n = 0; n < place_count; n++) {
        const Place* p = &places[n];
        for (const int* e = small_sizes; *e >= 0; e++)
            for (int in_place = 0; in_place < 2; in_place++)
                operation((Exchange){p, &plain[*e % KINDS], &plain[*e % KINDS], *e, in_place});
        for (const int* e = derived_sizes; *e >= 0; e++)
            for (int f = 0; f < derived_forms; f++) {
                int in_place = f % 3 == 0;
                const Form* recv =
                    &derived[(f + (in_place && same_form ? 0 : p->rank)) % derived_forms];
                operation((Exchange){p, &derived[(3 * f + p->rank + 1) % derived_forms], recv, *e,
                                     in_place});
            }
    }
    for (const int* e = large_sizes; *e >= 0; e++)
        operation((Exchange){&places[0], &plain[INT32], &plain[INT32], light ? *e / 4 : *e, 0});
}

void section_allgather(void) { everywhere(allgather, 0); }
/* In place, all-to-all wants the same type and count of both ranks of a pair. */
void section_alltoall(void) { everywhere(alltoall, 1); }
