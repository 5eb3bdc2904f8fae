// SPDX-License-Identifier: BSD-3-Clause
/* Repeats a neighbourhood allgather on a graph of two halves, in each of which all give to all: a
 * rank of the first gives 1,000 integers, of the second 4. Checks every result. Word: number of
 * calls. Prints a hash of all that rank 0 got. */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int main(int words, char** word) {
    int rank, ranks, call, i, edge, wrong = 0, all = 0, degree = 0;
    uint64_t hash = 14695981039346656037u;
    MPI_Comm graph;
    const int calls = words > 1 ? atoi(word[1]) : 60;
    MPI_Init(&words, &word);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const int half = ranks / 2, first = rank < half;
    const int begin = first ? 0 : half, end = first ? half : ranks;
    const int count = first ? 1000 : 4;
    int* others = malloc(sizeof(int) * (size_t)ranks);
    int* weights = malloc(sizeof(int) * (size_t)ranks);
    int* in = malloc(sizeof(int) * (size_t)count);
    int* out = malloc(sizeof(int) * (size_t)(count * ranks));
    for (i = begin; i < end; ++i)
        if (i != rank) {
            weights[degree] = 1;
            others[degree++] = i;
        }
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, degree, others, weights, degree, others, weights,
                                   MPI_INFO_NULL, 0, &graph);
    for (call = 0; call < calls; ++call) {
        for (i = 0; i < count; ++i) in[i] = 1000 * rank + call + i;
        MPI_Neighbor_allgather(in, count, MPI_INT, out, count, MPI_INT, graph);
        for (edge = 0; edge < degree; ++edge)
            for (i = 0; i < count; ++i) {
                const int value = out[edge * count + i];
                wrong += value != 1000 * others[edge] + call + i;
                hash = (hash ^ (uint64_t)value) * 1099511628211u;
            }
    }
    MPI_Reduce(&wrong, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) printf("%s\ngot %016llx\n", all ? "WRONG" : "all ok", (unsigned long long)hash);
    MPI_Comm_free(&graph);
    MPI_Finalize();
    return 0;
}
