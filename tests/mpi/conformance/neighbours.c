// SPDX-License-Identifier: BSD-3-Clause
/* Neighbourhood allgathers on distributed graphs, grids and graphs: edges twice, to oneself, ranks
   that have none, and neighbours that are none. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "sections.h"

/* How many edges lead from one rank to another. */
typedef int (*Edges)(int from, int to, int size);

static int sparse(int from, int to, int size) {
    (void)size;
    static const int number[] = {1, 0, 0, 2, 0, 1, 0};
    return number[(from * 5 + to * 3) % 7];
}
static int all_but_last(int from, int to, int size) {
    return from != to && from + 1 < size && to + 1 < size;
}
static int from_first(int from, int to, int size) {
    (void)size;
    return from == 0 && to != 0;
}
static int chain(int from, int to, int size) { return (void)size, to == from + 1; }
static int none(int from, int to, int size) { return (void)size, (void)from, (void)to, 0; }

/* A communicator with a topology, and whom this rank gets from, by edge; -1 for nobody. */
typedef struct {
    const char* name;
    MPI_Comm comm;
    int rank, size, count;
    int* sources;
} Graph;

static Graph distributed(const Place* p, const char* name, Edges edges) {
    Graph g = {name, MPI_COMM_NULL, p->rank, p->size, 0, NULL};
    int out = 0, *targets = room((size_t)(2 * p->size) * sizeof(int));
    g.sources = room((size_t)(2 * p->size) * sizeof(int));
    for (int r = p->size - 1; r >= 0; r--) { /* not in rank order */
        for (int e = 0; e < edges(r, p->rank, p->size); e++) g.sources[g.count++] = r;
        for (int e = 0; e < edges(p->rank, r, p->size); e++) targets[out++] = r;
    }
    int* weights = room((size_t)(2 * p->size) * sizeof(int));
    for (int w = 0; w < 2 * p->size; w++) weights[w] = w + 1;
    MPI_Dist_graph_create_adjacent(p->comm, g.count, g.sources, weights, out, targets, weights,
                                   MPI_INFO_NULL, 0, &g.comm);
    free(weights);
    free(targets);
    return g;
}

static Graph grid(const Place* p, int periodic) {
    Graph g = {periodic ? "torus" : "grid", MPI_COMM_NULL, p->rank, p->size, 4, NULL};
    int dims[2] = {0, 0}, periods[2] = {periodic, 0};
    MPI_Dims_create(p->size, 2, dims);
    MPI_Cart_create(p->comm, 2, dims, periods, 0, &g.comm);
    g.sources = room(4 * sizeof(int));
    for (int d = 0; d < 2; d++) {
        MPI_Cart_shift(g.comm, d, 1, &g.sources[2 * d], &g.sources[2 * d + 1]);
        for (int s = 2 * d; s < 2 * d + 2; s++)
            if (g.sources[s] == MPI_PROC_NULL) g.sources[s] = -1;
    }
    return g;
}

/* Each rank and the two beside it in a ring. */
static Graph ring(const Place* p) {
    Graph g = {"graph", MPI_COMM_NULL, p->rank, p->size, 2, NULL};
    int *index = room((size_t)p->size * sizeof(int)), *edges = room((size_t)p->size * 8);
    for (int r = 0; r < p->size; r++) {
        index[r] = 2 * r + 2;
        edges[2 * r] = (r + 1) % p->size;
        edges[2 * r + 1] = (r + p->size - 1) % p->size;
    }
    MPI_Graph_create(p->comm, p->size, index, edges, 0, &g.comm);
    g.sources = room(2 * sizeof(int));
    MPI_Graph_neighbors(g.comm, p->rank, 2, g.sources);
    free(edges);
    free(index);
    return g;
}

static void drop(Graph g) {
    MPI_Comm_free(&g.comm);
    free(g.sources);
}

static void equal(const Graph* g, const Form* mine, const Form* other, int n, int large) {
    doing("neighbor_allgather%s of %d × %s and %s on %s", large ? "_c" : "", n, mine->name,
          other->name, g->name);
    size_t all = (size_t)(n * g->count);
    Buffer from = buffer(mine, (size_t)n), got = buffer(other, all), want = buffer(other, all);
    fill(from, mine, 0, (size_t)n, g->rank);
    for (int s = 0; s < g->count; s++)
        for (int e = 0; e < n && g->sources[s] >= 0; e++)
            put(want, other, (size_t)(s * n + e), value(g->sources[s], (size_t)e));
    const int gives = n / mine->slots, gets = n / other->slots;
#if MPI_VERSION >= 4
    if (large)
        MPI_Neighbor_allgather_c(from.origin, gives, mine->type, got.origin, gets, other->type,
                                 g->comm);
    else
#endif
        MPI_Neighbor_allgather(from.origin, gives, mine->type, got.origin, gets, other->type,
                               g->comm);
    same(got, want);
    free(from.memory);
}

/* A rank's elements: none on every third rank, and others at each turn. */
static int share(int rank, int base, int turn) { return base * ((rank + turn) % 3); }

static void uneven(const Graph* g, const Form* mine, const Form* other, int base, int turn) {
    doing("neighbor_allgatherv, base %d, turn %d, %s and %s on %s", base, turn, mine->name,
          other->name, g->name);
    int n = share(g->rank, base, turn), item = 1;
    int *counts = room((size_t)g->count * 4), *places = room((size_t)g->count * 4);
    for (int at = g->count; at-- > 0;) { /* the last edge's block first, gaps between */
        const int elements = g->sources[at] < 0 ? 0 : share(g->sources[at], base, turn);
        counts[at] = elements / other->slots;
        places[at] = item;
        item += counts[at] + at % 2;
    }
    size_t all = (size_t)(item * other->slots);
    Buffer from = buffer(mine, (size_t)n), got = buffer(other, all), want = buffer(other, all);
    fill(from, mine, 0, (size_t)n, g->rank);
    for (int s = 0; s < g->count; s++)
        for (int e = 0; e < counts[s] * other->slots; e++)
            put(want, other, (size_t)(places[s] * other->slots + e),
                value(g->sources[s], (size_t)e));
#if MPI_VERSION >= 4
    if (turn % 2) {
        MPI_Count* long_counts = room((size_t)(g->count + 1) * sizeof(MPI_Count));
        MPI_Aint* long_places = room((size_t)(g->count + 1) * sizeof(MPI_Aint));
        for (int s = 0; s < g->count; s++) long_counts[s] = counts[s], long_places[s] = places[s];
        MPI_Neighbor_allgatherv_c(from.origin, n / mine->slots, mine->type, got.origin, long_counts,
                                  long_places, other->type, g->comm);
        free(long_places);
        free(long_counts);
    } else
#endif
        MPI_Neighbor_allgatherv(from.origin, n / mine->slots, mine->type, got.origin, counts,
                                places, other->type, g->comm);
    same(got, want);
    free(from.memory);
    free(places);
    free(counts);
}

/* At the ends of a chain one side has no edge, and its arguments mean nothing. */
static void ends_without(const Place* p) {
    Graph g = distributed(p, "a chain", chain);
    doing("neighbor_allgather without types at the ends of %s", g.name);
    const int first = g.rank == 0, last = g.rank + 1 == g.size, n = 100;
    int from[100], got[100] = {0}, none = 0;
    MPI_Datatype no_type = MPI_DATATYPE_NULL;
#ifdef OPEN_MPI /* which wants them all the same */
    none = n;
    no_type = MPI_INT;
#endif
    for (int e = 0; e < n; e++) from[e] = 1000 * g.rank + e;
    MPI_Neighbor_allgather(from, last ? none : n, last ? no_type : MPI_INT, got, first ? none : n,
                           first ? no_type : MPI_INT, g.comm);
    for (int e = 0; e < n; e++) EXPECT(got[e], first ? 0 : 1000 * (g.rank - 1) + e);
    drop(g);
}

static void on(Graph g) {
    static const int sizes[] = {0, 1, 17, 3000, -1}, bases[] = {0, 1, 600, -1};
    for (const int* n = sizes; *n >= 0; n++)
        equal(&g, &plain[*n % KINDS], &plain[*n % KINDS], *n, *n % 2);
    for (int f = 0; f < derived_forms; f++)
        equal(&g, &derived[(f + g.rank) % derived_forms],
              &derived[(3 * f + g.rank) % derived_forms], 60, 0);
    int turn = 0;
    for (const int* b = bases; *b >= 0; b++)
        for (int again = 0; again < 3; again++)
            uneven(&g, &plain[*b % KINDS], &plain[*b % KINDS], *b, turn++);
    for (int f = 0; f < derived_forms; f++)
        uneven(&g, &derived[(f + g.rank) % derived_forms],
               &derived[(3 * f + g.rank) % derived_forms], 6, turn++);
    drop(g);
}

void section_neighbours(void) {
    for (int n = 0; n < place_count; n++) {
        const Place* p = &places[n];
        if (light && n > 0 && n != 3) continue;
        on(distributed(p, "sparse", sparse));
        on(distributed(p, "all but the last", all_but_last));
        on(distributed(p, "from the first", from_first));
        on(distributed(p, "none", none));
        if (p->comm == MPI_COMM_SELF) continue;
        ends_without(p);
        on(grid(p, 0));
        on(grid(p, 1));
        on(ring(p));
    }
    Graph g = distributed(&places[0], "sparse", sparse);
    equal(&g, &plain[INT64], &plain[INT64], light ? 2000 : 20000, 0);
    drop(g);
}
