// SPDX-License-Identifier: BSD-3-Clause
/* Collectives that do not block, waited for at once, by ECO and by the library in turn; the
   blocking ones and the persistent ones beside them. Run with ECO preloaded on all ranks; the
   library's own functions are looked up in it.

       mpirun -n 8 eco exec nonblocking BYTES REPEATS [bcast,allreduce,allgather,reduce [overlap]]

   Rank 0 prints for each operation the medians in microseconds: native, ECO, native blocking, ECO
   blocking, and those of MPI_Start and MPI_Wait. With `overlap`, what OSU and IMB-NBC tell: the
   time with as long a work as the library's own call takes, during which MPI_Test is called every
   100 microseconds, or nothing; and the share of a call's time that such work of its own length
   hides. Work is sleep, as the lab's hosts share processors. And what MPI_Test, MPI_Wait and
   MPI_Send cost in nanoseconds where no collective is under way: before the first one, and after
   the last. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

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

typedef int (*Bcast_init)(void*, int, MPI_Datatype, int, MPI_Comm, MPI_Info, MPI_Request*);
typedef int (*Allreduce_init)(const void*, void*, int, MPI_Datatype, MPI_Op, MPI_Comm, MPI_Info,
                              MPI_Request*);
typedef int (*Reduce_init)(const void*, void*, int, MPI_Datatype, MPI_Op, int, MPI_Comm, MPI_Info,
                           MPI_Request*);
typedef int (*Allgather_init)(const void*, int, MPI_Datatype, void*, int, MPI_Datatype, MPI_Comm,
                              MPI_Info, MPI_Request*);

enum { native_one, eco_one, native_blocking, eco_blocking, native_started, eco_started, ways };
static MPI_Request started[ways];
static double work, between_tests;

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
        case eco_blocking:                                                                         \
            MPI_##name(__VA_ARGS__);                                                               \
            break;                                                                                 \
        default:                                                                                   \
            if (started[way] != MPI_REQUEST_NULL)                                                  \
                MPI_Start(&started[way]);                                                          \
            else if (way == native_started)                                                        \
                OWN(name##_init, name##_init)(__VA_ARGS__, MPI_INFO_NULL, &started[way]);          \
            else                                                                                   \
                MPI_##name##_init(__VA_ARGS__, MPI_INFO_NULL, &started[way]);                      \
    }

static void rest(double seconds) {
    const struct timespec time = {(time_t)seconds, (long)(1e9 * (seconds - (time_t)seconds))};
    nanosleep(&time, NULL);
}

static void finish(MPI_Request* request) {
    int over = 0;
    const double until = MPI_Wtime() + work;
    if (work > 0 && between_tests <= 0) rest(work);
    while (between_tests > 0 && MPI_Wtime() < until) {
        rest(between_tests);
        MPI_Test(request, &over, MPI_STATUS_IGNORE);
    }
    MPI_Wait(request, MPI_STATUS_IGNORE);
}

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
    finish(way < native_started ? &request : &started[way]);
}

static int compare(const void* a, const void* b) {
    const double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

/* In another order each time, alike on all ranks: a call finds queues and windows as the one before
   left them. */
static void shuffle(int* order, int some) {
    static unsigned state = 1;
    for (int left = some; left > 1; left--) {
        state = state * 1103515245u + 12345u;
        const int other = (int)(state >> 16) % left, last = order[left - 1];
        order[left - 1] = order[other];
        order[other] = last;
    }
}

/* The median over the repeats of the longest of all ranks, in turn over `some` ways. */
static void measure(const char* operation, int repeats, int first, int some, double* median) {
    double* times = calloc((size_t)(repeats * some), sizeof *times);
    int order[ways];
    for (int way = 0; way < some; way++) order[way] = way;
    for (int repeat = 0; repeat < repeats; repeat++) {
        shuffle(order, some);
        for (int turn = 0; turn < some; turn++) {
            const int way = order[turn];
            OWN(int (*)(MPI_Comm), Barrier)(MPI_COMM_WORLD);
            const double began = MPI_Wtime();
            run(operation, first + way, 0);
            double took = MPI_Wtime() - began, longest = 0;
            OWN(Reduce, Reduce)(&took, &longest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
            times[way * repeats + repeat] = longest;
        }
    }
    for (int way = 0; way < some; way++) {
        qsort(times + way * repeats, (size_t)repeats, sizeof *times, compare);
        median[way] = 1e6 * times[way * repeats + repeats / 2];
    }
    free(times);
}

static void test_null(void) {
    MPI_Request request = MPI_REQUEST_NULL;
    int flag;
    MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
}

static void wait_null(void) {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void send_to_nobody(void) { MPI_Send(in, 0, MPI_BYTE, MPI_PROC_NULL, 5, MPI_COMM_WORLD); }

static void message_to_itself(void) {
    MPI_Request request;
    MPI_Irecv(out, 0, MPI_BYTE, rank, 5, MPI_COMM_WORLD, &request);
    MPI_Send(in, 0, MPI_BYTE, rank, 5, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void probe_for_nothing(void) {
    int flag;
    MPI_Iprobe(MPI_ANY_SOURCE, 6, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
}

/* Nanoseconds of a call: the least of some rounds. Ends after 0.2 s: a library that yields its
   processor in each call waits there for a whole time slice of any other program on the host. */
static double cost(void (*call)(void)) {
    enum { rounds = 20, calls = 10000, between_looks = 1000 };
    const double end = MPI_Wtime() + 0.2;
    double least = 0, now = 0;
    for (int round = 0; round < rounds && now < end; round++) {
        const double began = MPI_Wtime();
        int made = 0;
        do {
            for (int i = 0; i < between_looks; i++) call();
            made += between_looks;
            now = MPI_Wtime();
        } while (made < calls && now < end);
        const double each = 1e9 * (now - began) / made;
        if (round == 0 || each < least) least = each;
    }
    return least;
}

/* Of requests that are the library's own: with nothing else under way. */
static void cost_of_waiting(const char* when) {
    const double tested = cost(test_null);
    const double waited = cost(wait_null);
    const double sent = cost(send_to_nobody);
    const double passed = cost(message_to_itself);
    const double probed = cost(probe_for_nothing);
    if (rank == 0)
        printf(
            "%s: MPI_Test of null %.1f ns, MPI_Wait of null %.1f ns, MPI_Send to null %.1f ns, "
            "a message to itself %.1f ns, MPI_Iprobe %.1f ns\n",
            when, tested, waited, sent, passed, probed);
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
    cost_of_waiting("before");
    for (char* operation = strtok(list, ","); operation; operation = strtok(NULL, ",")) {
        for (int way = 0; way < ways; way++) started[way] = MPI_REQUEST_NULL;
        double median[ways];
        for (int way = 0; way < ways; way++)
            for (int warm = 0; warm < 3 && warm < repeats; warm++) run(operation, way, 0);
        measure(operation, repeats, 0, ways, median);
        if (rank == 0) {
            printf(
                "%s %d B: native %.1f, eco %.1f: %.2f; blocking native %.1f, eco %.1f: %.2f; "
                "persistent native %.1f, eco %.1f: %.2f, over eco's blocking %.3f\n",
                operation, bytes, median[native_one], median[eco_one],
                median[native_one] / median[eco_one], median[native_blocking], median[eco_blocking],
                median[native_blocking] / median[eco_blocking], median[native_started],
                median[eco_started], median[native_started] / median[eco_started],
                median[eco_blocking] / median[eco_started]);
            fflush(stdout);
        }
        for (int tests = 1; argc > 4 && tests >= 0; tests--) {
            double pure[2], alike[2], own = 0;
            for (int way = 0; way < 2; way++) pure[way] = median[way];
            MPI_Bcast(pure, 2, MPI_DOUBLE, 0, MPI_COMM_WORLD);
            between_tests = tests ? 100e-6 : 0;
            work = 1e-6 * pure[native_one];
            measure(operation, repeats, native_one, 2, alike);
            work = 1e-6 * pure[eco_one];
            measure(operation, repeats, eco_one, 1, &own);
            work = between_tests = 0;
            if (rank == 0)
                printf(
                    "    %s: with %.0f of work native %.0f, eco %.0f: %.2f; hidden native "
                    "%.0f %%, eco %.0f %%\n",
                    tests ? "MPI_Test every 100" : "no call", pure[native_one], alike[native_one],
                    alike[eco_one], alike[native_one] / alike[eco_one],
                    100 - 100 * (alike[native_one] - pure[native_one]) / pure[native_one],
                    100 - 100 * (own - pure[eco_one]) / pure[eco_one]);
            fflush(stdout);
        }
        for (int way = native_started; way < ways; way++) MPI_Request_free(&started[way]);
    }
    cost_of_waiting("after");
    MPI_Finalize();
    return 0;
}
