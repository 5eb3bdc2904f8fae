// SPDX-License-Identifier: BSD-3-Clause
/* Places with more room than what comes, and with less. Neither is what the standard asks for. With
   more, every library carries on, and what nothing came for stays as it was. With less, ECO does
   as much: an error of this call alone, raised on its communicator. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "sections.h"

enum { sent = 60, room_for = 96, short_by = 12 };

typedef struct {
    int *counts, *places; /* items, of every rank at the root */
} Blocks;

static Blocks blocks(const Place* p, const Form* form, int elements, int apart) {
    Blocks all = {room((size_t)p->size * sizeof(int)), room((size_t)p->size * sizeof(int))};
    for (int r = 0; r < p->size; r++) {
        all.counts[r] = elements / form->slots;
        all.places[r] = r * apart / form->slots;
    }
    return all;
}

static void drop(Blocks all) {
    free(all.counts);
    free(all.places);
}

/* Between two types the root's own block has its own size: Open MPI writes over the room left. */
static void roomy_gatherv(const Place* p, const Form* from, const Form* into, int root) {
    doing("gatherv of %s into more room of %s on %s, root %d", from->name, into->name, p->name,
          root);
    size_t all = (size_t)room_for * (size_t)p->size;
    Buffer mine = buffer(from, sent), got = buffer(into, all), want = buffer(into, all);
    fill(mine, from, 0, sent, p->rank);
    Blocks to = blocks(p, into, room_for, room_for);
    if (from != into) to.counts[root] = sent / into->slots;
    if (p->rank == root)
        for (int r = 0; r < p->size; r++)
            for (size_t e = 0; e < sent; e++)
                put(want, into, (size_t)r * room_for + e, value(r, e));
    MPI_Gatherv(mine.origin, sent / from->slots, from->type, got.origin, to.counts, to.places,
                into->type, root, p->comm);
    same(got, want);
    drop(to);
    free(mine.memory);
}

static void roomy_scatterv(const Place* p, const Form* from, const Form* into, int root) {
    doing("scatterv of %s into more room of %s on %s, root %d", from->name, into->name, p->name,
          root);
    Buffer all = buffer(from, (size_t)sent * (size_t)p->size);
    Buffer got = buffer(into, room_for), want = buffer(into, room_for);
    for (int r = 0; r < p->size; r++)
        for (size_t e = 0; e < sent; e++) put(all, from, (size_t)r * sent + e, value(r, e));
    fill(want, into, 0, sent, p->rank);
    Blocks of = blocks(p, from, sent, sent);
    int here = p->rank == root && from != into ? sent : room_for;
    MPI_Scatterv(all.origin, of.counts, of.places, from->type, got.origin, here / into->slots,
                 into->type, root, p->comm);
    same(got, want);
    drop(of);
    free(all.memory);
}

static void expect_truncated(int code) {
    int class;
    MPI_Error_class(code, &class);
    EXPECT(class, MPI_ERR_TRUNCATE);
}

/* The block of one rank is longer than the root has room for. */
static void long_gatherv(const Place* p, int root, int victim) {
    doing("gatherv with a block too long of rank %d, root %d", victim, root);
    Buffer got = buffer(&plain[INT32], (size_t)sent * (size_t)p->size);
    Buffer mine = buffer(&plain[INT32], sent);
    Blocks to = blocks(p, &plain[INT32], sent, sent);
    to.counts[victim] -= short_by;
    int code = MPI_Gatherv(mine.origin, sent, MPI_INT, got.origin, to.counts, to.places, MPI_INT,
                           root, p->comm);
    if (p->rank == root) expect_truncated(code);
    drop(to);
    free(got.memory);
    free(mine.memory);
}

static void long_scatterv(const Place* p, int root, int victim) {
    doing("scatterv with a block too long for rank %d, root %d", victim, root);
    Buffer all = buffer(&plain[INT32], (size_t)sent * (size_t)p->size);
    Buffer got = buffer(&plain[INT32], sent), want = buffer(&plain[INT32], sent);
    Blocks of = blocks(p, &plain[INT32], sent, sent);
    size_t here = p->rank == victim ? sent - short_by : sent;
    int code = MPI_Scatterv(all.origin, of.counts, of.places, MPI_INT, got.origin, (int)here,
                            MPI_INT, root, p->comm);
    if (p->rank == victim) expect_truncated(code);
    drop(of);
    free(all.memory);
    /* What fits may have come or not; beyond it nothing may. */
    memcpy(got.origin, want.origin, here * sizeof(int));
    same(got, want);
}

void section_rooms(void) {
    for (int n = 0; n < place_count; n++) {
        const Place* p = &places[n];
        for (int f = 0; f < derived_forms; f++) {
            const Form* at_root = &derived[(f * 3 + 1) % derived_forms];
            const Form* here = &derived[(f + p->rank) % derived_forms];
            roomy_gatherv(p, here, at_root, f % p->size);
            roomy_scatterv(p, at_root, here, f % p->size);
        }
        roomy_gatherv(p, &plain[INT32], &plain[INT32], p->size - 1);
        roomy_scatterv(p, &plain[INT32], &plain[INT32], p->size - 1);
    }
}

void section_long_blocks(void) {
    const Place* world = &places[0];
    MPI_Errhandler before;
    MPI_Comm_get_errhandler(world->comm, &before);
    MPI_Comm_set_errhandler(world->comm, MPI_ERRORS_RETURN);
    for (int victim = 0; victim < world->size; victim++) {
        long_gatherv(world, 0, victim);
        long_scatterv(world, world->size - 1, victim);
    }
    MPI_Comm_set_errhandler(world->comm, before);
    MPI_Errhandler_free(&before);
}
