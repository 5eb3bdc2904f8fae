// SPDX-License-Identifier: BSD-3-Clause
/* The communicators on which everything is done. */
#include <stdlib.h>

#include "check.h"

Place places[most_places];
int place_count;

static void add(const char* name, MPI_Comm comm) {
    if (comm == MPI_COMM_NULL) return;
    Place* p = &places[place_count++];
    *p = (Place){.name = name, .comm = comm};
    MPI_Comm_rank(comm, &p->rank);
    MPI_Comm_size(comm, &p->size);
}

/* The ranks 1, 3, 5, …, last one first; rank 0 where there is no other. */
static MPI_Comm odd_ranks(int size) {
    MPI_Group world, odd;
    MPI_Comm comm;
    int *ranks = room((size_t)size * sizeof(int)), count = 0;
    for (int r = size - 1; r >= 0; r--)
        if (r % 2 == 1 || size == 1) ranks[count++] = r;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, count, ranks, &odd);
    MPI_Comm_create(MPI_COMM_WORLD, odd, &comm);
    MPI_Group_free(&odd);
    MPI_Group_free(&world);
    free(ranks);
    return comm;
}

void make_places(void) {
    int rank, size;
    MPI_Comm comm;
    place_count = 0;
    add("world", MPI_COMM_WORLD);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    add("dup", comm);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &comm);
    add("parity", comm);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &comm);
    add("reversed", comm);
    MPI_Comm_split(MPI_COMM_WORLD, rank == size / 2 ? MPI_UNDEFINED : 0, (rank * 5) % size, &comm);
    add("shuffled but one", comm);
    add("odd", odd_ranks(size));
    add("self", MPI_COMM_SELF);
}

void free_places(void) {
    for (int n = 0; n < place_count; n++)
        if (places[n].comm != MPI_COMM_WORLD && places[n].comm != MPI_COMM_SELF)
            MPI_Comm_free(&places[n].comm);
    place_count = 0;
}
