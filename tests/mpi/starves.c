// SPDX-License-Identifier: BSD-3-Clause
/* Memory that is short inside the preload object, on one rank: starves CALL fatal|return N.
   Rank 1's allocations there fail from the N-th on, in MPI_Init, where the session begins for a
   program that asks for levels (`init`), or in CALL after one that went well. With `return` the
   program goes on after an error. "all ok" where N was never reached. `late` and `early` are
   broadcasts: memory that the object has freed must stay as it is. The root of `late` comes late,
   so that what rank 1 has begun to receive can be cancelled; that of `early` sends a long message
   first, which is on its way once rank 1 has begun to receive it. With REQUESTS it also has calls
   with a request: a program that names such functions has communicators made ready for them. */
#include <link.h>
#include <malloc.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "eco.h"

void* __libc_malloc(size_t);
void __libc_free(void*);
static char *from, *to;
static volatile int starving, left, failed;

void* malloc(size_t bytes) {
    char* caller = __builtin_return_address(0);
    if (starving && caller >= from && caller < to && left-- <= 0) {
        failed = 1;
        return NULL;
    }
    return __libc_malloc(bytes);
}

static struct {
    unsigned char* start;
    size_t bytes;
} freed[1000];
static int all_freed;

void free(void* memory) {
    char* caller = __builtin_return_address(0);
    if (!starving || !memory || caller < from || caller >= to || all_freed == 1000) {
        __libc_free(memory);
        return;
    }
    freed[all_freed].start = memory;
    freed[all_freed].bytes = malloc_usable_size(memory);
    memset(memory, 0x5a, freed[all_freed++].bytes);
}

/* Until all messages that were under way have come. */
static void let_come(int milliseconds) {
    int flag;
    for (int turn = 0; turn < milliseconds / 2; turn++) {
        MPI_Iprobe(MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
        usleep(2000);
    }
}

static void check_freed(void) {
    let_come(600);
    for (int f = 0; f < all_freed; f++)
        for (size_t b = 0; b < freed[f].bytes; b++)
            if (freed[f].start[b] != 0x5a) {
                puts("written after it was freed");
                return;
            }
}

static int find(struct dl_phdr_info* info, size_t size, void* data) {
    (void)size, (void)data;
    if (!strstr(info->dlpi_name, "/libeco-")) return 0;
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_LOAD && info->dlpi_phdr[i].p_flags & PF_X) {
            from = (char*)info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
            to = from + info->dlpi_phdr[i].p_memsz;
        }
    return 1;
}

enum { LONG = 1 << 15 }; /* units of 8 integers, of which every other one is sent */
static int data[16 * LONG], more[4096];

static int comes(const char* what) { return !strcmp(what, "late") || !strcmp(what, "early"); }

static MPI_Comm used; /* what the call was on, and the program goes on with */

static int is(const char* what, const char* name) { return !strcmp(what, name); }

/* A grid as wide as the communicator: each rank's neighbours are those beside it. */
static int make_grid(MPI_Comm comm, int size, MPI_Comm* grid) {
    const int periods[1] = {0};
    return MPI_Cart_create(comm, 1, &size, periods, 1, grid);
}

/* Rank 0 and the last one give to all others. */
static int multicast(MPI_Comm comm, int size) {
    int sources[2] = {0, size - 1}, degrees[2] = {size - 1, size - 1}, others[128], all = 0;
    MPI_Aint bytes[2] = {2000, 2000};
    void* buffers[2] = {data, data + 500};
    for (int m = 0; m < 2; m++)
        for (int r = 0; r < size; r++)
            if (r != sources[m]) others[all++] = r;
    return ECO_Multicast(2, sources, bytes, degrees, others, buffers, comm);
}

#ifdef REQUESTS
static int with_request(const char* what, MPI_Comm comm) {
    MPI_Request request = MPI_REQUEST_NULL;
    int code;
    if (is(what, "ibcast")) {
        code = MPI_Ibcast(data, 500, MPI_INT, 0, comm, &request);
        return code ? code : MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    code = MPI_Bcast_init(data, 500, MPI_INT, 0, comm, MPI_INFO_NULL, &request);
    for (int turn = 0; !code && turn < 2; turn++) {
        code = MPI_Start(&request);
        if (!code) code = MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    return code;
}
#endif

/* What the call needs and makes while there is memory. */
static MPI_Comm before(const char* what, MPI_Comm comm) {
    MPI_Comm made = comm;
    int size;
    MPI_Comm_size(comm, &size);
    if (is(what, "neighbor_allgather")) make_grid(comm, size, &made);
    if (is(what, "free")) {
        MPI_Comm_dup(comm, &made);
        MPI_Bcast(data, 4000, MPI_INT, 0, made);
    }
    return made;
}

static int call(const char* what, MPI_Comm comm) {
    int rank, size, counts[64], places[64];
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    if (is(what, "split")) {
        int code = MPI_Comm_split(comm, 0, rank, &used);
        return code ? code : MPI_Barrier(used);
    }
    if (is(what, "free")) {
        used = MPI_COMM_WORLD;
        return MPI_Comm_free(&comm);
    }
    if (is(what, "grid")) return make_grid(comm, size, &used);
    if (is(what, "neighbor_allgather"))
        return MPI_Neighbor_allgather(data, 500, MPI_INT, more, 500, MPI_INT, comm);
    if (is(what, "multicast")) return multicast(comm, size);
#ifdef REQUESTS
    if (is(what, "ibcast") || is(what, "bcast_init")) return with_request(what, comm);
#endif
    for (int r = 0; r < size; r++) counts[r] = 3 + r, places[r] = 5 * r;
    if (!strcmp(what, "bcast") || comes(what)) {
        const int units = !strcmp(what, "early") ? LONG : 4;
        MPI_Datatype every_other;
        MPI_Type_vector(8, 1, 2, MPI_INT, &every_other);
        MPI_Type_commit(&every_other);
        if (comes(what)) {
            MPI_Bcast(data, units, every_other, 0, comm); /* all is made and planned */
            for (int n = 0; n < 16 * LONG; n++) data[n] = 7;
            MPI_Barrier(MPI_COMM_WORLD);
            if (!strcmp(what, "late") && rank == 0) usleep(200000);
            if (!strcmp(what, "early") && rank == 1) let_come(200);
            starving = rank == 1;
        }
        int code = MPI_Bcast(data, units, every_other, 0, comm);
        MPI_Type_free(&every_other);
        return code;
    }
    if (!strcmp(what, "gatherv"))
        return MPI_Gatherv(data, 3 + rank, MPI_INT, more, counts, places, MPI_INT, 0, comm);
    if (!strcmp(what, "reduce_scatter"))
        return MPI_Reduce_scatter(data, more, counts, MPI_INT, MPI_SUM, comm);
    if (!strcmp(what, "levels")) {
        int levels, nearest[64], found;
        int code = ECO_Comm_levels(comm, rank, &levels);
        return code ? code : ECO_Comm_nearest(comm, size - 1, nearest, &found);
    }
    return MPI_Allreduce(data, more, 100, MPI_INT, MPI_SUM, comm);
}

/* What the program does next with the communicator. */
static void go_on(const char* what, MPI_Comm comm) {
    MPI_Comm other;
    MPI_Request request;
    (void)request;
    if (is(what, "dup")) MPI_Comm_dup(comm, &other);
#ifdef REQUESTS
    if (is(what, "ibcast") && MPI_Ibcast(data, 500, MPI_INT, 0, comm, &request) == MPI_SUCCESS)
        MPI_Wait(&request, MPI_STATUS_IGNORE);
#endif
    MPI_Barrier(comm);
}

int main(int argc, char** argv) {
    if (argc < 4) return 2;
    int rank, class = MPI_SUCCESS;
    MPI_Comm comm = MPI_COMM_WORLD;
    const char* number = getenv("OMPI_COMM_WORLD_RANK");
    if (!number) number = getenv("PMI_RANK");
    left = atoi(argv[3]);
    dl_iterate_phdr(find, NULL);
    starving = !strcmp(argv[1], "init") && number && atoi(number) == 1;
    MPI_Init(&argc, &argv);
    starving = 0;
    MPI_Comm_rank(comm, &rank);
    MPI_Barrier(comm);
    MPI_Comm_dup(comm, &comm); /* of which ECO knows nothing yet */
    if (!strcmp(argv[2], "return")) MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    used = comm = before(argv[1], comm);
    starving = rank == 1 && strcmp(argv[1], "init") && !comes(argv[1]);
    int code = call(argv[1], comm);
    starving = 0;
    if (failed) {
        MPI_Error_class(code, &class);
        printf("told %s\n", class == MPI_ERR_NO_MEM ? "NO_MEM" : class ? "another" : "nothing");
        if (comes(argv[1])) check_freed();
        fflush(stdout);
    }
    if (strcmp(argv[1], "levels"))
        go_on(argc > 4 ? argv[4] : "barrier", used == MPI_COMM_NULL ? comm : used);
    if (rank == 1 && !failed) puts("all ok");
    MPI_Finalize();
    return 0;
}
