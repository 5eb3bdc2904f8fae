// SPDX-License-Identifier: BSD-3-Clause
/* The v forms: uneven counts, some zero, blocks in another order than the ranks' with gaps between
   them; and alltoallw. */
#include <stdlib.h>

#include "check.h"
#include "sections.h"

/* Where the blocks of all ranks lie in one rank's buffer. */
typedef struct {
    const Form* form;
    int ranks;
    int* elements;        /* of each block */
    int *counts, *places; /* the same as MPI wants them: in items of the type */
    size_t total;         /* elements, gaps included */
} Layout;

static Layout layout(const Form* form, int ranks, const int* elements) {
    Layout l = {.form = form, .ranks = ranks};
    l.elements = room((size_t)ranks * sizeof(int));
    l.counts = room((size_t)ranks * sizeof(int));
    l.places = room((size_t)ranks * sizeof(int));
    int item = 1;
    for (int n = 0; n < ranks; n++) {
        int r = (n + ranks / 2) % ranks; /* not in rank order */
        l.elements[r] = elements[r];
        l.counts[r] = elements[r] / form->slots;
        l.places[r] = item;
        item += l.counts[r] + n % 2;
    }
    l.total = (size_t)(item * form->slots);
    return l;
}

static void drop(Layout l) {
    free(l.elements);
    free(l.counts);
    free(l.places);
}

static void put_block(Buffer b, const Layout* l, int r, int source) {
    for (int e = 0; e < l->elements[r]; e++)
        put(b, l->form, (size_t)(l->places[r] * l->form->slots + e), value(source, (size_t)e));
}

/* A rank's elements: none on every third rank. */
static int share(int r, int base) { return base * (r % 3); }

static int* shares(int ranks, int base) {
    int* all = room((size_t)ranks * sizeof(int));
    for (int r = 0; r < ranks; r++) all[r] = share(r, base);
    return all;
}

typedef struct {
    const Place* p;
    const Form *mine, *other;
    int base, root, in_place;
} Case;

static void say(const char* operation, Case t) {
    doing("%s, base %d, %s and %s, on %s, root %d%s", operation, t.base, t.mine->name,
          t.other->name, t.p->name, t.root, t.in_place ? ", in place" : "");
}

static void gatherv(Case t) {
    say("gatherv", t);
    int me = t.p->rank, elements = share(me, t.base), *all = shares(t.p->size, t.base);
    Buffer from = buffer(t.mine, (size_t)elements);
    fill(from, t.mine, 0, (size_t)elements, me);
    void* send = elements ? from.origin : NULL;
    if (me != t.root) {
        MPI_Gatherv(send, elements / t.mine->slots, t.mine->type, NULL, NULL, NULL,
                    MPI_DATATYPE_NULL, t.root, t.p->comm);
    } else {
        Layout l = layout(t.other, t.p->size, all);
        Buffer got = buffer(t.other, l.total), want = buffer(t.other, l.total);
        for (int r = 0; r < t.p->size; r++) put_block(want, &l, r, r);
        if (t.in_place) put_block(got, &l, me, me);
        MPI_Gatherv(t.in_place ? MPI_IN_PLACE : send, elements / t.mine->slots, t.mine->type,
                    got.origin, l.counts, l.places, t.other->type, t.root, t.p->comm);
        same(got, want);
        drop(l);
    }
    free(from.memory);
    free(all);
}

static void scatterv(Case t) {
    say("scatterv", t);
    int me = t.p->rank, elements = share(me, t.base), *all = shares(t.p->size, t.base);
    Buffer got = buffer(t.mine, (size_t)elements), want = buffer(t.mine, (size_t)elements);
    int placed = me == t.root && t.in_place;
    if (!placed) fill(want, t.mine, 0, (size_t)elements, me);
    void* receive = placed ? MPI_IN_PLACE : elements ? got.origin : NULL;
    if (me != t.root) {
        MPI_Scatterv(NULL, NULL, NULL, MPI_DATATYPE_NULL, receive, elements / t.mine->slots,
                     t.mine->type, t.root, t.p->comm);
    } else {
        Layout l = layout(t.other, t.p->size, all);
        Buffer from = buffer(t.other, l.total), kept = buffer(t.other, l.total);
        for (int r = 0; r < t.p->size; r++) {
            put_block(from, &l, r, r);
            put_block(kept, &l, r, r);
        }
        MPI_Scatterv(from.origin, l.counts, l.places, t.other->type, receive,
                     elements / t.mine->slots, t.mine->type, t.root, t.p->comm);
        same(from, kept);
        drop(l);
    }
    same(got, want);
    free(all);
}

/* Open MPI chooses its way by count times the size of the own type, so where types of different
   size meet its ranks may choose differently, and hang. These have one size, but different layouts.
 */
static const Form* of_one_size(const Form* form, int rank) {
    static const int layouts[] = {1, 3, 4, 6};
    if (form < derived || form >= derived + derived_forms) return form;
    return &derived[layouts[(form - derived + rank) % 4]];
}

static void allgatherv(Case t) {
    t.mine = of_one_size(t.mine, t.p->rank);
    t.other = of_one_size(t.other, t.p->rank);
    say("allgatherv", t);
    int me = t.p->rank, elements = share(me, t.base), *all = shares(t.p->size, t.base);
    Buffer from = buffer(t.mine, (size_t)elements);
    fill(from, t.mine, 0, (size_t)elements, me);
    Layout l = layout(t.other, t.p->size, all);
    Buffer got = buffer(t.other, l.total), want = buffer(t.other, l.total);
    for (int r = 0; r < t.p->size; r++) put_block(want, &l, r, r);
    if (t.in_place) put_block(got, &l, me, me);
    MPI_Allgatherv(t.in_place ? MPI_IN_PLACE : from.origin, elements / t.mine->slots, t.mine->type,
                   got.origin, l.counts, l.places, t.other->type, t.p->comm);
    same(got, want);
    drop(l);
    free(from.memory);
    free(all);
}

/* Elements between two ranks: none for some pairs; the same both ways when in place. */
static int between(int from, int to, int base, int in_place) {
    return in_place ? base * ((from + to) % 3) : base * ((2 * from + to) % 4);
}

static void alltoallv(Case t) {
    say("alltoallv", t);
    int me = t.p->rank, size = t.p->size;
    int *out = room((size_t)size * sizeof(int)), *in = room((size_t)size * sizeof(int));
    for (int r = 0; r < size; r++) {
        out[r] = between(me, r, t.base, t.in_place);
        in[r] = between(r, me, t.base, t.in_place);
    }
    Layout to = layout(t.mine, size, out), of = layout(t.other, size, in);
    Buffer from = buffer(t.mine, to.total), got = buffer(t.other, of.total);
    Buffer want = buffer(t.other, of.total);
    for (int r = 0; r < size; r++) {
        put_block(from, &to, r, me * 17 + r);
        put_block(want, &of, r, r * 17 + me);
        if (t.in_place) put_block(got, &of, r, me * 17 + r);
    }
    if (t.in_place)
        MPI_Alltoallv(MPI_IN_PLACE, NULL, NULL, MPI_DATATYPE_NULL, got.origin, of.counts, of.places,
                      t.other->type, t.p->comm);
    else
        MPI_Alltoallv(from.origin, to.counts, to.places, t.mine->type, got.origin, of.counts,
                      of.places, t.other->type, t.p->comm);
    same(got, want);
    drop(to);
    drop(of);
    free(from.memory);
    free(in);
    free(out);
}

/* Every pair has its own datatype and its displacement in bytes. */
static void alltoallw(Case t) {
    say("alltoallw", t);
    int me = t.p->rank, size = t.p->size;
    size_t bytes = (size_t)size * sizeof(int);
    int *out = room(bytes), *in = room(bytes), *out_at = room(bytes), *in_at = room(bytes);
    MPI_Datatype* out_type = room((size_t)size * sizeof(MPI_Datatype));
    MPI_Datatype* in_type = room((size_t)size * sizeof(MPI_Datatype));
    size_t stride = (size_t)t.base * 28 + 64, all = stride * (size_t)size; /* 28: widest extent */
    Buffer from = buffer(&plain[INT8], all), got = buffer(&plain[INT8], all);
    Buffer want = buffer(&plain[INT8], all);
    for (int r = 0; r < size; r++) {
        const Form *a = &derived[(me + 2 * r) % 5], *b = &derived[(r + 2 * me) % 5];
        if (t.in_place) a = b = &derived[(me + r) % 5];
        int sends = between(me, r, t.base, t.in_place), comes = between(r, me, t.base, t.in_place);
        out[r] = sends / a->slots;
        in[r] = comes / b->slots;
        out_type[r] = a->type;
        in_type[r] = b->type;
        out_at[r] = (int)stride * r;
        in_at[r] = (int)stride * (size - 1 - r);
        Buffer out_block = from, in_block = want, placed = got;
        out_block.origin += out_at[r];
        in_block.origin += in_at[r];
        placed.origin += in_at[r];
        fill(out_block, a, 0, (size_t)sends, me * 17 + r);
        fill(in_block, b, 0, (size_t)comes, r * 17 + me);
        if (t.in_place) fill(placed, b, 0, (size_t)comes, me * 17 + r);
    }
    if (t.in_place)
        MPI_Alltoallw(MPI_IN_PLACE, NULL, NULL, NULL, got.origin, in, in_at, in_type, t.p->comm);
    else
        MPI_Alltoallw(from.origin, out, out_at, out_type, got.origin, in, in_at, in_type,
                      t.p->comm);
    same(got, want);
    free(from.memory);
    void* rooms[] = {out, in, out_at, in_at, out_type, in_type};
    for (int n = 0; n < 6; n++) free(rooms[n]);
}

static void everywhere(void (*operation)(Case), int rooted, int in_place_matches) {
    static const int bases[] = {0, 1, 17, 500, -1}, derived_bases[] = {6, 300, -1};
    for (int n = 0; n < place_count; n++) {
        const Place* p = &places[n];
        for (const int* b = bases; *b >= 0; b++)
            for (int root = 0; root < (rooted ? p->size : 1); root++)
                for (int in_place = 0; in_place < 2; in_place++)
                    operation(
                        (Case){p, &plain[*b % KINDS], &plain[*b % KINDS], *b, root, in_place});
        for (const int* b = derived_bases; *b >= 0; b++)
            for (int f = 0; f < derived_forms; f++) {
                int in_place = f % 3 == 0, same_form = in_place && in_place_matches;
                const Form* other = &derived[(3 * f + (same_form ? 0 : p->rank)) % derived_forms];
                operation((Case){p, &derived[(f + p->rank) % derived_forms], other, *b, f % p->size,
                                 in_place});
            }
    }
    operation((Case){&places[0], &plain[DOUBLE], &plain[DOUBLE], light ? 2000 : 12000, 0, 0});
}

void section_vectors(void) {
    everywhere(gatherv, 1, 0);
    everywhere(scatterv, 1, 0);
    everywhere(allgatherv, 0, 0);
    everywhere(alltoallv, 0, 1);
}

void section_alltoallw(void) {
    static const int bases[] = {0, 6, 60, 600, -1};
    for (int n = 0; n < place_count; n++)
        for (const int* b = bases; *b >= 0; b++)
            for (int in_place = 0; in_place < 2; in_place++)
                alltoallw((Case){&places[n], &derived[0], &derived[0], *b, 0, in_place});
}
