// SPDX-License-Identifier: BSD-3-Clause
// What a sparse matrix times a vector needs: every rank gives its part of the vector to those whose
// rows use it, by one MPI_Neighbor_allgather (--uneven: allgatherv) on a distributed graph, again
// and again. A random graph, the same for a seed; checks what arrives. Knows nothing of the
// network. --sources: only the first ranks give something. --multicast: by one ECO_Multicast.
//
//     mpirun -n 20 sparse [--bytes 65536] [--degree 8] [--steps 10] [--seed 1] [--sources 20]
//                         [--uneven] [--multicast] [--json]
#include <eco.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int bytes = 65536, degree = 8, steps = 10, sources_given = 1 << 30, uneven = 0,
           multicast = 0, json = 0;
static uint64_t seed = 1;

static uint64_t random_number(uint64_t* state) {
    *state += 0x9e3779b97f4a7c15U;
    uint64_t z = *state;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9U;
    z = (z ^ z >> 27) * 0x94d049bb133111ebU;
    return z ^ z >> 31;
}

// Whom each rank gives its part to: `degree` others, drawn alike by all ranks.
static char* draw_edges(int ranks) {
    char* edges = calloc((size_t)ranks, (size_t)ranks);
    uint64_t state = seed;
    for (int from = 0; from < ranks && from < sources_given; ++from)
        for (int left = degree < ranks ? degree : ranks - 1; left > 0;) {
            const int to = (int)(random_number(&state) % (uint64_t)ranks);
            if (to == from || edges[from * ranks + to]) continue;
            edges[from * ranks + to] = 1;
            --left;
        }
    return edges;
}

static int part_of(int rank) { return uneven ? bytes / 2 + bytes * (rank % 3) / 2 : bytes; }

static char pattern(int rank, int at, int step) {
    return (char)(rank * 31 + at * 7 + step * 13 + at / 251);
}

// What all ranks give, and where this one has it.
typedef struct {
    int count, *sources, *degrees, *destinations;
    MPI_Aint* bytes;
    void** buffers;
} Messages;

static Messages messages_of(const char* edges, int ranks, int rank, char* mine, char* all, int in,
                            const int* sources, const int* places) {
    const size_t most = (size_t)ranks;
    Messages list = {0,
                     malloc(most * sizeof(int)),
                     calloc(most, sizeof(int)),
                     malloc(most * most * sizeof(int)),
                     malloc(most * sizeof(MPI_Aint)),
                     calloc(most, sizeof(void*))};
    for (int from = 0, total = 0; from < ranks && from < sources_given; ++from) {
        const int m = list.count++;
        list.sources[m] = from;
        list.bytes[m] = part_of(from);
        for (int to = 0; to < ranks; ++to)
            if (edges[from * ranks + to]) list.destinations[total + list.degrees[m]++] = to;
        total += list.degrees[m];
        if (from == rank) list.buffers[m] = mine;
        for (int s = 0; s < in; ++s)
            if (sources[s] == from) list.buffers[m] = all + places[s];
    }
    return list;
}

static double exchange(const Messages* list, MPI_Comm graph, const char* mine, char* all,
                       const int* counts, const int* places, int rank) {
    MPI_Barrier(graph);
    const double start = MPI_Wtime();
    if (multicast)
        ECO_Multicast(list->count, list->sources, list->bytes, list->degrees, list->destinations,
                      list->buffers, graph);
    else if (uneven)
        MPI_Neighbor_allgatherv(mine, part_of(rank), MPI_BYTE, all, counts, places, MPI_BYTE,
                                graph);
    else
        MPI_Neighbor_allgather(mine, bytes, MPI_BYTE, all, bytes, MPI_BYTE, graph);
    double own = MPI_Wtime() - start, slowest = 0;
    MPI_Allreduce(&own, &slowest, 1, MPI_DOUBLE, MPI_MAX, graph);
    return slowest;
}

static int by_value(const void* a, const void* b) {
    const double left = *(const double*)a, right = *(const double*)b;
    return (left > right) - (left < right);
}

static void read_options(int argc, char** argv) {
    for (int i = 1; i < argc; ++i) {
        const char* next = i + 1 < argc ? argv[i + 1] : "";
        if (!strcmp(argv[i], "--bytes"))
            bytes = atoi(next), ++i;
        else if (!strcmp(argv[i], "--degree"))
            degree = atoi(next), ++i;
        else if (!strcmp(argv[i], "--steps"))
            steps = atoi(next), ++i;
        else if (!strcmp(argv[i], "--seed"))
            seed = (uint64_t)atoll(next), ++i;
        else if (!strcmp(argv[i], "--sources"))
            sources_given = atoi(next), ++i;
        else if (!strcmp(argv[i], "--uneven"))
            uneven = 1;
        else if (!strcmp(argv[i], "--multicast"))
            multicast = 1;
        else if (!strcmp(argv[i], "--json"))
            json = 1;
        else {
            fprintf(stderr, "sparse: %s is not known; see the head of sparse.c\n", argv[i]);
            MPI_Abort(MPI_COMM_WORLD, 2);
        }
    }
    if (bytes < 1 || degree < 1 || steps < 1 || sources_given < 1) {
        fprintf(stderr, "sparse: --bytes, --degree, --steps and --sources take a number above 0\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    read_options(argc, argv);
    int ranks = 0, rank = 0, in = 0, out = 0, end = 0, wrong = 0, any = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    char* edges = draw_edges(ranks);
    int* sources = malloc((size_t)ranks * sizeof *sources);
    int* targets = malloc((size_t)ranks * sizeof *targets);
    int* counts = malloc((size_t)ranks * sizeof *counts);
    int* places = malloc((size_t)ranks * sizeof *places);
    int* weights = malloc((size_t)ranks * sizeof *weights);
    for (int other = 0; other < ranks; ++other) {
        weights[other] = 1;
        if (edges[rank * ranks + other]) targets[out++] = other;
        if (!edges[other * ranks + rank]) continue;
        counts[in] = part_of(other);
        places[in] = end;
        end += counts[in];
        sources[in++] = other;
    }
    MPI_Comm graph;
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, in, sources, weights, out, targets, weights,
                                   MPI_INFO_NULL, 0, &graph);
    char* mine = malloc((size_t)part_of(rank));
    char* all = malloc((size_t)end + 1);
    const Messages list = messages_of(edges, ranks, rank, mine, all, in, sources, places);
    double* times = malloc((size_t)steps * sizeof *times);
    double first = 0;
    for (int step = -1; step < steps; ++step) {
        for (int i = 0; i < part_of(rank); ++i) mine[i] = pattern(rank, i, step);
        const double took = exchange(&list, graph, mine, all, counts, places, rank);
        if (step < 0) first = took;
        if (step >= 0) times[step] = took;
        for (int s = 0; s < in; ++s)
            for (int i = 0; i < counts[s]; ++i)
                wrong += all[places[s] + i] != pattern(sources[s], i, step);
    }
    MPI_Reduce(&wrong, &any, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    qsort(times, (size_t)steps, sizeof *times, by_value);
    if (rank == 0 && any == 0 && json)
        printf(
            "{\"ranks\": %d, \"bytes\": %d, \"degree\": %d, \"uneven\": %d, \"first_s\": %.6f, "
            "\"median_s\": %.6f, \"least_s\": %.6f, \"most_s\": %.6f}\n",
            ranks, bytes, degree, uneven, first, times[steps / 2], times[0], times[steps - 1]);
    else if (rank == 0 && any == 0)
        printf("%d ranks, %d bytes to %d others: %.1f ms (%.1f to %.1f)\n", ranks, bytes, degree,
               1e3 * times[steps / 2], 1e3 * times[0], 1e3 * times[steps - 1]);
    if (rank == 0 && any != 0) fprintf(stderr, "sparse: %d bytes arrived wrong\n", any);
    MPI_Comm_free(&graph);
    MPI_Finalize();
    return rank == 0 && any != 0;
}
