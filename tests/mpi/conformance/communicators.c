// SPDX-License-Identifier: BSD-3-Clause
/* Communicators themselves: between two groups, Cartesian, with attributes, very many of them, and
   what runs inside MPI_Finalize. */
#include <stdio.h>
#include <stdlib.h>

#include "check.h"
#include "sections.h"

/* The two halves of the world, each a group. */
void section_intercommunicators(void) {
    int rank = places[0].rank, size = places[0].size;
    if (size < 2) return;
    doing("intercommunicator");
    MPI_Comm half, between, merged;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 5, &between);
    int mine = rank + 1, sum = 0, others = 0, local, remote;
    for (int r = 1 - rank % 2; r < size; r += 2) others += r + 1;
    MPI_Comm_rank(between, &local);
    MPI_Comm_remote_size(between, &remote);
    MPI_Barrier(between);
    MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, between);
    EXPECT(sum, others);
    int word[3000];
    for (int n = 0; n < 3000; n++) word[n] = rank == 0 ? n : -1;
    int root = rank % 2 ? 0 : rank == 0 ? MPI_ROOT : MPI_PROC_NULL;
    MPI_Bcast(word, 3000, MPI_INT, root, between);
    for (int n = 0; n < 3000; n++) EXPECT(word[n], rank % 2 || rank == 0 ? n : -1);
    sum = 0;
    MPI_Reduce(&mine, &sum, 1, MPI_INT, MPI_SUM, root, between);
    EXPECT(sum, rank == 0 ? others : 0);
    int* all = room((size_t)remote * sizeof(int));
    MPI_Allgather(&mine, 1, MPI_INT, all, 1, MPI_INT, between);
    for (int r = 0; r < remote; r++) EXPECT(all[r], 2 * r + 1 - rank % 2 + 1);
    free(all);

    doing("merged intercommunicator");
    MPI_Intercomm_merge(between, rank % 2, &merged);
    MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, merged);
    EXPECT(sum, size * (size + 1) / 2);
    MPI_Comm_free(&merged);
    MPI_Comm_free(&between);
    MPI_Comm_free(&half);
}

/* With reorder the ranks may be in any order, and any may be left out, so nothing of it goes into
   the hash: REQUIRE, not EXPECT. */
static void ring(int ranks, int periodic) {
    doing("ring of %d%s", ranks, periodic ? ", periodic" : "");
    MPI_Comm cart;
    MPI_Cart_create(MPI_COMM_WORLD, 1, &ranks, &periodic, 1, &cart);
    int inside = cart != MPI_COMM_NULL, count = 0;
    MPI_Allreduce(&inside, &count, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    EXPECT(count, ranks);
    if (!inside) return;
    int me, size, kind, at, before, after, dims, periods;
    MPI_Comm_rank(cart, &me);
    MPI_Comm_size(cart, &size);
    REQUIRE(size == ranks);
    MPI_Topo_test(cart, &kind);
    REQUIRE(kind == MPI_CART);
    MPI_Cart_get(cart, 1, &dims, &periods, &at);
    REQUIRE(dims == ranks);
    REQUIRE((periods != 0) == periodic);
    REQUIRE(at == me);
    MPI_Cart_shift(cart, 0, 1, &before, &after);
    REQUIRE(after == (me + 1 < size ? me + 1 : periodic ? 0 : MPI_PROC_NULL));

    int world, token = -1, *worlds = room((size_t)size * sizeof(int)), seen = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &world);
    MPI_Sendrecv(&me, 1, MPI_INT, after, 0, &token, 1, MPI_INT, before, 0, cart, MPI_STATUS_IGNORE);
    REQUIRE(token == (me > 0 ? me - 1 : periodic ? size - 1 : -1));
    MPI_Allgather(&world, 1, MPI_INT, worlds, 1, MPI_INT, cart);
    REQUIRE(worlds[me] == world);
    for (int r = 0; r < size; r++) /* each of them once */
        for (int other = 0; other < r; other++) seen += worlds[r] == worlds[other];
    REQUIRE(seen == 0);
    int beside[2] = {-1, -1};
    MPI_Neighbor_allgather(&me, 1, MPI_INT, beside, 1, MPI_INT, cart);
    REQUIRE(beside[0] == (me > 0 ? me - 1 : periodic ? size - 1 : -1));
    free(worlds);
    MPI_Comm_free(&cart);
}

void section_cartesian(void) {
    int size = places[0].size;
    ring(size, 1);
    ring(size, 0);
    if (size > 1) ring(size - 1, 1);
    doing("two dimensions, not reordered");
    int dims[2] = {0, 0}, periods[2] = {1, 0}, me, sum = 0;
    MPI_Comm cart, row;
    MPI_Dims_create(size, 2, dims);
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &cart);
    MPI_Comm_rank(cart, &me);
    EXPECT(me, places[0].rank);
    MPI_Cart_sub(cart, (int[]){0, 1}, &row);
    MPI_Allreduce(&me, &sum, 1, MPI_INT, MPI_SUM, row);
    int first = me / dims[1] * dims[1];
    EXPECT(sum, dims[1] * first + dims[1] * (dims[1] - 1) / 2);
    MPI_Comm_free(&row);
    MPI_Comm_free(&cart);
}

static int copied, deleted;

/* Callbacks may themselves call collectives. */
static int on_copy(MPI_Comm comm, int key, void* extra, void* in, void* out, int* flag) {
    (void)comm, (void)key, (void)extra;
    int one = 1, sum = 0;
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_SELF);
    copied += sum;
    *(void**)out = in;
    *flag = 1;
    return MPI_SUCCESS;
}

static int on_delete(MPI_Comm comm, int key, void* attribute, void* extra) {
    (void)comm, (void)key, (void)extra;
    MPI_Barrier(MPI_COMM_SELF);
    deleted += *(int*)attribute;
    return MPI_SUCCESS;
}

void section_attributes(void) {
    for (int n = 0; n < place_count; n++) {
        const Place* p = &places[n];
        doing("attributes on %s", p->name);
        int key, found, one = 1, sum = 0, *attribute;
        MPI_Comm first, second;
        copied = deleted = 0;
        MPI_Comm_create_keyval(on_copy, on_delete, &key, NULL);
        MPI_Comm_dup(p->comm, &first);
        MPI_Comm_set_attr(first, key, &one);
        MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, first); /* ECO's own set-up copies nothing */
        EXPECT(sum, p->size);
        EXPECT(copied, 0);
        MPI_Comm_dup(first, &second);
        EXPECT(copied, 1);
        MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, second);
        MPI_Comm_get_attr(second, key, &attribute, &found);
        REQUIRE(found && attribute == &one);
        MPI_Comm_free(&first);
        EXPECT(deleted, 1);
        MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, second); /* lives on */
        EXPECT(sum, p->size);
        MPI_Comm_free_keyval(&key);
        MPI_Comm_free(&second);
        EXPECT(deleted, 2);
        EXPECT(copied, 1);
    }
}

/* Contexts are few: whatever is made for a communicator must go with it. */
void section_communicators(void) {
    int rank = places[0].rank, size = places[0].size;
    for (int n = 0; n < communicators; n++) {
        doing("communicator %d of %d in sequence", n, communicators);
        MPI_Comm comm;
        if (n % 2)
            MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        else
            MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &comm);
        int word = rank == (n % 2 ? 0 : size - 1) ? n : -1, sum = 0;
        MPI_Bcast(&word, 1, MPI_INT, 0, comm);
        EXPECT(word, n);
        if (n % 8 == 0) MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm);
        if (n % 8 == 0) EXPECT(sum, size * (size - 1) / 2);
        MPI_Comm_free(&comm);
    }
    enum { alive = 40 };
    MPI_Comm comms[alive];
    doing("%d communicators at once", alive);
    for (int n = 0; n < alive; n++) MPI_Comm_dup(MPI_COMM_WORLD, &comms[n]);
    for (int turn = 0; turn < 2; turn++)
        for (int n = 0; n < alive; n++) {
            int word = rank == n % size ? n : -1;
            MPI_Bcast(&word, 1, MPI_INT, n % size, comms[n]);
            EXPECT(word, n);
        }
    for (int n = alive - 1; n >= 0; n--) MPI_Comm_free(&comms[(n * 7) % alive]);
}

/* MPI still works while the attributes of MPI_COMM_SELF are deleted. */
static int at_finalize(MPI_Comm comm, int key, void* attribute, void* extra) {
    (void)comm, (void)key, (void)attribute, (void)extra;
    int rank, size, sum = 0, one = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    doing("allreduce in MPI_Finalize");
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    EXPECT(sum, size);
    if (rank == 0) printf("ok finalize\nall ok\n");
    fflush(stdout);
    return MPI_SUCCESS;
}

void prepare_finalize(void) {
    int key;
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, at_finalize, &key, NULL);
    MPI_Comm_set_attr(MPI_COMM_SELF, key, NULL);
    MPI_Comm_free_keyval(&key);
}
