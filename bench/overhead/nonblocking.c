// SPDX-License-Identifier: BSD-3-Clause
/* Collectives that do not block, waited for at once, by ECO and by the library in turn; and the
   blocking ones beside them. Run with ECO preloaded on all ranks; the library's own functions are
   looked up in it.

       mpirun -n 8 eco exec nonblocking BYTES REPEATS [bcast,allreduce,allgather,reduce]

   Rank 0 prints for each operation the medians in microseconds: native, ECO, native blocking, ECO
   blocking. And what MPI_Test and MPI_Wait of the library's own requests cost in nanoseconds. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, ranks, bytes;
static char *in, *out;
static void* library;

static int look(struct dl_phdr_info* info, size_t size, void* data) {
    (void)size, (void)data;
    const char* slash = strrchr(info->dlpi_name, '/');
    if (!slash || strncmp(slash + 1, "libmpi.so", 9)) return 0;
    library = dlopen(info->dlpi_name, RTLD_NOLOAD | RTLD_NOW);
    return 1;
}

typedef int (*Bcast)(void*, int, MPI_Datatype, int, MPI_Comm);
typedef int (*Ibcast)(void*, int, MPI_Datatype, int, MPI_Comm, MPI_Request*);
typedef int (*Allreduce)(const void*, void*, int, MPI_Datatype, MPI_Op, MPI_Comm);
typedef int (*Iallreduce)(const void*, void*, int, MPI_Datatype, MPI_Op, MPI_Comm, MPI_Request*);
typedef int (*Reduce)(const void*, void*, int, MPI_Datatype, MPI_Op, int, MPI_Comm);
typedef int (*Ireduce)(const void*, void*, int, MPI_Datatype, MPI_Op, int, MPI_Comm, MPI_Request*);
typedef int (*Allgather)(const void*, int, MPI_Datatype, void*, int, MPI_Datatype, MPI_Comm);
typedef int (*Iallgather)(const void*, int, MPI_Datatype, void*, int, MPI_Datatype, MPI_Comm,
                          MPI_Request*);

enum { native_one, eco_one, native_blocking, eco_blocking, ways };

#define OWN(type, name) ((type)dlsym(library, "PMPI_" #name))
#define CALL(name, iname, ...)                                                                     \
    switch (way) {                                                                                 \
        case native_one:                                                                           \
            OWN(iname, iname)(__VA_ARGS__, &request);                                              \
            break;                                                                                 \
        case eco_one:                                                                              \
            MPI_##iname(__VA_ARGS__, &request);                                                    \
            break;                                                                                 \
        case native_blocking:                                                                      \
            OWN(name, name)(__VA_ARGS__);                                                          \
            break;                                                                                 \
        default:                                                                                   \
            MPI_##name(__VA_ARGS__);                                                               \
    }                                                                                              \
    MPI_Wait(&request, MPI_STATUS_IGNORE)

static void run(const char* operation, int way, int root) {
    MPI_Request request = MPI_REQUEST_NULL;
    const int doubles = bytes / 8;
    if (!strcmp(operation, "bcast")) {
        CALL(Bcast, Ibcast, in, bytes, MPI_BYTE, root, MPI_COMM_WORLD);
    } else if (!strcmp(operation, "allreduce")) {
        CALL(Allreduce, Iallreduce, in, out, doubles, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    } else if (!strcmp(operation, "reduce")) {
        CALL(Reduce, Ireduce, in, out, doubles, MPI_DOUBLE, MPI_SUM, root, MPI_COMM_WORLD);
    } else if (!strcmp(operation, "allgather")) {
        CALL(Allgather, Iallgather, in, bytes, MPI_BYTE, out, bytes, MPI_BYTE, MPI_COMM_WORLD);
    }
}

static int compare(const void* a, const void* b) {
    const double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

/* Of requests that are the library's own: with nothing else under way. */
static void cost_of_waiting(const char* when) {
    enum { many = 200000 };
    MPI_Request request;
    int flag;
    const double began = MPI_Wtime();
    for (int i = 0; i < many; i++) {
        request = MPI_REQUEST_NULL;
        MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
    }
    const double tested = MPI_Wtime();
    for (int i = 0; i < many; i++) {
        MPI_Irecv(out, 0, MPI_BYTE, rank, 5, MPI_COMM_WORLD, &request);
        MPI_Send(in, 0, MPI_BYTE, rank, 5, MPI_COMM_WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    const double waited = MPI_Wtime();
    int nothing;
    for (int i = 0; i < many; i++)
        MPI_Iprobe(MPI_ANY_SOURCE, 6, MPI_COMM_WORLD, &nothing, MPI_STATUS_IGNORE);
    const double probed = MPI_Wtime();
    if (rank == 0)
        printf("%s: MPI_Test of null %.1f ns, a message to itself %.1f ns, MPI_Iprobe %.1f ns\n",
               when, 1e9 * (tested - began) / many, 1e9 * (waited - tested) / many,
               1e9 * (probed - waited) / many);
}

int main(int argc, char** argv) {
    bytes = argc > 1 ? atoi(argv[1]) : 16000;
    const int repeats = argc > 2 ? atoi(argv[2]) : 20;
    char list[200];
    snprintf(list, sizeof list, "%s", argc > 3 ? argv[3] : "bcast,allreduce,allgather,reduce");
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    dl_iterate_phdr(look, NULL);
    in = calloc(1, (size_t)bytes + 16);
    out = calloc((size_t)ranks, (size_t)bytes + 16);
    double* times = calloc((size_t)(repeats * ways), sizeof *times);
    cost_of_waiting("before");
    for (char* operation = strtok(list, ","); operation; operation = strtok(NULL, ",")) {
        for (int warm = 0; warm < 2; warm++)
            for (int way = 0; way < ways; way++) run(operation, way, 0);
        for (int repeat = 0; repeat < repeats; repeat++)
            for (int way = 0; way < ways; way++) {
                OWN(int (*)(MPI_Comm), Barrier)(MPI_COMM_WORLD);
                const double began = MPI_Wtime();
                run(operation, way, 0);
                double took = MPI_Wtime() - began, longest = 0;
                OWN(Reduce, Reduce)(&took, &longest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
                times[way * repeats + repeat] = longest;
            }
        double median[ways];
        for (int way = 0; way < ways; way++) {
            qsort(times + way * repeats, (size_t)repeats, sizeof *times, compare);
            median[way] = 1e6 * times[way * repeats + repeats / 2];
        }
        if (rank == 0) {
            printf("%s %d B: native %.0f, eco %.0f: %.2f; blocking native %.0f, eco %.0f: %.2f\n",
                   operation, bytes, median[native_one], median[eco_one],
                   median[native_one] / median[eco_one], median[native_blocking],
                   median[eco_blocking], median[native_blocking] / median[eco_blocking]);
            fflush(stdout);
        }
    }
    cost_of_waiting("after");
    MPI_Finalize();
    return 0;
}
