// SPDX-License-Identifier: BSD-3-Clause
/* An unmodified MPI program of non-blocking and persistent collectives: nonblocking WHAT N [SEED
   SECONDS]. Rank 0 prints a hash of all results and `all ok`.

       freed      Datatypes, operators and communicators are freed before their calls are over.
       handles    Null and inactive requests, arrays of both kinds, statuses, errors.
       random     N random calls, blocking, non-blocking and persistent, on several communicators,
                  waited for in random order.
       sequences  N short ones of these, each with communicators and a seed of its own.
       order      N calls under way at once on one communicator. */
#include <string.h>

#include "conformance/persistent.h"
#include "require.h"

/* ---- freed ---- */

static void add(void* in, void* inout, int* length, MPI_Datatype* type) {
    int size = 0;
    MPI_Type_size(*type, &size);
    for (int i = 0; i < *length * size / (int)sizeof(int); i++) ((int*)inout)[i] += ((int*)in)[i];
}

static void freed(void) {
    for (int round = 0; round < 30; round++) {
        MPI_Comm comm;
        MPI_Datatype pair, gaps;
        MPI_Op op;
        MPI_Request requests[4];
        int in[60], out[60], spread[120], gathered[1000];
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        MPI_Type_contiguous(2, MPI_INT, &pair);
        MPI_Type_vector(2, 1, 2, MPI_INT, &gaps);
        MPI_Type_commit(&pair);
        MPI_Type_commit(&gaps);
        MPI_Op_create(add, 1, &op);
        for (int i = 0; i < 60; i++) in[i] = i + rank, out[i] = -1;
        for (int i = 0; i < 120; i++) spread[i] = rank == 0 ? i : -1;
        const int root = round % ranks;
        MPI_Iallreduce(in, out, 30, pair, op, comm, &requests[0]);
        MPI_Ibcast(spread, 30, gaps, 0, comm, &requests[1]);
        MPI_Igather(in, 10, MPI_INT, gathered, 5, pair, root, comm, &requests[2]);
        MPI_Ibarrier(comm, &requests[3]);
        MPI_Type_free(&pair);
        MPI_Type_free(&gaps);
        MPI_Op_free(&op);
        MPI_Comm_free(&comm);
        REQUIRE(pair == MPI_DATATYPE_NULL && op == MPI_OP_NULL && comm == MPI_COMM_NULL);
        MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
        for (int i = 0; i < 60; i++) REQUIRE(out[i] == ranks * i + ranks * (ranks - 1) / 2);
        for (int i = 0; i < 30; i++)
            for (int part = 0; part < 2; part++)
                REQUIRE(spread[3 * i + 2 * part] == 3 * i + 2 * part);
        for (int i = 0; rank == root && i < 10 * ranks; i++)
            REQUIRE(gathered[i] == i % 10 + i / 10);
    }
}

/* ---- handles ---- */

static void handles(void) {
    MPI_Status status;
    MPI_Request request;
    int value = rank, result = 0, flag = 0;
    MPI_Iallreduce(&value, &result, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
    memset(&status, 0x55, sizeof status);
    while (!flag) MPI_Request_get_status(request, &flag, &status);
    REQUIRE(request != MPI_REQUEST_NULL);
    MPI_Wait(&request, &status);
    REQUIRE(request == MPI_REQUEST_NULL);
    REQUIRE(result == ranks * (ranks - 1) / 2);
    MPI_Wait(&request, &status); /* twice */
    /* An array of everything. */
    enum { many = 6 };
    MPI_Request requests[many];
    int got[many], taken = 0, indices[many], ended = 0;
    MPI_Status statuses[many];
    requests[0] = MPI_REQUEST_NULL;
    MPI_Irecv(&got[1], 1, MPI_INT, (rank + ranks - 1) % ranks, 3, MPI_COMM_WORLD, &requests[1]);
    got[2] = rank == 0 ? 77 : 0;
    MPI_Ibcast(&got[2], 1, MPI_INT, 0, MPI_COMM_WORLD, &requests[2]);
    MPI_Send_init(&value, 1, MPI_INT, (rank + 1) % ranks, 4, MPI_COMM_WORLD, &requests[3]);
    MPI_Request inactive = requests[3];
    MPI_Ibarrier(MPI_COMM_WORLD, &requests[4]);
    MPI_Isend(&value, 1, MPI_INT, (rank + 1) % ranks, 3, MPI_COMM_WORLD, &requests[5]);
    while (ended != MPI_UNDEFINED) {
        MPI_Waitsome(many, requests, &ended, indices, statuses);
        for (int i = 0; ended != MPI_UNDEFINED && i < ended; i++) taken |= 1 << indices[i];
    }
    REQUIRE(taken == (1 << 1 | 1 << 2 | 1 << 4 | 1 << 5));
    REQUIRE(got[1] == (rank + ranks - 1) % ranks && got[2] == 77);
    MPI_Request_free(&inactive);
    /* Too long a message: an error of waiting, and the job goes on. */
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    int code = MPI_Ibcast(got, 1, MPI_INT, ranks, MPI_COMM_WORLD, &request), class = 0;
    MPI_Error_class(code, &class);
    REQUIRE(class == MPI_ERR_ROOT);
    code = MPI_Ibcast(got, -1, MPI_INT, 0, MPI_COMM_WORLD, &request);
    MPI_Error_class(code, &class);
    REQUIRE(class == MPI_ERR_COUNT);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* ---- random ---- */

static uint32_t state;
static int draw(int below) {
    state = state * 1664525u + 1013904223u;
    return (int)((state >> 8) % (uint32_t)below);
}

enum { most_open = 12, most_elements = 700, room = 700 * 16, kinds = 19 };
typedef struct {
    MPI_Request request;
    int kind, elements, root, form;
    int in[room], out[room], counts[16], places[16], counts2[16], places2[16], bytes[16],
        bytes2[16];
    MPI_Datatype types[16];
} Open;
static Open open_calls[most_open];

enum { blocking, nonblocking, persistent_form };

/* All ranks draw alike; a rank's own part does not touch the state. */
static void begin(Open* o, MPI_Comm comm, int form) {
    int me, size;
    MPI_Comm_rank(comm, &me);
    MPI_Comm_size(comm, &size);
    const int n = o->elements = draw(4) ? 1 + draw(60) : draw(most_elements),
              root = o->root = draw(size);
    o->kind = draw(kinds);
    for (int i = 0; i < room; i++) o->in[i] = 7 * i + 1000 * me + n, o->out[i] = -5;
    int total = 0, total2 = 0;
    for (int r = 0; r < size; r++) {
        const int own = (n + 3 * r) % (n + 1), pair = (me + r) % 5 + n / size,
                  other = (r + me) % 5 + n / size;
        o->counts[r] = own, o->places[r] = total, total += own + 1;
        o->counts2[r] = pair, o->places2[r] = total2, total2 += (pair > other ? pair : other) + 1;
        o->bytes[r] = 4 * o->places2[r], o->types[r] = MPI_INT;
    }
    MPI_Request* q = &o->request;
    *q = MPI_REQUEST_NULL;
#define CALL(name, iname, ...)                                                                     \
    form == blocking      ? MPI_##name(__VA_ARGS__)                                                \
    : form == nonblocking ? MPI_##iname(__VA_ARGS__, q)                                            \
                          : MPI_##name##_init(__VA_ARGS__, MPI_INFO_NULL, q)
    o->form = form;
    int *in = o->in, *out = o->out, mine = o->counts[me];
    switch (o->kind) {
        case 0:
            CALL(Barrier, Ibarrier, comm);
            break;
        case 1:
            CALL(Bcast, Ibcast, me == root ? in : out, n, MPI_INT, root, comm);
            break;
        case 2:
            CALL(Gather, Igather, in, n, MPI_INT, out, n, MPI_INT, root, comm);
            break;
        case 3:
            CALL(Scatter, Iscatter, in, n, MPI_INT, out, n, MPI_INT, root, comm);
            break;
        case 4:
            CALL(Gatherv, Igatherv, in, mine, MPI_INT, out, o->counts, o->places, MPI_INT, root,
                 comm);
            break;
        case 5:
            CALL(Scatterv, Iscatterv, in, o->counts, o->places, MPI_INT, out, mine, MPI_INT, root,
                 comm);
            break;
        case 6:
            CALL(Allgather, Iallgather, in, n, MPI_INT, out, n, MPI_INT, comm);
            break;
        case 7:
            CALL(Allgatherv, Iallgatherv, in, mine, MPI_INT, out, o->counts, o->places, MPI_INT,
                 comm);
            break;
        case 8:
            CALL(Alltoall, Ialltoall, in, n, MPI_INT, out, n, MPI_INT, comm);
            break;
        case 9:
            CALL(Alltoallv, Ialltoallv, in, o->counts2, o->places2, MPI_INT, out, o->counts2,
                 o->places2, MPI_INT, comm);
            break;
        case 10:
            CALL(Alltoallw, Ialltoallw, in, o->counts2, o->bytes, o->types, out, o->counts2,
                 o->bytes, o->types, comm);
            break;
        case 11:
            CALL(Reduce, Ireduce, in, out, n, MPI_INT, MPI_SUM, root, comm);
            break;
        case 12:
            CALL(Allreduce, Iallreduce, in, out, n, MPI_INT, MPI_MAX, comm);
            break;
        case 13:
            CALL(Scan, Iscan, in, out, n, MPI_INT, MPI_SUM, comm);
            break;
        case 14:
            CALL(Exscan, Iexscan, in, out, n, MPI_INT, MPI_SUM, comm);
            break;
        case 15:
            CALL(Reduce_scatter, Ireduce_scatter, in, out, o->counts, MPI_INT, MPI_SUM, comm);
            break;
        case 16:
            CALL(Reduce_scatter_block, Ireduce_scatter_block, in, out, n, MPI_INT, MPI_BXOR, comm);
            break;
        case 17:
            CALL(Allreduce, Iallreduce, MPI_IN_PLACE, out, n, MPI_INT, MPI_SUM, comm);
            break;
        default:
            CALL(Bcast, Ibcast, me == root ? in : out, n, MPI_INT, root, comm);
    }
    if (form == persistent_form) MPI_Start(q);
}

/* A persistent one runs again, now and then more than once. Sums in place go on from there. */
static void end(Open* o) {
    digest(o->out, sizeof o->out);
    if (o->form != persistent_form) return;
    for (int again = o->elements % 3; again-- > 0;) {
        for (int i = 0; i < room; i++) o->in[i] += 13 * again + 1;
        MPI_Start(&o->request);
        MPI_Wait(&o->request, MPI_STATUS_IGNORE);
        digest(o->out, sizeof o->out);
    }
    MPI_Request_free(&o->request);
}

static void at_random(int calls, int seed) {
    state = (uint32_t)seed;
    MPI_Comm comms[3];
    comms[0] = MPI_COMM_WORLD;
    MPI_Comm_dup(MPI_COMM_WORLD, &comms[1]);
    const int parts = draw(3) ? 1 : 2, way = draw(2) ? 1 : -1;
    MPI_Comm_split(MPI_COMM_WORLD, rank % parts, way * rank, &comms[2]);
    int open = 0;
    uint32_t own = (uint32_t)(seed + 31 * rank);
    for (int call = 0; call < calls; call++) {
        MPI_Comm comm = comms[draw(3)];
        const int form = draw(5) == 0 ? blocking : draw(3) ? nonblocking : persistent_form;
        Open* o = &open_calls[open];
        begin(o, comm, form);
        if (form == blocking)
            end(o);
        else
            open++;
        /* All ranks wait at the same places, for the same calls, each in an order of its own. */
        if (open < most_open && draw(6)) continue;
        const int waits = open == most_open ? open : draw(open + 1);
        MPI_Request some[most_open];
        for (int i = 0; i < waits; i++) some[i] = open_calls[i].request;
        own = own * 1664525u + 1013904223u;
        int index, flag = 0;
        if (own >> 31)
            MPI_Waitall(waits, some, MPI_STATUSES_IGNORE);
        else if (own >> 30 & 1)
            for (int i = 0; i < waits; i++) MPI_Waitany(waits, some, &index, MPI_STATUS_IGNORE);
        else
            for (int i = waits; i-- > 0; flag = 0)
                while (!flag) MPI_Test(&some[i], &flag, MPI_STATUS_IGNORE);
        for (int i = 0; i < waits; i++) end(&open_calls[i]);
        for (int i = waits; i < open; i++) {
            /* The library writes into open calls: only those that are over may move. */
            MPI_Wait(&open_calls[i].request, MPI_STATUS_IGNORE);
            end(&open_calls[i]);
        }
        open = 0;
    }
    for (int i = 0; i < open; i++) {
        MPI_Wait(&open_calls[i].request, MPI_STATUS_IGNORE);
        end(&open_calls[i]);
    }
    MPI_Comm_free(&comms[1]);
    MPI_Comm_free(&comms[2]);
}

static void sequences(int count, int seed) {
    enum { calls_of_each = 20, between_hashes = 50 };
    char name[40];
    for (int number = 0; number < count; number++) {
        at_random(calls_of_each, seed + number);
        snprintf(name, sizeof name, "sequences-%d", number + 1);
        if ((number + 1) % between_hashes == 0) print_hash(name);
    }
}

/* ---- freed, by callbacks and by some ranks only ---- */

static int free_other(MPI_Datatype type, int key, void* other, void* extra) {
    (void)type, (void)key, (void)extra;
    return MPI_Type_free(other);
}

/* A type that is freed while a call needs it, and whose callback frees another, which a second call
   needs. */
static void type_frees_another(int polls) {
    MPI_Datatype gaps, other;
    MPI_Request requests[2];
    int key, ended[2] = {0, 0}, spread[2][3] = {{rank, rank, rank}, {rank, rank, rank}};
    MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, free_other, &key, NULL);
    MPI_Type_vector(2, 1, 2, MPI_INT, &gaps);
    MPI_Type_vector(2, 1, 2, MPI_INT, &other);
    MPI_Type_commit(&gaps);
    MPI_Type_commit(&other);
    MPI_Type_set_attr(gaps, key, &other);
    MPI_Ibcast(spread[0], 1, gaps, 0, MPI_COMM_WORLD, &requests[0]);
    /* Rank 0 is late with the second. */
    for (int n = 0; polls && rank == 0 && n < 1000; n++)
        MPI_Iprobe(0, 99, MPI_COMM_WORLD, &ended[0], MPI_STATUS_IGNORE);
    MPI_Ibcast(spread[1], 1, other, 0, MPI_COMM_WORLD, &requests[1]);
    MPI_Type_free(&gaps);
    for (int i = 0; i < 2; i++) {
        while (polls && !ended[i]) MPI_Test(&requests[i], &ended[i], MPI_STATUS_IGNORE);
        MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
        REQUIRE(spread[i][0] == 0 && spread[i][1] == rank && spread[i][2] == 0);
    }
    REQUIRE(other == MPI_DATATYPE_NULL);
    MPI_Type_free_keyval(&key);
}

static void free_in_callbacks(void) {
    for (int turn = 0; turn < 40; turn++) type_frees_another(turn % 2);
}

/* Rank 0 is in no part of a communicator that ECO has not seen, and goes on to messages. */
static void split_without_one(void) {
    MPI_Comm grid, row, part;
    int value = rank;
    MPI_Cart_create(MPI_COMM_WORLD, 1, &ranks, (int[]){0}, 0, &grid);
    MPI_Cart_sub(grid, (int[]){1}, &row);
    MPI_Comm_split(row, rank == 0 ? MPI_UNDEFINED : 0, rank, &part);
    for (int other = 1; rank == 0 && other < ranks; other++)
        MPI_Recv(&value, 1, MPI_INT, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank > 0) {
        MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
        MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_INT, MPI_MIN, part);
        REQUIRE(value == 1);
        MPI_Comm_free(&part);
    }
    MPI_Comm_free(&row);
    MPI_Comm_free(&grid);
}

/* ---- order ---- */

static void order(int calls) {
    MPI_Request* requests = malloc((size_t)calls * sizeof *requests);
    int (*values)[50] = malloc((size_t)calls * sizeof *values);
    for (int c = 0; c < calls; c++)
        for (int i = 0; i < 50; i++) values[c][i] = rank == c % ranks ? 50 * c + i : -1;
    for (int c = 0; c < calls; c++) {
        MPI_Ibcast(values[c], 50, MPI_INT, c % ranks, MPI_COMM_WORLD, &requests[c]);
        if (c % 10 == 0) MPI_Barrier(MPI_COMM_WORLD);
    }
    /* The last ones first on some ranks. */
    for (int c = 0; c < calls; c++)
        MPI_Wait(&requests[rank % 2 ? calls - 1 - c : c], MPI_STATUS_IGNORE);
    for (int c = 0; c < calls; c++)
        for (int i = 0; i < 50; i++) REQUIRE(values[c][i] == 50 * c + i);
    free(values);
    free(requests);
}

int main(int argc, char** argv) {
    const char* what = argc > 1 ? argv[1] : "";
    const int number = argc > 2 ? atoi(argv[2]) : 1;
    begin_program(&argc, &argv, argc > 4 ? atoi(argv[4]) : 100);
    if (!strcmp(what, "freed")) split_without_one(), freed(), free_in_callbacks();
    if (!strcmp(what, "handles")) handles();
    if (!strcmp(what, "random")) at_random(number, argc > 3 ? atoi(argv[3]) : 1);
    if (!strcmp(what, "sequences")) sequences(number, argc > 3 ? atoi(argv[3]) : 1);
    if (!strcmp(what, "order")) order(number);
    say_all_ok(what);
    MPI_Finalize();
    return 0;
}
