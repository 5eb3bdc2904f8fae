// SPDX-License-Identifier: BSD-3-Clause
/* Reductions with the user's own operations: commutative or not, on types with gaps, and calling
   MPI themselves; and MINLOC and MAXLOC. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "check.h"
#include "sections.h"

/* x -> factor x + offset modulo a prime. Composition does not commute. The gap is not data. */
typedef struct {
    int64_t factor;
    int32_t gap;
    int64_t offset;
} Map;
static const int64_t prime = 1000003;
enum { gap = 0x5A5A5A5A };

static Map compose(Map first, Map then) {
    return (Map){first.factor * then.factor % prime, gap,
                 (first.offset * then.factor + then.offset) % prime};
}

static void compose_op(void* in, void* inout, int* count, MPI_Datatype* type) {
    (void)type;
    const Map* a = in;
    Map* b = inout;
    for (int n = 0; n < *count; n++) {
        Map both = compose(a[n], b[n]);
        b[n].factor = both.factor;
        b[n].offset = both.offset;
    }
}

static int calls_inside;

/* Open MPI's own persistent collectives are not moved on within an operation that they call. */
#ifdef PERSISTENT
#define PLAIN(name) (name)
#else
#define PLAIN(name) name
#endif

/* The same, and calls MPI as a user's operation may. */
static void composing_with_mpi(void* in, void* inout, int* count, MPI_Datatype* type) {
    MPI_Aint low, extent;
    MPI_Type_get_extent(*type, &low, &extent);
    if (extent != sizeof(Map))
        fail(__FILE__, __LINE__, "operation got a type of extent %ld", extent);
    int one = 1, two = 0;
    PLAIN(MPI_Bcast)(&one, 1, MPI_INT, 0, MPI_COMM_SELF);
    PLAIN(MPI_Allreduce)(&one, &two, 1, MPI_INT, MPI_SUM, MPI_COMM_SELF);
    calls_inside += two;
    compose_op(in, inout, count, type);
}

/* Commutative, on plain ints: the greatest common divisor. */
static int gcd(int a, int b) { return b == 0 ? a : gcd(b, a % b); }

static void gcd_op(void* in, void* inout, int* count, MPI_Datatype* type) {
    (void)type;
    const int* a = in;
    int* b = inout;
    for (int n = 0; n < *count; n++) b[n] = gcd(a[n], b[n]);
}

/* Sums of two pages that lie a page apart. */
static size_t page;

static void sum_apart(void* in, void* inout, int* count, MPI_Datatype* type) {
    (void)count, (void)type;
    for (size_t part = 0; part < 2; part++) {
        const int64_t* a = (int64_t*)((char*)in + part * 2 * page);
        int64_t* b = (int64_t*)((char*)inout + part * 2 * page);
        for (size_t n = 0; n < page / sizeof *b; n++) b[n] += a[n];
    }
}

static Map operand(int rank, int n) {
    return (Map){1 + value(rank, (size_t)n), gap, value(rank + 5, (size_t)n)};
}

static Map* operands(int rank, int count) {
    Map* all = room((size_t)count * sizeof(Map));
    for (int n = 0; n < count; n++) {
        memset(&all[n], 0, sizeof(Map));
        Map one = operand(rank, n);
        memcpy(&all[n].factor, &one.factor, 8);
        all[n].gap = one.gap;
        memcpy(&all[n].offset, &one.offset, 8);
    }
    return all;
}

/* The composition of the maps of the ranks first up to, not including, last. */
static void check(const Map* got, int first, int last, int start, int count) {
    for (int n = 0; n < count; n++) {
        Map want = operand(first, start + n);
        for (int r = first + 1; r < last; r++) want = compose(want, operand(r, start + n));
        EXPECT(got[n].factor, want.factor);
        EXPECT(got[n].offset, want.offset);
        EXPECT(got[n].gap, gap);
    }
}

static MPI_Datatype map_type(void) {
    MPI_Datatype loose, type;
    MPI_Type_create_struct(2, (int[]){1, 1},
                           (MPI_Aint[]){offsetof(Map, factor), offsetof(Map, offset)},
                           (MPI_Datatype[]){MPI_INT64_T, MPI_INT64_T}, &loose);
    MPI_Type_create_resized(loose, 0, sizeof(Map), &type);
    MPI_Type_free(&loose);
    MPI_Type_commit(&type);
    return type;
}

static void compositions(const Place* p, MPI_Op op, int count) {
    MPI_Datatype type = map_type();
    int me = p->rank, size = p->size, blocks = count * size;
    /* Results start as operands of the right rank, so that their gaps are known. */
    Map *mine = operands(me, blocks), *got = operands(me, blocks);
    for (int root = 0; root < size; root = next_root(p, root, count)) {
        doing("reduce of %d maps on %s, root %d", count, p->name, root);
        MPI_Reduce(mine, got, count, type, op, root, p->comm);
        if (me == root) check(got, 0, size, 0, count);
    }
    doing("allreduce of %d maps on %s", count, p->name);
    MPI_Allreduce(mine, got, count, type, op, p->comm);
    check(got, 0, size, 0, count);
    doing("scan of %d maps on %s", count, p->name);
    MPI_Scan(mine, got, count, type, op, p->comm);
    check(got, 0, me + 1, 0, count);
    doing("exscan of %d maps on %s", count, p->name);
    MPI_Exscan(mine, got, count, type, op, p->comm);
    if (me > 0) check(got, 0, me, 0, count);
    doing("reduce_scatter_block of %d maps on %s", count, p->name);
    MPI_Reduce_scatter_block(mine, got, count, type, op, p->comm);
    check(got, 0, size, me * count, count);
    doing("reduce_scatter of %d maps on %s", count, p->name);
    int counts[64], before = 0;
    REQUIRE(size <= 64);
    for (int r = 0; r < size; r++) counts[r] = r % 2 ? count : count / 2;
    for (int r = 0; r < me; r++) before += counts[r];
    MPI_Reduce_scatter(mine, got, counts, type, op, p->comm);
    check(got, 0, size, before, counts[me]);
    doing("allreduce of %d maps in place on %s", count, p->name);
    MPI_Allreduce(MPI_IN_PLACE, mine, count, type, op, p->comm);
    check(mine, 0, size, 0, count);
    free(mine);
    free(got);
    MPI_Type_free(&type);
}

/* A new operation gets the handle of the one freed before it. */
static void reused_handles(const Place* p) {
    doing("operations made and freed in turn on %s", p->name);
    for (int turn = 0; turn < 20; turn++) {
        MPI_Op op;
        MPI_Op_create(turn % 2 ? gcd_op : compose_op, turn % 2, &op);
        if (turn % 2) {
            int mine[2] = {6 * (p->rank + 1), 35}, got[2], want = 6;
            MPI_Allreduce(mine, got, 2, MPI_INT, op, p->comm);
            for (int r = 0; r < p->size; r++) want = gcd(want, 6 * (r + 1));
            EXPECT(got[0], want);
            EXPECT(got[1], 35);
        } else {
            MPI_Datatype type = map_type();
            Map *mine = operands(p->rank, 3), *got = operands(p->rank, 3);
            MPI_Scan(mine, got, 3, type, op, p->comm);
            check(got, 0, p->rank + 1, 0, 3);
            free(mine);
            free(got);
            MPI_Type_free(&type);
        }
        MPI_Op_free(&op);
    }
}

typedef struct {
    double value;
    int index;
} Located;

static void located(const Place* p, int count) {
    Located* mine = room((size_t)count * sizeof(Located));
    Located* got = room((size_t)count * sizeof(Located));
    for (int least = 0; least < 2; least++) {
        doing("%s of %d on %s", least ? "minloc" : "maxloc", count, p->name);
        for (int n = 0; n < count; n++) {
            mine[n].value =
                (double)(value(p->rank, (size_t)n) % 7); /* ties: the lower index wins */
            mine[n].index = p->rank;
        }
        MPI_Allreduce(mine, got, count, MPI_DOUBLE_INT, least ? MPI_MINLOC : MPI_MAXLOC, p->comm);
        for (int n = 0; n < count; n++) {
            int best = 0;
            for (int r = 1; r < p->size; r++) {
                long a = value(r, (size_t)n) % 7, b = value(best, (size_t)n) % 7;
                if (least ? a < b : a > b) best = r;
            }
            EXPECT(got[n].index, best);
            EXPECT(got[n].value, value(best, (size_t)n) % 7);
        }
    }
    free(mine);
    free(got);
}

/* The page between them may not be touched. */
static void with_a_hole(const Place* p) {
    page = (size_t)sysconf(_SC_PAGESIZE);
    const size_t words = page / sizeof(int64_t);
    MPI_Datatype apart;
    MPI_Op op;
    char* both[2];
    for (int i = 0; i < 2; i++) {
        both[i] = mmap(NULL, 3 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        REQUIRE(both[i] != MAP_FAILED && mprotect(both[i] + page, page, PROT_NONE) == 0);
    }
    MPI_Type_create_hvector(2, (int)words, (MPI_Aint)(2 * page), MPI_INT64_T, &apart);
    MPI_Type_commit(&apart);
    MPI_Op_create(sum_apart, 1, &op);
    for (int in_place = 0; in_place < 2; in_place++) {
        doing("allreduce of pages apart%s on %s", in_place ? " in place" : "", p->name);
        for (size_t part = 0; part < 2; part++)
            for (size_t n = 0; n < words; n++)
                ((int64_t*)(both[in_place] + 2 * part * page))[n] = p->rank + (int64_t)n;
        MPI_Allreduce(in_place ? MPI_IN_PLACE : both[0], both[1], 1, apart, op, p->comm);
        for (size_t part = 0; part < 2; part++)
            for (size_t n = 0; n < words; n++)
                EXPECT(((int64_t*)(both[1] + 2 * part * page))[n],
                       p->size * (p->size - 1) / 2 + p->size * (int64_t)n);
    }
    MPI_Op_free(&op);
    MPI_Type_free(&apart);
    for (int i = 0; i < 2; i++) munmap(both[i], 3 * page);
}

void section_user_operators(void) {
    static const int counts[] = {1, 5, 300};
    MPI_Op ordered, calling;
    MPI_Op_create(compose_op, 0, &ordered);
    MPI_Op_create(composing_with_mpi, 0, &calling);
    for (int n = 0; n < place_count; n++) {
        for (int c = 0; c < 3; c++) {
            compositions(&places[n], ordered, counts[c]);
            located(&places[n], counts[c]);
        }
        compositions(&places[n], calling, 4);
        reused_handles(&places[n]);
    }
    with_a_hole(&places[0]);
    compositions(&places[0], ordered, light ? 1000 : 5000);
    int size;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    REQUIRE(size == 1 || calls_inside > 0);
    MPI_Op_free(&ordered);
    MPI_Op_free(&calling);
}
