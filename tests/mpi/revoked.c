// SPDX-License-Identifier: BSD-3-Clause
// clang-format off
/* User-level failure mitigation (ULFM): collectives end where a communicator is revoked or a process
   has failed, and the others go on.
       mpirun -n 4 --with-ft ulfm revoked CALL [revoked [INTS]]  rank 0 revokes, the others wait in CALL
       mpirun -n 4 --with-ft ulfm revoked CALL failed [INTS]     rank 1 dies instead
   CALL: bcast, barrier, allreduce, ibcast, iallreduce, bcast_init. A persistent CALL is started once
   more. */
// clang-format on
#include <mpi.h>
#ifdef OPEN_MPI
#include <mpi-ext.h>
#endif
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int words = 4, data[40000], sum[40000];

static int wait_for(int code, MPI_Request* request) {
    return code == MPI_SUCCESS ? MPI_Wait(request, MPI_STATUS_IGNORE) : code;
}

static int call(const char* name, MPI_Comm comm, MPI_Request* started) {
    MPI_Request request = MPI_REQUEST_NULL;
    if (!strcmp(name, "bcast")) return MPI_Bcast(data, words, MPI_INT, 0, comm);
    if (!strcmp(name, "barrier")) return MPI_Barrier(comm);
    if (!strcmp(name, "allreduce")) return MPI_Allreduce(data, sum, words, MPI_INT, MPI_SUM, comm);
    if (!strcmp(name, "ibcast"))
        return wait_for(MPI_Ibcast(data, words, MPI_INT, 0, comm, &request), &request);
    if (!strcmp(name, "iallreduce"))
        return wait_for(MPI_Iallreduce(data, sum, words, MPI_INT, MPI_SUM, comm, &request),
                        &request);
    if (*started == MPI_REQUEST_NULL)
        MPI_Bcast_init(data, words, MPI_INT, 0, comm, MPI_INFO_NULL, started);
    return wait_for(MPI_Start(started), started);
}

static const char* class_of(int code) {
    int of = MPI_SUCCESS;
    MPI_Error_class(code, &of);
    return of == MPI_SUCCESS            ? "success"
           : of == MPIX_ERR_REVOKED     ? "revoked"
           : of == MPIX_ERR_PROC_FAILED ? "failed"
           : of == MPI_ERR_TRUNCATE     ? "truncated"
                                        : "another error";
}

int main(int argc, char** argv) {
    int rank, size, survivors;
    MPI_Comm comm, left;
    MPI_Request started = MPI_REQUEST_NULL;
    const char* name = argc > 1 ? argv[1] : "bcast";
    const int fails = argc > 2 && !strcmp(argv[2], "failed");
    if (argc > 3) words = atoi(argv[3]);
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    for (int turn = 0; turn < 3; turn++) {
        call("barrier", comm, &started);
        call(name, comm, &started);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    const int acts = rank == (fails ? 1 : 0);
    if (acts) {
        usleep(300000); /* the others wait in the call */
        if (fails) raise(SIGKILL);
        MPIX_Comm_revoke(comm);
    }
    int code = call(name, comm, &started); /* a rank that only sends may not notice */
    printf("rank %d: %s\n", rank, class_of(code));
    if (started != MPI_REQUEST_NULL && !(fails && code == MPI_SUCCESS))
        printf("rank %d: again %s\n", rank, class_of(call(name, comm, &started)));
    if (!fails) printf("rank %d: then %s\n", rank, class_of(MPI_Barrier(comm)));
    fflush(stdout);
    if (started != MPI_REQUEST_NULL) MPI_Request_free(&started);
    code = MPIX_Comm_shrink(comm, &left);
    MPI_Comm_size(left, &survivors);
    int one = 1, all = 0;
    for (int turn = 0; turn < 3 && code == MPI_SUCCESS; turn++)
        code = MPI_Allreduce(&one, &all, 1, MPI_INT, MPI_SUM, left);
    printf("rank %d: %d of %d left, %s\n", rank, all, size, class_of(code));
    fflush(stdout);
    MPI_Comm_free(&left);
    MPI_Comm_free(&comm);
    if (fails) _exit(0); /* MPI_Finalize is collective */
    MPI_Finalize();
    return all == survivors ? 0 : 1;
}
