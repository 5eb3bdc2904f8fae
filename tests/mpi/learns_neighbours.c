// SPDX-License-Identifier: BSD-3-Clause
/* Repeats neighbourhood allgathers on a graph in which all give to all, so often that ECO learns
 * whether its schedule or the library's is faster, and checks every result. Words: number of
 * rounds; how many integers each rank gives. Prints a hash of all that rank 0 got. */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static int rank, ranks, wrong;
static uint64_t hash = 14695981039346656037u;

static void look(int call, const char* what, const int* got, const int* from, int degree,
                 int count) {
    int edge, i;
    for (edge = 0; edge < degree; ++edge)
        for (i = 0; i < count; ++i) {
            const int value = got[edge * count + i];
            if (value != 1000 * from[edge] + call + i && wrong++ == 0)
                printf("wrong %s at call %d on rank %d\n", what, call, rank);
            hash = (hash ^ (uint64_t)value) * 1099511628211u;
        }
}

int main(int words, char** word) {
    int call, i, all = 0;
    MPI_Comm graph;
    MPI_Request request;
    const int calls = words > 1 ? atoi(word[1]) : 60;
    const int count = words > 2 ? atoi(word[2]) : 1000;
    MPI_Init(&words, &word);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const int degree = ranks - 1;
    int* others = malloc(sizeof(int) * (size_t)ranks);
    int* counts = malloc(sizeof(int) * (size_t)ranks);
    int* places = malloc(sizeof(int) * (size_t)ranks);
    int* in = malloc(sizeof(int) * (size_t)count);
    int* out = malloc(sizeof(int) * (size_t)(count * ranks));
    for (i = 0; i < degree; ++i) {
        others[i] = (rank + 1 + i) % ranks;
        counts[i] = count;
        places[i] = i * count;
    }
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, degree, others, counts, degree, others, counts,
                                   MPI_INFO_NULL, 0, &graph);
    for (call = 0; call < calls; ++call) {
        for (i = 0; i < count; ++i) in[i] = 1000 * rank + call + i;
        MPI_Neighbor_allgather(in, count, MPI_INT, out, count, MPI_INT, graph);
        look(call, "neighbor_allgather", out, others, degree, count);
        MPI_Neighbor_allgatherv(in, count, MPI_INT, out, counts, places, MPI_INT, graph);
        look(call, "neighbor_allgatherv", out, others, degree, count);
        MPI_Ineighbor_allgather(in, count, MPI_INT, out, count, MPI_INT, graph, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        look(call, "ineighbor_allgather", out, others, degree, count);
    }
    MPI_Reduce(&wrong, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) printf("got %016llx\n%s\n", (unsigned long long)hash, all ? "WRONG" : "all ok");
    MPI_Comm_free(&graph);
    MPI_Finalize();
    free(others);
    free(counts);
    free(places);
    free(in);
    free(out);
    return wrong != 0;
}
