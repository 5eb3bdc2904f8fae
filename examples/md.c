// SPDX-License-Identifier: BSD-3-Clause
/* Molecular dynamics of liquid argon with replicated data, as CHARMM does it: md.py in C, same
   physics and same figures. Every rank knows all positions, owns a slice of the atoms and computes
   a share of the pair interactions. A step is: move the own atoms, gather-to-all of the positions,
   forces of the own pairs on all atoms, reduce-to-all of the forces. Lennard-Jones units.

       mpirun -n 8 ./md --atoms 4000 --steps 10 */
#include <math.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double density = 0.7, cutoff = 2.5, skin = 0.3;
enum { report_every = 5, stencil_size = 14 };

/* What is timed: each operation's seconds in this rank. */
enum { op_bcast, op_allgatherv, op_allreduce, op_reduce, op_count };
static const char* const op_name[op_count] = {"bcast", "allgatherv", "allreduce", "reduce"};
static double op_seconds[op_count];
#define TIMED(op, call)                                                                            \
    do {                                                                                           \
        double start_ = MPI_Wtime();                                                               \
        call;                                                                                      \
        op_seconds[op] += MPI_Wtime() - start_;                                                    \
    } while (0)

typedef struct {
    int i, j;
} Pair;

typedef struct {
    int atoms, first, last; /* the own atoms: first up to, not including, last */
    double box;
    double *position, *force; /* of all atoms: x, y, z, x, … */
    double* partial;          /* forces by the own pairs */
    double* velocity;         /* of the own atoms */
    double* listed_at;        /* positions when the list of pairs was made */
    Pair* pairs;
    size_t pair_count, pair_room;
} System;

static void* room(size_t count, size_t bytes) {
    void* p = calloc(count ? count : 1, bytes);
    if (!p) {
        fprintf(stderr, "md: out of memory\n");
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    return p;
}

/* A simple cubic lattice, the atoms spread evenly over its sites. */
static void place_on_lattice(System* s) {
    int64_t side = 1;
    while (side * side * side < s->atoms) side++;
    s->box = cbrt(s->atoms / density);
    for (int i = 0; i < s->atoms; i++) {
        int64_t site = (int64_t)i * side * side * side / s->atoms;
        int64_t grid[3] = {site / (side * side), site / side % side, site % side};
        for (int k = 0; k < 3; k++)
            s->position[3 * i + k] = ((double)grid[k] + 0.5) * (s->box / (double)side);
    }
}

static double pseudo_random(int64_t n) {
    const int64_t prime = 2147483647;
    int64_t seed = n * 48271 % prime;
    return (double)(seed * seed % prime * 69621 % prime) / (double)prime - 0.5;
}

/* Pseudo-random velocities: no net momentum, temperature 1, whatever the number of ranks. */
static void draw_velocities(System* s) {
    double mean[3] = {0, 0, 0}, square = 0;
    for (int n = 0; n < 3 * s->atoms; n++) mean[n % 3] += pseudo_random(n + 1) / s->atoms;
    for (int n = 0; n < 3 * s->atoms; n++) square += pow(pseudo_random(n + 1) - mean[n % 3], 2);
    double scale = sqrt(3.0 * s->atoms / fmax(square, 1e-300));
    for (int n = 3 * s->first; n < 3 * s->last; n++)
        s->velocity[n - 3 * s->first] = (pseudo_random(n + 1) - mean[n % 3]) * scale;
}

/* Square of the distance to the nearest of the periodic images; the distance itself in d. */
static double apart(const System* s, const double* a, const double* b, double d[3]) {
    double square = 0;
    for (int k = 0; k < 3; k++) {
        d[k] = a[k] - b[k];
        d[k] -= s->box * rint(d[k] / s->box);
        square += d[k] * d[k];
    }
    return square;
}

static void add_if_near(System* s, int i, int j) {
    double d[3], reach = cutoff + skin;
    if (apart(s, s->position + 3 * i, s->position + 3 * j, d) >= reach * reach) return;
    if (s->pair_count == s->pair_room) {
        s->pair_room = s->pair_room ? 2 * s->pair_room : 1024;
        s->pairs = realloc(s->pairs, s->pair_room * sizeof(Pair));
        if (!s->pairs) MPI_Abort(MPI_COMM_WORLD, 1);
    }
    s->pairs[s->pair_count++] = (Pair){i, j};
}

static int cell_along(const System* s, int cells, double x) {
    return ((int)floor(x * (cells / s->box)) % cells + cells) % cells;
}

/* List the pairs of an own atom with atoms of the neighbouring cells; of two opposite neighbours
   only one is visited, so that a pair is seen once. */
static void list_pairs(System* s) {
    s->pair_count = 0;
    memcpy(s->listed_at, s->position, 3 * (size_t)s->atoms * sizeof(double));
    int cells = (int)(s->box / (cutoff + skin));
    if (cells < 3) { /* too small for a stencil */
        for (int i = s->first; i < s->last; i++)
            for (int j = i + 1; j < s->atoms; j++) add_if_near(s, i, j);
        return;
    }
    /* A chain of atoms per cell; atoms count from 1 here, 0 ends the chain. */
    int* head = room((size_t)cells * cells * cells, sizeof(int));
    int* next = room((size_t)s->atoms, sizeof(int));
    for (int i = 0; i < s->atoms; i++) {
        const double* p = s->position + 3 * i;
        int* h = head + (cell_along(s, cells, p[0]) * cells + cell_along(s, cells, p[1])) * cells +
                 cell_along(s, cells, p[2]);
        next[i] = *h;
        *h = i + 1;
    }
    for (int i = s->first; i < s->last; i++) {
        const double* p = s->position + 3 * i;
        int c[3];
        for (int k = 0; k < 3; k++) c[k] = cell_along(s, cells, p[k]);
        for (int n = 27 - stencil_size; n < 27; n++) { /* 13 is the cell itself */
            int x = (c[0] + n / 9 - 1 + cells) % cells, y = (c[1] + n / 3 % 3 - 1 + cells) % cells;
            int z = (c[2] + n % 3 - 1 + cells) % cells;
            for (int j = head[(x * cells + y) * cells + z] - 1; j >= 0; j = next[j] - 1)
                if (n != 13 || j > i) add_if_near(s, i, j);
        }
    }
    free(head);
    free(next);
}

static int list_is_stale(const System* s) {
    for (int i = 0; i < s->atoms; i++) {
        double d[3];
        if (apart(s, s->position + 3 * i, s->listed_at + 3 * i, d) > skin * skin / 4) return 1;
    }
    return s->pair_room == 0;
}

/* Forces on all atoms by the own pairs, into partial; returns these pairs' energy. */
static double compute_forces(System* s) {
    if (list_is_stale(s)) list_pairs(s);
    memset(s->partial, 0, 3 * (size_t)s->atoms * sizeof(double));
    double energy = 0, at_cutoff = 4 * (pow(cutoff, -12) - pow(cutoff, -6));
    for (size_t n = 0; n < s->pair_count; n++) {
        int i = s->pairs[n].i, j = s->pairs[n].j;
        double d[3], square = apart(s, s->position + 3 * i, s->position + 3 * j, d);
        if (square >= cutoff * cutoff) continue;
        double sixth = 1 / (square * square * square);
        double pull = 24 * (2 * sixth * sixth - sixth) / square;
        for (int k = 0; k < 3; k++) {
            s->partial[3 * i + k] += pull * d[k];
            s->partial[3 * j + k] -= pull * d[k];
        }
        energy += 4 * (sixth * sixth - sixth) - at_cutoff;
    }
    return energy;
}

static void kick(System* s, double dt) {
    for (int n = 3 * s->first; n < 3 * s->last; n++)
        s->velocity[n - 3 * s->first] += 0.5 * dt * s->force[n];
}

static void drift(const System* s, double dt, double* moved) {
    for (int n = 3 * s->first; n < 3 * s->last; n++) {
        double x = s->position[n] + dt * s->velocity[n - 3 * s->first];
        moved[n - 3 * s->first] = x - s->box * floor(x / s->box);
    }
}

/* Energy per atom, on rank 0. */
static double total_energy(const System* s, double potential) {
    double mine[2] = {potential, 0}, all[2] = {0, 0};
    for (int n = 0; n < 3 * (s->last - s->first); n++)
        mine[1] += 0.5 * s->velocity[n] * s->velocity[n];
    TIMED(op_reduce, MPI_Reduce(mine, all, 2, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD));
    return (all[0] + all[1]) / s->atoms;
}

static void usage(int rank) {
    if (rank == 0)
        fprintf(stderr,
                "usage: md [--atoms N, at least 100] [--steps S] [--timestep T] [--json]\n");
    MPI_Finalize();
    exit(2);
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int rank, size, steps = 10, json = 0;
    double dt = 0.004;
    System s = {.atoms = 4000};
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int a = 1; a < argc; a++) {
        int value = a + 1 < argc;
        if (!strcmp(argv[a], "--json"))
            json = 1;
        else if (value && !strcmp(argv[a], "--atoms"))
            s.atoms = atoi(argv[++a]);
        else if (value && !strcmp(argv[a], "--steps"))
            steps = atoi(argv[++a]);
        else if (value && !strcmp(argv[a], "--timestep"))
            dt = atof(argv[++a]);
        else
            usage(rank);
    }
    if (s.atoms < 100 || steps < 0) usage(rank); /* the box must hold two cutoffs */

    int *counts = room((size_t)size, sizeof(int)), *starts = room((size_t)size, sizeof(int));
    for (int r = 0; r < size; r++) {
        int64_t first = (int64_t)s.atoms * r / size, last = (int64_t)s.atoms * (r + 1) / size;
        starts[r] = 3 * (int)first;
        counts[r] = 3 * (int)(last - first);
        if (r == rank) s.first = (int)first, s.last = (int)last;
    }
    size_t all = 3 * (size_t)s.atoms;
    s.position = room(all, sizeof(double));
    s.force = room(all, sizeof(double));
    s.partial = room(all, sizeof(double));
    s.listed_at = room(all, sizeof(double));
    s.velocity = room((size_t)counts[rank], sizeof(double));
    double* moved = room((size_t)counts[rank], sizeof(double));

    MPI_Barrier(MPI_COMM_WORLD);
    double begin = MPI_Wtime();
    if (rank != 0) dt = 0;
    TIMED(op_bcast, MPI_Bcast(&dt, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD));
    place_on_lattice(&s);
    draw_velocities(&s);
    double potential = compute_forces(&s);
    TIMED(op_allreduce,
          MPI_Allreduce(s.partial, s.force, 3 * s.atoms, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD));
    double energy_start = total_energy(&s, potential), energy = energy_start, off = 0;
    for (int step = 1; step <= steps; step++) {
        kick(&s, dt);
        drift(&s, dt, moved);
        TIMED(op_allgatherv, MPI_Allgatherv(moved, counts[rank], MPI_DOUBLE, s.position, counts,
                                            starts, MPI_DOUBLE, MPI_COMM_WORLD));
        potential = compute_forces(&s);
        TIMED(op_allreduce,
              MPI_Allreduce(s.partial, s.force, 3 * s.atoms, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD));
        kick(&s, dt);
        if (step % report_every == 0 || step == steps) {
            energy = total_energy(&s, potential);
            off = fmax(off, fabs(energy - energy_start));
            TIMED(op_bcast, MPI_Bcast(&dt, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD));
        }
    }

    double mine[2] = {MPI_Wtime() - begin, 0}, slowest[2];
    for (int op = 0; op < op_count; op++) mine[1] += op_seconds[op];
    MPI_Allreduce(mine, slowest, 2, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    if (rank == 0 && json) {
        printf("{\"atoms\": %d, \"ranks\": %d, \"steps\": %d, ", s.atoms, size, steps);
        printf("\"total_s\": %.6f, \"communication_s\": %.6f, ", slowest[0], slowest[1]);
        printf("\"energy_start\": %.12f, \"energy\": %.12f, ", energy_start, energy);
        printf("\"drift\": %.3e, \"operations_s\": {", off);
        for (int op = 0; op < op_count; op++)
            printf("%s\"%s\": %.6f", op ? ", " : "", op_name[op], op_seconds[op]);
        printf("}}\n");
    } else if (rank == 0) {
        printf("%d atoms, %d ranks, %d steps\n", s.atoms, size, steps);
        printf("energy per atom %.9f, drift %.1e\n", energy, off);
        printf("total %.3f s, communication %.3f s\n", slowest[0], slowest[1]);
        for (int op = 0; op < op_count; op++)
            printf("  %-11s %.3f s (rank 0)\n", op_name[op], op_seconds[op]);
    }

    void* rooms[] = {counts,      starts,     s.position, s.force, s.partial,
                     s.listed_at, s.velocity, moved,      s.pairs};
    for (size_t n = 0; n < sizeof rooms / sizeof *rooms; n++) free(rooms[n]);
    MPI_Finalize();
    return 0;
}
