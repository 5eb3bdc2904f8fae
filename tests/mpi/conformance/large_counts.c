// SPDX-License-Identifier: BSD-3-Clause
/* The large-count forms of MPI 4 (MPI_Bcast_c, …): every operation once with small data. */
#include "check.h"
#include "sections.h"

#if MPI_VERSION >= 4
#include <stdlib.h>

static void blocks(const Place* p, int n, const Form* form) {
    int me = p->rank, size = p->size;
    size_t all = (size_t)(n * size);
    MPI_Count count = n / form->slots;
    MPI_Datatype type = form->type;
    for (int root = 0; root < size; root = next_root(p, root, n)) {
        doing("large-count data movement of %d × %s on %s, root %d", n, form->name, p->name, root);
        Buffer got = buffer(form, (size_t)n), want = buffer(form, (size_t)n);
        if (me == root) fill(got, form, 0, (size_t)n, root);
        fill(want, form, 0, (size_t)n, root);
        MPI_Bcast_c(got.origin, count, type, root, p->comm);
        same(got, want);

        Buffer mine = buffer(form, (size_t)n), gathered = buffer(form, all),
               wanted = buffer(form, all);
        fill(mine, form, 0, (size_t)n, me);
        for (int r = 0; r < size && me == root; r++)
            for (int e = 0; e < n; e++) put(wanted, form, (size_t)(r * n + e), value(r, (size_t)e));
        MPI_Gather_c(mine.origin, count, type, gathered.origin, count, type, root, p->comm);
        Buffer back = buffer(form, (size_t)n);
        MPI_Scatter_c(gathered.origin, count, type, back.origin, count, type, root, p->comm);
        same(back, mine);
        same(gathered, wanted);
    }
    doing("large-count exchange of %d × %s on %s", n, form->name, p->name);
    Buffer mine = buffer(form, (size_t)n), got = buffer(form, all), want = buffer(form, all);
    Buffer turned = buffer(form, all);
    fill(mine, form, 0, (size_t)n, me);
    for (int r = 0; r < size; r++)
        for (int e = 0; e < n; e++) put(want, form, (size_t)(r * n + e), value(r, (size_t)e));
    MPI_Allgather_c(mine.origin, count, type, got.origin, count, type, p->comm);
    MPI_Alltoall_c(got.origin, count, type, turned.origin, count, type, p->comm);
    Buffer own = buffer(form, all); /* everyone sent its copy of my block */
    for (int r = 0; r < size; r++)
        for (int e = 0; e < n; e++) put(own, form, (size_t)(r * n + e), value(me, (size_t)e));
    same(turned, own);
    same(got, want);
    free(mine.memory);
}

static void vectors(const Place* p) {
    int me = p->rank, size = p->size, n = 30;
    size_t all = (size_t)(n * size), many = (size_t)size;
    doing("large-count v forms on %s", p->name);
    MPI_Count* counts = room(many * sizeof *counts);
    MPI_Aint *starts = room(many * sizeof *starts), *bytes = room(many * sizeof *bytes);
    MPI_Datatype* types = room(many * sizeof(MPI_Datatype));
    const Form* form = &plain[INT32];
    for (int r = 0; r < size; r++) {
        counts[r] = n;
        starts[r] = (MPI_Aint)n * r;
        bytes[r] = 4 * starts[r];
        types[r] = MPI_INT;
    }
    Buffer mine = buffer(form, (size_t)n), back = buffer(form, (size_t)n);
    Buffer got[5], want = buffer(form, all);
    for (int g = 0; g < 5; g++) got[g] = buffer(form, all);
    fill(mine, form, 0, (size_t)n, me);
    for (int r = 0; r < size; r++)
        for (int e = 0; e < n; e++) put(want, form, (size_t)(r * n + e), value(r, (size_t)e));
    MPI_Allgatherv_c(mine.origin, n, MPI_INT, got[0].origin, counts, starts, MPI_INT, p->comm);
    MPI_Alltoallv_c(got[0].origin, counts, starts, MPI_INT, got[1].origin, counts, starts, MPI_INT,
                    p->comm);
    MPI_Alltoallv_c(got[1].origin, counts, starts, MPI_INT, got[2].origin, counts, starts, MPI_INT,
                    p->comm);
    MPI_Alltoallw_c(got[2].origin, counts, bytes, types, got[3].origin, counts, bytes, types,
                    p->comm);
    MPI_Alltoallw_c(got[3].origin, counts, bytes, types, got[4].origin, counts, bytes, types,
                    p->comm);
    MPI_Gatherv_c(mine.origin, n, MPI_INT, got[0].origin, counts, starts, MPI_INT, size - 1,
                  p->comm);
    MPI_Scatterv_c(got[0].origin, counts, starts, MPI_INT, back.origin, n, MPI_INT, size - 1,
                   p->comm);
    same(back, mine);
    for (int g = 0; g < 4; g++) {
        digest(got[g].memory, got[g].bytes);
        free(got[g].memory);
    }
    same(got[4], want);
    void* rooms[] = {counts, starts, bytes, types};
    for (int f = 0; f < 4; f++) free(rooms[f]);
}

static void add_c(void* in, void* inout, MPI_Count* count, MPI_Datatype* type) {
    (void)type;
    for (MPI_Count n = 0; n < *count; n++) ((int*)inout)[n] += ((const int*)in)[n];
}

static void reductions(const Place* p, MPI_Op op) {
    enum { n = 20 };
    int me = p->rank, size = p->size, got[n], sum = size * (size + 1) / 2;
    int* mine = room((size_t)size * n * sizeof(int));
    for (int e = 0; e < n * size; e++) mine[e] = (me + 1) * (e + 1);
    doing("large-count reductions on %s", p->name);
    MPI_Reduce_c(mine, got, n, MPI_INT, op, size - 1, p->comm);
    for (int e = 0; e < n && me == size - 1; e++) EXPECT(got[e], sum * (e + 1));
    MPI_Allreduce_c(mine, got, n, MPI_INT, op, p->comm);
    for (int e = 0; e < n; e++) EXPECT(got[e], sum * (e + 1));
    MPI_Scan_c(mine, got, n, MPI_INT, op, p->comm);
    for (int e = 0; e < n; e++) EXPECT(got[e], (me + 1) * (me + 2) / 2 * (e + 1));
    MPI_Exscan_c(mine, got, n, MPI_INT, op, p->comm);
    for (int e = 0; e < n && me > 0; e++) EXPECT(got[e], me * (me + 1) / 2 * (e + 1));
    MPI_Reduce_scatter_block_c(mine, got, n, MPI_INT, op, p->comm);
    for (int e = 0; e < n; e++) EXPECT(got[e], sum * (me * n + e + 1));
    MPI_Count* counts = room((size_t)size * sizeof *counts);
    for (int r = 0; r < size; r++) counts[r] = n;
    MPI_Reduce_scatter_c(mine, got, counts, MPI_INT, op, p->comm);
    for (int e = 0; e < n; e++) EXPECT(got[e], sum * (me * n + e + 1));
    free(counts);
    free(mine);
}

/* Types made by large-count constructors: they have no envelope in the small-count form. */
static void constructed(const Place* p) {
    doing("types of large-count constructors on %s", p->name);
    MPI_Datatype types[3];
    MPI_Type_vector_c(5, 1, 2, MPI_INT, &types[0]);
    MPI_Type_create_indexed_block_c(5, 1, (MPI_Count[]){0, 2, 4, 6, 8}, MPI_INT, &types[1]);
    MPI_Type_create_struct_c(1, (MPI_Count[]){5}, (MPI_Count[]){4}, &(MPI_Datatype){MPI_INT},
                             &types[2]);
    for (int n = 0; n < 3; n++) MPI_Type_commit(&types[n]);
    for (int turn = 0; turn < 6; turn++) {
        int data[10], mine = (turn + p->rank) % 3, root = turn % p->size;
        for (int n = 0; n < 10; n++) data[n] = -n;
        for (int n = 0; n < 5 && p->rank == root; n++) data[mine == 2 ? n + 1 : 2 * n] = turn + n;
        MPI_Bcast(data, 1, types[mine], root, p->comm);
        for (int n = 0; n < 5; n++) EXPECT(data[mine == 2 ? n + 1 : 2 * n], turn + n);
        EXPECT(data[9], -9);
    }
    for (int n = 0; n < 3; n++) MPI_Type_free(&types[n]);
}

void section_large_counts(void) {
    MPI_Op op;
    MPI_Op_create_c(add_c, 1, &op);
    for (int n = 0; n < place_count; n++) {
        blocks(&places[n], 17, &plain[DOUBLE]);
        blocks(&places[n], 600, &derived[2]);
        blocks(&places[n], 60, &derived[5]);
        vectors(&places[n]);
        constructed(&places[n]);
        reductions(&places[n], MPI_SUM);
        reductions(&places[n], op);
    }
    MPI_Op_free(&op);
}

#else
void section_large_counts(void) { doing("this MPI has no large-count forms"); }
#endif
