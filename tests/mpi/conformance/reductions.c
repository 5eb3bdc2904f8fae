// SPDX-License-Identifier: BSD-3-Clause
/* Reductions with the predefined operations. The data are small integers, so that every order of
   addition gives the same bits. */
#include <stdlib.h>

#include "check.h"
#include "sections.h"

typedef struct {
    const char* name;
    MPI_Op op;
} Operation;
enum { operations = 10 };
static Operation operation_table[operations];

static void make_operations(void) {
    Operation all[] = {{"sum", MPI_SUM},   {"max", MPI_MAX},   {"min", MPI_MIN},
                       {"prod", MPI_PROD}, {"land", MPI_LAND}, {"lor", MPI_LOR},
                       {"lxor", MPI_LXOR}, {"band", MPI_BAND}, {"bor", MPI_BOR},
                       {"bxor", MPI_BXOR}};
    for (int o = 0; o < operations; o++) operation_table[o] = all[o];
}

static int allowed(int operation, Kind kind) {
    if (kind == COMPLEX) return operation == 0;
    return operation < 4 || (kind != FLOAT && kind != DOUBLE);
}

static long combine(int operation, long a, long b) {
    switch (operation) {
        case 0:
            return a + b;
        case 1:
            return a > b ? a : b;
        case 2:
            return a < b ? a : b;
        case 3:
            return a * b;
        case 4:
            return a && b;
        case 5:
            return a || b;
        case 6:
            return !a != !b;
        case 7:
            return a & b;
        case 8:
            return a | b;
        default:
            return a ^ b;
    }
}

/* A rank's element: small enough that 15 ranks' sum and product fit a signed byte. */
static long operand(int operation, int source, size_t element) {
    long v = value(source, element);
    if (operation == 3) return v % 5 == 0 ? 2 : 1;
    return operation == 0 ? v % 9 : v % 100;
}

/* The result over the ranks first up to, not including, last. */
static long result(int operation, int first, int last, size_t element) {
    long sum = operand(operation, first, element);
    for (int r = first + 1; r < last; r++)
        sum = combine(operation, sum, operand(operation, r, element));
    if (last - first == 1 || operation < 4 || operation > 6) return sum;
    return sum != 0;
}

typedef struct {
    const Place* p;
    const Form* form;
    int operation, elements, root, in_place;
} Case;

static void say(const char* what, Case t) {
    doing("%s %s of %d × %s on %s, root %d%s", what, operation_table[t.operation].name, t.elements,
          t.form->name, t.p->name, t.root, t.in_place ? ", in place" : "");
}

static Buffer operands(Case t, size_t elements) {
    Buffer b = buffer(t.form, elements);
    for (size_t e = 0; e < elements; e++) put(b, t.form, e, operand(t.operation, t.p->rank, e));
    return b;
}

static Buffer results(Case t, int first, int last, size_t start, size_t elements) {
    Buffer b = buffer(t.form, elements);
    for (size_t e = 0; e < elements; e++)
        put(b, t.form, e, result(t.operation, first, last, start + e));
    return b;
}

static void reduce(Case t) {
    say("reduce", t);
    size_t n = (size_t)t.elements;
    MPI_Op op = operation_table[t.operation].op;
    Buffer from = operands(t, n), kept = operands(t, n);
    if (t.p->rank != t.root) {
        MPI_Reduce(from.origin, NULL, t.elements, t.form->type, op, t.root, t.p->comm);
    } else if (t.in_place) {
        Buffer got = operands(t, n);
        MPI_Reduce(MPI_IN_PLACE, got.origin, t.elements, t.form->type, op, t.root, t.p->comm);
        same(got, results(t, 0, t.p->size, 0, n));
    } else {
        Buffer got = buffer(t.form, n);
        MPI_Reduce(from.origin, got.origin, t.elements, t.form->type, op, t.root, t.p->comm);
        same(got, results(t, 0, t.p->size, 0, n));
    }
    same(from, kept);
}

static void allreduce(Case t) {
    say("allreduce", t);
    size_t n = (size_t)t.elements;
    Buffer from = operands(t, n), got = t.in_place ? operands(t, n) : buffer(t.form, n);
    MPI_Allreduce(t.in_place ? MPI_IN_PLACE : from.origin, got.origin, t.elements, t.form->type,
                  operation_table[t.operation].op, t.p->comm);
    same(got, results(t, 0, t.p->size, 0, n));
    same(from, operands(t, n));
}

static void scan(Case t) {
    say("scan", t);
    size_t n = (size_t)t.elements;
    Buffer from = operands(t, n), got = t.in_place ? operands(t, n) : buffer(t.form, n);
    MPI_Scan(t.in_place ? MPI_IN_PLACE : from.origin, got.origin, t.elements, t.form->type,
             operation_table[t.operation].op, t.p->comm);
    same(got, results(t, 0, t.p->rank + 1, 0, n));
    same(from, operands(t, n));
}

static void exscan(Case t) {
    say("exscan", t);
    size_t n = (size_t)t.elements;
    Buffer from = operands(t, n), got = t.in_place ? operands(t, n) : buffer(t.form, n);
    MPI_Exscan(t.in_place ? MPI_IN_PLACE : from.origin, got.origin, t.elements, t.form->type,
               operation_table[t.operation].op, t.p->comm);
    if (t.p->rank > 0)
        same(got, results(t, 0, t.p->rank, 0, n));
    else
        free(got.memory); /* undefined there */
    same(from, operands(t, n));
}

static void reduce_scatter_block(Case t) {
    say("reduce_scatter_block", t);
    size_t n = (size_t)t.elements, all = n * (size_t)t.p->size, mine = n * (size_t)t.p->rank;
    MPI_Op op = operation_table[t.operation].op;
    Buffer from = operands(t, all), got = t.in_place ? operands(t, all) : buffer(t.form, n);
    MPI_Reduce_scatter_block(t.in_place ? MPI_IN_PLACE : from.origin, got.origin, t.elements,
                             t.form->type, op, t.p->comm);
    if (t.in_place) got = (Buffer){got.memory, got.origin, 64 + n * (size_t)t.form->extent};
    Buffer want = results(t, 0, t.p->size, mine, n);
    if (t.in_place) want.bytes = got.bytes; /* beyond the result the operands may be scratch */
    same(got, want);
    same(from, operands(t, all));
}

static void reduce_scatter(Case t) {
    say("reduce_scatter", t);
    int counts[64], before = 0, all = 0;
    REQUIRE(t.p->size <= 64);
    for (int r = 0; r < t.p->size; r++) {
        counts[r] = t.elements * (r % 3); /* none for some */
        if (r < t.p->rank) before += counts[r];
        all += counts[r];
    }
    size_t mine = (size_t)counts[t.p->rank];
    Buffer from = operands(t, (size_t)all);
    Buffer got = t.in_place ? operands(t, (size_t)all) : buffer(t.form, mine);
    MPI_Reduce_scatter(t.in_place ? MPI_IN_PLACE : from.origin, got.origin, counts, t.form->type,
                       operation_table[t.operation].op, t.p->comm);
    Buffer want = results(t, 0, t.p->size, (size_t)before, mine);
    if (t.in_place) want.bytes = got.bytes = 64 + mine * (size_t)t.form->extent;
    same(got, want);
    same(from, operands(t, (size_t)all));
}

static void everywhere(void (*reduction)(Case), int rooted) {
    make_operations();
    for (int n = 0; n < place_count; n++) {
        const Place* p = &places[n];
        for (const int* e = small_sizes; *e >= 0; e++)
            for (int root = 0; root < (rooted ? p->size : 1); root = next_root(p, root, *e))
                for (int in_place = 0; in_place < 2; in_place++)
                    reduction((Case){p, &plain[in_place ? DOUBLE : INT32], 0, *e, root, in_place});
    }
    for (const int* e = large_sizes; *e >= 0; e++)
        reduction(
            (Case){&places[0], &plain[DOUBLE], 0, light ? *e / 4 : *e, places[0].size / 2, 0});
}

void section_reduce(void) { everywhere(reduce, 1); }
void section_allreduce(void) { everywhere(allreduce, 0); }
void section_scan(void) {
    everywhere(scan, 0);
    everywhere(exscan, 0);
}
void section_reduce_scatter(void) {
    everywhere(reduce_scatter, 0);
    everywhere(reduce_scatter_block, 0);
}

/* Every predefined operation on every type that it is defined for. */
void section_operators(void) {
    make_operations();
    const Place* p = &places[0];
    for (int o = 0; o < operations; o++)
        for (int k = 0; k < KINDS; k++) {
            if (!allowed(o, (Kind)k)) continue;
            Case t = {p, &plain[k], o, 13, (o + k) % p->size, (o + k) % 2};
            reduce(t);
            allreduce(t);
            scan(t);
            exscan(t);
            reduce_scatter(t);
            reduce_scatter_block(t);
        }
}
