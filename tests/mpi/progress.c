// SPDX-License-Identifier: BSD-3-Clause
/* progress KIND ROUNDS CALLS FOLDER SECONDS: a rank sits in each of the library's own blocking
   calls (CALLS names some, or all) until a rank that has waited for a collective frees it: it must
   pass on what the collective needs. KIND is nonblocking or persistent. Rank 0 prints `all ok`. */
#include <string.h>

#include "conformance/persistent.h"
#include "require.h"

enum { elements = 3000 }; /* above what travels without the receiver's help */
static int data[elements], sum[elements], *all, *per_rank;

enum { bcast, allreduce, reduce, allgather, barrier, scan, alltoall, operations };

static int persistent;
#define START(Name, Iname, ...)                                                                    \
    (persistent ? MPI_##Name##_init(__VA_ARGS__, comm, MPI_INFO_NULL, request)                     \
                : MPI_##Iname(__VA_ARGS__, comm, request))

static void start(int operation, int root, MPI_Comm comm, MPI_Request* request) {
    for (int i = 0; i < elements; i++) data[i] = operation == bcast && rank != root ? -1 : i + rank;
    if (operation == bcast) START(Bcast, Ibcast, data, elements, MPI_INT, root);
    if (operation == allreduce) START(Allreduce, Iallreduce, data, sum, elements, MPI_INT, MPI_SUM);
    if (operation == reduce) START(Reduce, Ireduce, data, sum, elements, MPI_INT, MPI_SUM, root);
    if (operation == allgather)
        START(Allgather, Iallgather, data, elements, MPI_INT, all, elements, MPI_INT);
    if (operation == barrier && persistent) MPI_Barrier_init(comm, MPI_INFO_NULL, request);
    if (operation == barrier && !persistent) MPI_Ibarrier(comm, request);
    if (operation == scan) START(Scan, Iscan, data, sum, elements, MPI_INT, MPI_SUM);
    if (operation == alltoall)
        START(Alltoall, Ialltoall, per_rank, elements / 4, MPI_INT, all, elements / 4, MPI_INT);
    if (persistent) MPI_Start(request);
}

static void check(int operation, int root) {
    const int others = ranks * (ranks - 1) / 2, before = rank * (rank + 1) / 2;
    for (int i = 0; i < elements; i++) {
        if (operation == bcast) REQUIRE(data[i] == i + root);
        if (operation == allreduce || (operation == reduce && rank == root))
            REQUIRE(sum[i] == ranks * i + others);
        if (operation == scan) REQUIRE(sum[i] == (rank + 1) * i + before);
        for (int r = 0; operation == allgather && r < ranks; r++)
            REQUIRE(all[r * elements + i] == i + r);
    }
    for (int i = 0; operation == alltoall && i < ranks * (elements / 4); i++)
        REQUIRE(all[i] == 1000 * (i / (elements / 4)) + rank);
}

enum {
    in_recv,
    in_send,
    in_ssend,
    in_probe,
    in_sendrecv,
    in_wait,
    in_waitall,
    in_barrier,
    in_fence,
    in_lock,
    in_dup,
    in_file,
    in_bcast,
    in_mprobe,
    blocking_calls
};
static const char* call_names[] = {"recv", "send",    "ssend",   "probe", "sendrecv",
                                   "wait", "waitall", "barrier", "fence", "lock",
                                   "dup",  "file",    "bcast",   "mprobe"};

/* Each rank sits in the call until the last rank comes, after its collective. */
static int token[elements * 40];
static MPI_Comm beside;
static MPI_Win window;
static MPI_File file;
static int window_memory[4];

static void sit(int call, int last) {
    const int many = elements * 40, me = rank == last;
    int got = 0;
    MPI_Request requests[2];
    MPI_Status status;
    MPI_Message message;
    MPI_Comm fresh;
    for (int r = 0; me && r < ranks; r++) {
        if (r == last) continue;
        if (call == in_recv || call == in_probe || call == in_wait || call == in_waitall ||
            call == in_mprobe)
            MPI_Send(token, 4, MPI_INT, r, 1, beside);
        if (call == in_waitall) MPI_Send(token, 4, MPI_INT, r, 2, beside);
        if (call == in_send || call == in_ssend)
            MPI_Recv(token, many, MPI_INT, r, 1, beside, MPI_STATUS_IGNORE);
        if (call == in_sendrecv)
            MPI_Sendrecv(token, 4, MPI_INT, r, 1, token + 8, 4, MPI_INT, r, 1, beside,
                         MPI_STATUS_IGNORE);
    }
    if (!me) {
        if (call == in_recv) MPI_Recv(token, 4, MPI_INT, last, 1, beside, MPI_STATUS_IGNORE);
        if (call == in_send) MPI_Send(token, many, MPI_INT, last, 1, beside);
        if (call == in_ssend) MPI_Ssend(token, 4, MPI_INT, last, 1, beside);
        if (call == in_sendrecv)
            MPI_Sendrecv(token, 4, MPI_INT, last, 1, token + 8, 4, MPI_INT, last, 1, beside,
                         MPI_STATUS_IGNORE);
        if (call == in_probe) {
            MPI_Probe(last, 1, beside, &status);
            MPI_Recv(token, 4, MPI_INT, last, 1, beside, MPI_STATUS_IGNORE);
        }
        if (call == in_mprobe) {
            MPI_Mprobe(last, 1, beside, &message, &status);
            MPI_Mrecv(token, 4, MPI_INT, &message, MPI_STATUS_IGNORE);
        }
        if (call == in_wait) {
            MPI_Irecv(token, 4, MPI_INT, last, 1, beside, requests);
            MPI_Wait(requests, MPI_STATUS_IGNORE);
        }
        if (call == in_waitall) {
            MPI_Irecv(token, 4, MPI_INT, last, 1, beside, requests);
            MPI_Irecv(token + 8, 4, MPI_INT, last, 2, beside, requests + 1);
            MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        }
    }
    if (call == in_barrier) MPI_Barrier(beside);
    if (call == in_bcast) MPI_Bcast(token, 4, MPI_INT, last, beside);
    if (call == in_fence) MPI_Win_fence(0, window);
    if (call == in_lock) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, last, 0, window);
        MPI_Put(&got, 1, MPI_INT, last, 0, 1, MPI_INT, window);
        MPI_Win_unlock(last, window);
        MPI_Win_fence(0, window);
    }
    if (call == in_dup) {
        MPI_Comm_dup(beside, &fresh);
        MPI_Comm_free(&fresh);
    }
    if (call == in_file)
        MPI_File_write_at_all(file, 16 * rank, token, 4, MPI_INT, MPI_STATUS_IGNORE);
}

static void progress(int rounds, const char* calls, const char* folder) {
    char name[500];
    snprintf(name, sizeof name, "%s/progress.data", folder);
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_dup(MPI_COMM_WORLD, &beside);
    for (int call = 0; call < blocking_calls; call++) {
        if (strcmp(calls, "all") && !strstr(calls, call_names[call])) continue;
        if (call == in_fence || call == in_lock) {
            MPI_Win_create(window_memory, sizeof window_memory, 4, MPI_INFO_NULL, MPI_COMM_WORLD,
                           &window);
            MPI_Win_fence(0, window);
        }
        if (call == in_file)
            REQUIRE(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_WRONLY,
                                  MPI_INFO_NULL, &file) == MPI_SUCCESS);
        for (int operation = 0; operation < operations; operation++)
            for (int round = 0; round < rounds; round++) {
                const int root = round % ranks;
                const int last = operation == scan || operation == bcast
                                     ? (root + ranks - 1) % ranks
                                     : (root + 1) % ranks;
                MPI_Request request;
                start(operation, root, comm, &request);
                if (rank == last) MPI_Wait(&request, MPI_STATUS_IGNORE);
                sit(call, last);
                if (rank != last) MPI_Wait(&request, MPI_STATUS_IGNORE);
                check(operation, root);
                if (persistent) MPI_Request_free(&request);
            }
        if (call == in_fence || call == in_lock) MPI_Win_free(&window);
        if (call == in_file) MPI_File_close(&file);
        if (rank == 0) printf("passed on in %s\n", call_names[call]), fflush(stdout);
    }
    MPI_Comm_free(&beside);
    MPI_Comm_free(&comm);
    /* And in MPI_Finalize: the root's part is over before the others ask for theirs. */
}

int main(int argc, char** argv) {
    if (argc < 6) return 2;
    begin_program(&argc, &argv, atoi(argv[5]));
    all = malloc((size_t)ranks * sizeof data);
    per_rank = malloc((size_t)ranks * sizeof data);
    for (int i = 0; i < ranks * (elements / 4); i++) per_rank[i] = 1000 * rank + i / (elements / 4);
    persistent = !strcmp(argv[1], "persistent");
    progress(atoi(argv[2]), argv[3], argv[4]);
    say_all_ok("progress");
    free(all);
    free(per_rank);
    MPI_Finalize();
    return 0;
}
