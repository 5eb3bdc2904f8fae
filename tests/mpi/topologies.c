// SPDX-License-Identifier: BSD-3-Clause
// Process topologies with reorder: every rank must have the neighbours of the vertex that its new
// number names, and data must reach them. Prints which process of MPI_COMM_WORLD has which number
// ("ranks FUNCTION 0 1 …"), and "all ok". With `numbers` it does no more: where Open MPI 5.0.11
// renumbers the ranks of a distributed graph, the neighbours that it names are wrong.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int wrong = 0, only_numbers = 0;

static void expect(int condition, const char* what) {
    if (condition) return;
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    fprintf(stderr, "rank %d: %s\n", rank, what);
    ++wrong;
}

static int wrap(int rank, int ranks) { return (rank % ranks + ranks) % ranks; }

// A gather on MPI_COMM_WORLD, so that what it says rests on nothing of the new communicator's.
static void show(const char* function, MPI_Comm comm) {
    int own = 0, rank = 0, ranks = 0;
    MPI_Comm_rank(comm, &own);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int* of = malloc((size_t)ranks * sizeof *of);
    MPI_Gather(&own, 1, MPI_INT, of, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        printf("ranks %s", function);
        for (int r = 0; r < ranks; ++r) printf(" %d", of[r]);
        puts("");
    }
    free(of);
}

static void grid(int ranks, int periodic) {
    int dims[2] = {0, 0}, periods[2] = {periodic, 0}, rank = 0, from = 0, to = 0, got = -1;
    MPI_Dims_create(ranks, 2, dims);
    MPI_Comm cart;
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 1, &cart);
    MPI_Comm_rank(cart, &rank);
    show("Cart_create", cart);
    int where[2], again = -1;
    MPI_Cart_coords(cart, rank, 2, where);
    MPI_Cart_rank(cart, where, &again);
    expect(again == rank, "coordinates of a grid");
    for (int d = 0; d < 2; ++d) {
        MPI_Cart_shift(cart, d, 1, &from, &to);
        got = -1;
        MPI_Sendrecv(&rank, 1, MPI_INT, to, 1, &got, 1, MPI_INT, from, 1, cart, MPI_STATUS_IGNORE);
        expect(from == MPI_PROC_NULL ? got == -1 : got == from, "shift in a grid");
    }
    MPI_Comm_free(&cart);
}

// A grid smaller than the communicator leaves somebody out.
static void small_ring(int ranks) {
    int dim = ranks - 1, periodic = 1, size = 0, in = 0, all = 0;
    MPI_Comm cart;
    MPI_Cart_create(MPI_COMM_WORLD, 1, &dim, &periodic, 1, &cart);
    if (cart != MPI_COMM_NULL) {
        MPI_Comm_size(cart, &size);
        expect(size == dim, "size of a small ring");
        in = 1;
        MPI_Comm_free(&cart);
    }
    MPI_Allreduce(&in, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    expect(all == dim, "ranks of a small ring");
}

// Vertex v talks to v + 1 and v + 4.
static void graph(int ranks) {
    int* index = malloc((size_t)ranks * sizeof *index);
    int* edges = malloc((size_t)ranks * 2 * sizeof *edges);
    for (int v = 0; v < ranks; ++v) {
        index[v] = 2 * (v + 1);
        edges[2 * v] = wrap(v + 1, ranks);
        edges[2 * v + 1] = wrap(v + 4, ranks);
    }
    MPI_Comm comm;
    MPI_Graph_create(MPI_COMM_WORLD, ranks, index, edges, 1, &comm);
    int rank = 0, found[2] = {-1, -1};
    MPI_Comm_rank(comm, &rank);
    show("Graph_create", comm);
    MPI_Graph_neighbors(comm, rank, 2, found);
    expect(found[0] == wrap(rank + 1, ranks) && found[1] == wrap(rank + 4, ranks),
           "neighbours in a graph");
    MPI_Comm_free(&comm);
    free(index);
    free(edges);
}

static void check_adjacent(MPI_Comm comm, int ranks, int weighted) {
    int rank = 0, in = 0, out = 0, has = 0;
    if (only_numbers) return;
    MPI_Comm_rank(comm, &rank);
    MPI_Dist_graph_neighbors_count(comm, &in, &out, &has);
    expect(in == 2 && out == 2, "degrees in a distributed graph");
    expect(!has == !weighted, "whether a distributed graph is weighted");
    int sources[2], before[2], targets[2], after[2];
    MPI_Dist_graph_neighbors(comm, 2, sources, before, 2, targets, after);
    int sum = targets[0] + targets[1];
    expect(sum == wrap(rank + 1, ranks) + wrap(rank + 4, ranks), "targets in a distributed graph");
    if (weighted)
        for (int i = 0; i < 2; ++i)
            expect(after[i] == (targets[i] == wrap(rank + 1, ranks) ? 7 : 2), "weights");
    int got[2] = {-1, -1};
    MPI_Neighbor_allgather(&rank, 1, MPI_INT, got, 1, MPI_INT, comm);
    expect(got[0] == sources[0] && got[1] == sources[1], "what neighbours sent");
}

static void adjacent(int rank, int ranks, int weighted) {
    const int sources[2] = {wrap(rank - 1, ranks), wrap(rank - 4, ranks)};
    const int targets[2] = {wrap(rank + 1, ranks), wrap(rank + 4, ranks)};
    const int weights[2] = {7, 2};
    MPI_Comm comm;
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, sources, weighted ? weights : MPI_UNWEIGHTED,
                                   2, targets, weighted ? weights : MPI_UNWEIGHTED, MPI_INFO_NULL,
                                   1, &comm);
    show("Dist_graph_create_adjacent", comm);
    check_adjacent(comm, ranks, weighted);
    MPI_Comm_free(&comm);
}

// Rank 0 gives all edges.
static void distributed(int rank, int ranks) {
    const int count = rank == 0 ? ranks : 0;
    int* sources = malloc((size_t)ranks * sizeof *sources);
    int* degrees = malloc((size_t)ranks * sizeof *degrees);
    int* targets = malloc((size_t)ranks * 2 * sizeof *targets);
    int* weights = malloc((size_t)ranks * 2 * sizeof *weights);
    for (int v = 0; v < ranks; ++v) {
        sources[v] = v;
        degrees[v] = 2;
        targets[2 * v] = wrap(v + 1, ranks);
        targets[2 * v + 1] = wrap(v + 4, ranks);
        weights[2 * v] = 7;
        weights[2 * v + 1] = 2;
    }
    MPI_Comm comm;
    MPI_Dist_graph_create(MPI_COMM_WORLD, count, sources, degrees, targets, weights, MPI_INFO_NULL,
                          1, &comm);
    show("Dist_graph_create", comm);
    check_adjacent(comm, ranks, 1);
    MPI_Comm_free(&comm);
    free(sources);
    free(degrees);
    free(targets);
    free(weights);
}

// Edges of some ranks only; the others have none at all.
static void sparse(int rank) {
    const int other = rank ^ 1, count = rank < 2 ? 1 : 0, weight = 3;
    const int* weights = count ? &weight : MPI_WEIGHTS_EMPTY;
    MPI_Comm comm;
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, count, &other, weights, count, &other, weights,
                                   MPI_INFO_NULL, 1, &comm);
    int in = 0, out = 0, has = 0, me = 0;
    MPI_Comm_rank(comm, &me);
    MPI_Dist_graph_neighbors_count(comm, &in, &out, &has);
    expect(in == (me < 2) && out == (me < 2), "degrees in a sparse graph");
    MPI_Comm_free(&comm);
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int rank = 0, ranks = 0, all = 0;
    only_numbers = argc > 1 && !strcmp(argv[1], "numbers");
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    grid(ranks, 0);
    grid(ranks, 1);
    small_ring(ranks);
    graph(ranks);
    adjacent(rank, ranks, 0);
    adjacent(rank, ranks, 1);
    distributed(rank, ranks);
    sparse(rank);
    MPI_Allreduce(&wrong, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0 && all == 0) puts("all ok");
    MPI_Finalize();
    return all != 0;
}
