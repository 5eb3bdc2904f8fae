// SPDX-License-Identifier: BSD-3-Clause
/* An unmodified MPI program of persistent collectives: persistent WHAT N. Rank 0 prints a hash of
   all results and `all ok`.

       restarts   Every collective is started N times, with new input each time, of plain and of
                  derived datatypes.
       handles    Inactive and freed requests, arrays of all kinds, errors by their class.
       active     What an active request may be asked.
       freed      Datatypes, operators and communicators are freed before the first start or the
   end. many       N requests at once, more than a communicator has tags for, started out of order.
 */
#include "conformance/persistent.h"

#include <string.h>

#include "require.h"

/* ---- restarts ---- */

enum { most_ranks = 16, room = 6000, operations = 19 };
static int in[room], out[room];
static int counts[most_ranks], places[most_ranks], bytes[most_ranks];
static MPI_Datatype types[most_ranks];

static void make(int operation, int n, MPI_Datatype type, MPI_Comm comm, MPI_Comm ring,
                 MPI_Request* q) {
    const int mine = counts[rank], root = operation % ranks;
    const MPI_Info info = MPI_INFO_NULL;
    switch (operation) {
        case 0:
            MPI_Barrier_init(comm, info, q);
            break;
        case 1:
            MPI_Bcast_init(rank == root ? in : out, n, type, root, comm, info, q);
            break;
        case 2:
            MPI_Gather_init(in, n, type, out, n, type, root, comm, info, q);
            break;
        case 3:
            MPI_Scatter_init(in, n, type, out, n, type, root, comm, info, q);
            break;
        case 4:
            MPI_Gatherv_init(in, mine, type, out, counts, places, type, root, comm, info, q);
            break;
        case 5:
            MPI_Scatterv_init(in, counts, places, type, out, mine, type, root, comm, info, q);
            break;
        case 6:
            MPI_Allgather_init(in, n, type, out, n, type, comm, info, q);
            break;
        case 7:
            MPI_Allgatherv_init(in, mine, type, out, counts, places, type, comm, info, q);
            break;
        case 8:
            MPI_Alltoall_init(in, n, type, out, n, type, comm, info, q);
            break;
        case 9:
            MPI_Alltoallv_init(in, counts, places, type, out, counts, places, type, comm, info, q);
            break;
        case 10:
            MPI_Alltoallw_init(in, counts, bytes, types, out, counts, bytes, types, comm, info, q);
            break;
        case 11:
            MPI_Reduce_init(in, out, n, MPI_INT, MPI_SUM, root, comm, info, q);
            break;
        case 12:
            MPI_Allreduce_init(in, out, n, MPI_INT, MPI_MAX, comm, info, q);
            break;
        case 13:
            MPI_Scan_init(in, out, n, MPI_INT, MPI_SUM, comm, info, q);
            break;
        case 14:
            MPI_Exscan_init(in, out, n, MPI_INT, MPI_SUM, comm, info, q);
            break;
        case 15:
            MPI_Reduce_scatter_init(in, out, counts, MPI_INT, MPI_SUM, comm, info, q);
            break;
        case 16:
            MPI_Reduce_scatter_block_init(in, out, n, MPI_INT, MPI_BXOR, comm, info, q);
            break;
        case 17:
            MPI_Neighbor_allgather_init(in, n, type, out, n, type, ring, info, q);
            break;
        case 18:
            MPI_Neighbor_allgatherv_init(in, mine, type, out, counts, places, type, ring, info, q);
            break;
    }
}

/* All blocks are alike where each end gives a size: a rank knows only its own. */
static void set_counts(int operation, int n) {
    const int alike = operation >= 9 && operation <= 10;
    for (int r = 0, at = 0; r < ranks; r++) {
        counts[r] = alike || operation >= 17 ? n : (n + 3 * r) % (n + 1);
        places[r] = at;
        at += n + 1;
    }
}

static void restarts(int starts) {
    MPI_Datatype gaps;
    MPI_Comm ring;
    const int periodic = 1;
    MPI_Cart_create(MPI_COMM_WORLD, 1, &ranks, &periodic, 0, &ring);
    MPI_Type_vector(2, 1, 2, MPI_INT, &gaps);
    MPI_Type_create_resized(gaps, 0, 4 * sizeof(int), &gaps);
    MPI_Type_commit(&gaps);
    for (int derived = 0; derived < 2; derived++)
        for (int operation = 0; operation < operations; operation++)
            for (int n = 3; n < 90; n += 83) {
                const MPI_Datatype type = derived ? gaps : MPI_INT;
                MPI_Request request;
                set_counts(operation, n);
                for (int r = 0; r < ranks; r++) {
                    bytes[r] = places[r] * (derived ? 16 : 4);
                    types[r] = type;
                }
                make(operation, n, type, MPI_COMM_WORLD, ring, &request);
                /* These are the library's copies now. */
                memset(counts, 0x55, sizeof counts);
                for (int i = 0; i < room; i++) out[i] = -5;
                for (int start = 0; start < starts; start++) {
                    for (int i = 0; i < room; i++) in[i] = 7 * i + 1000 * rank + 31 * start + n;
                    MPI_Start(&request);
                    MPI_Wait(&request, MPI_STATUS_IGNORE);
                    digest(out, sizeof out);
                }
                MPI_Request_free(&request);
                REQUIRE(request == MPI_REQUEST_NULL);
            }
    MPI_Type_free(&gaps);
    MPI_Comm_free(&ring);
}

/* ---- handles ---- */

static int class_of(int code) {
    int class = -1;
    MPI_Error_class(code, &class);
    return class;
}

static void handles(void) {
    MPI_Status status;
    MPI_Request request, requests[5];
    int value = rank, sum = 0, flag = 0, got = -1, many = 0, indices[5];
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Allreduce_init(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    /* Inactive: at once, with the empty status. */
    for (int round = 0; round < 3; round++) {
        REQUIRE(MPI_Wait(&request, &status) == MPI_SUCCESS);
        REQUIRE(status.MPI_SOURCE == MPI_ANY_SOURCE && status.MPI_TAG == MPI_ANY_TAG);
        REQUIRE(MPI_Test(&request, &flag, &status) == MPI_SUCCESS && flag);
        REQUIRE(MPI_Request_get_status(request, &flag, &status) == MPI_SUCCESS && flag);
        REQUIRE(request != MPI_REQUEST_NULL);
        MPI_Start(&request);
        REQUIRE(class_of(MPI_Start(&request)) == MPI_ERR_REQUEST); /* active */
        for (flag = 0; !flag;) MPI_Request_get_status(request, &flag, &status);
#ifdef OPEN_MPI /* Still: not waited for. In MPICH who asks for the status has waited for it. */
        REQUIRE(class_of(MPI_Start(&request)) == MPI_ERR_REQUEST);
#endif
        MPI_Wait(&request, &status);
        MPI_Get_count(&status, MPI_BYTE, &got);
        MPI_Test_cancelled(&status, &flag);
        REQUIRE(got == 0 && !flag && sum == ranks * (ranks - 1) / 2);
    }
    /* An array of everything, started at once. */
    requests[0] = MPI_REQUEST_NULL;
    requests[1] = request;
    MPI_Send_init(&value, 1, MPI_INT, (rank + 1) % ranks, 4, MPI_COMM_WORLD, &requests[2]);
    MPI_Recv_init(&got, 1, MPI_INT, (rank + ranks - 1) % ranks, 4, MPI_COMM_WORLD, &requests[3]);
    MPI_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, &requests[4]);
    for (int round = 0; round < 20; round++) {
        REQUIRE(MPI_Startall(4, requests + 1) == MPI_SUCCESS);
        if (round % 2) {
            MPI_Waitall(5, requests, MPI_STATUSES_IGNORE);
        } else {
            int seen = 0;
            for (int i = 0; i < 4; i += many) {
                MPI_Waitsome(5, requests, &many, indices, MPI_STATUSES_IGNORE);
                for (int k = 0; k < many; k++) seen |= 1 << indices[k];
            }
            REQUIRE(seen == 0x1e);
            MPI_Waitsome(5, requests, &many, indices, MPI_STATUSES_IGNORE);
            REQUIRE(many == MPI_UNDEFINED);
        }
        REQUIRE(got == (rank + ranks - 1) % ranks && requests[1] != MPI_REQUEST_NULL);
    }
    for (int i = 1; i < 5; i++) REQUIRE(MPI_Request_free(&requests[i]) == MPI_SUCCESS);
    /* What is no persistent request. */
    REQUIRE(class_of(MPI_Start(&requests[0])) == MPI_ERR_REQUEST);
    REQUIRE(class_of(MPI_Request_free(&requests[0])) == MPI_ERR_REQUEST);
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    REQUIRE(class_of(MPI_Start(&request)) == MPI_ERR_REQUEST);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    /* Bad arguments. */
    REQUIRE(class_of(MPI_Bcast_init(&value, 1, MPI_INT, ranks, MPI_COMM_WORLD, MPI_INFO_NULL,
                                    &request)) == MPI_ERR_ROOT);
    REQUIRE(class_of(MPI_Bcast_init(&value, -1, MPI_INT, 0, MPI_COMM_WORLD, MPI_INFO_NULL,
                                    &request)) == MPI_ERR_COUNT);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* A library of its own may crash here: what is refused, and the job goes on. */
static void active(void) {
    MPI_Request request;
    int value = rank;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Bcast_init(&value, 1, MPI_INT, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    MPI_Start(&request);
    REQUIRE(class_of(MPI_Request_free(&request)) == MPI_ERR_REQUEST);
    REQUIRE(class_of(MPI_Cancel(&request)) == MPI_ERR_REQUEST);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    REQUIRE(value == 0 && MPI_Request_free(&request) == MPI_SUCCESS);
}

/* ---- freed ---- */

static void add(void* from, void* to, int* length, MPI_Datatype* type) {
    int size = 0;
    MPI_Type_size(*type, &size);
    for (int i = 0; i < *length * size / (int)sizeof(int); i++) ((int*)to)[i] += ((int*)from)[i];
}

static MPI_Request kept;

/* Where MPI still works, ECO's session has ended. */
static int free_kept(MPI_Comm comm, int key, void* attribute, void* extra) {
    (void)comm, (void)key, (void)attribute, (void)extra;
    REQUIRE(MPI_Request_free(&kept) == MPI_SUCCESS && kept == MPI_REQUEST_NULL);
    return MPI_SUCCESS;
}

static void keep_one(void) {
    static int value;
    int key;
    MPI_Bcast_init(&value, 1, MPI_INT, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &kept);
    MPI_Start(&kept);
    MPI_Wait(&kept, MPI_STATUS_IGNORE);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, free_kept, &key, NULL);
    MPI_Comm_set_attr(MPI_COMM_SELF, key, NULL);
    MPI_Comm_free_keyval(&key);
}

static void freed(void) {
    for (int round = 0; round < 20; round++) {
        MPI_Comm comm;
        MPI_Datatype pair, gaps;
        MPI_Op op;
        MPI_Request requests[3];
        int given[60], sums[60], spread[120], gathered[60 * most_ranks];
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        MPI_Type_contiguous(2, MPI_INT, &pair);
        MPI_Type_vector(2, 1, 2, MPI_INT, &gaps);
        MPI_Type_commit(&pair);
        MPI_Type_commit(&gaps);
        MPI_Op_create(add, 1, &op);
        MPI_Allreduce_init(given, sums, 30, pair, op, comm, MPI_INFO_NULL, &requests[0]);
        MPI_Bcast_init(spread, 30, gaps, 0, comm, MPI_INFO_NULL, &requests[1]);
        MPI_Gather_init(spread, 30, gaps, gathered, 30, pair, 0, comm, MPI_INFO_NULL, &requests[2]);
        MPI_Type_free(&pair);
        MPI_Type_free(&gaps);
        MPI_Op_free(&op);
        for (int start = 0; start < 5; start++) {
            for (int i = 0; i < 60; i++) given[i] = i + rank + start, sums[i] = -1;
            for (int i = 0; i < 120; i++) spread[i] = rank == 0 ? i + start : -1;
            MPI_Startall(2, requests);
            if (start == 4) MPI_Comm_free(&comm);
            MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
            for (int i = 0; i < 60; i++)
                REQUIRE(sums[i] == ranks * (i + start) + ranks * (ranks - 1) / 2);
            for (int i = 0; i < 30; i++)
                for (int part = 0; part < 2; part++)
                    REQUIRE(spread[3 * i + 2 * part] == 3 * i + 2 * part + start);
            if (start == 4) break;
            MPI_Start(&requests[2]);
            MPI_Wait(&requests[2], MPI_STATUS_IGNORE);
            for (int i = 0; rank == 0 && i < 60 * ranks; i++)
                REQUIRE(gathered[i] == i % 60 / 2 * 3 + i % 2 * 2 + start);
        }
        for (int i = 0; i < 3; i++) MPI_Request_free(&requests[i]);
    }
}

/* ---- many ---- */

static void start_many(int number) {
    MPI_Request* requests = malloc((size_t)number * sizeof *requests);
    int* values = malloc((size_t)number * sizeof *values);
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < number; i++)
            MPI_Bcast_init(&values[i], 1, MPI_INT, i % ranks, MPI_COMM_WORLD, MPI_INFO_NULL,
                           &requests[i]);
        for (int start = 0; start < 3; start++) {
            for (int i = 0; i < number; i++) values[i] = rank == i % ranks ? i + start : -1;
            /* Each rank in an order of its own. */
            for (int i = 0; i < number; i++) MPI_Start(&requests[rank % 2 ? number - 1 - i : i]);
            MPI_Waitall(number, requests, MPI_STATUSES_IGNORE);
            for (int i = 0; i < number; i++) REQUIRE(values[i] == i + start);
        }
        for (int i = 0; i < number; i++) MPI_Request_free(&requests[rank % 2 ? number - 1 - i : i]);
    }
    free(values);
    free(requests);
}

int main(int argc, char** argv) {
    const char* what = argc > 1 ? argv[1] : "";
    const int number = argc > 2 ? atoi(argv[2]) : 10;
    begin_program(&argc, &argv, 100);
    REQUIRE(ranks <= most_ranks);
    if (!strcmp(what, "restarts")) restarts(number);
    if (!strcmp(what, "handles")) handles();
    if (!strcmp(what, "active")) active();
    if (!strcmp(what, "freed")) freed(), keep_one();
    if (!strcmp(what, "many")) start_many(number);
    say_all_ok(what);
    MPI_Finalize();
    return 0;
}
