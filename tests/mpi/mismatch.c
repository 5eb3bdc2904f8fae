/* SPDX-License-Identifier: BSD-3-Clause */
/* Rank 1 gives another length than the others: an error of the program, after which nobody may wait
   forever. mismatch OPERATION LENGTH LENGTH-OF-RANK-1 blocking|nonblocking|persistent return|abort
   [SECONDS that rank 1 comes late]. Lengths in ints. Prints how the call ended on each rank.
   ECO_TEST_THREADS=1: rank 1 asks for MPI_THREAD_MULTIPLE. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { most = 100000 };
static int in[most], out[most];
static const char *operation, *form;

static int call(int n) {
    const MPI_Comm world = MPI_COMM_WORLD;
    if (!strcmp(form, "blocking")) {
        if (!strcmp(operation, "bcast")) return MPI_Bcast(in, n, MPI_INT, 0, world);
        return MPI_Allreduce(in, out, n, MPI_INT, MPI_SUM, world);
    }
    MPI_Request request;
    int code = MPI_SUCCESS;
    if (!strcmp(form, "persistent")) {
        code =
            !strcmp(operation, "bcast")
                ? MPI_Bcast_init(in, n, MPI_INT, 0, world, MPI_INFO_NULL, &request)
                : MPI_Allreduce_init(in, out, n, MPI_INT, MPI_SUM, world, MPI_INFO_NULL, &request);
        if (code == MPI_SUCCESS) code = MPI_Start(&request);
    } else {
        code = !strcmp(operation, "bcast")
                   ? MPI_Ibcast(in, n, MPI_INT, 0, world, &request)
                   : MPI_Iallreduce(in, out, n, MPI_INT, MPI_SUM, world, &request);
    }
    return code == MPI_SUCCESS ? MPI_Wait(&request, MPI_STATUS_IGNORE) : code;
}

int main(int argc, char** argv) {
    if (argc < 6) return 2;
    int rank, ranks;
    const char* me = getenv("OMPI_COMM_WORLD_RANK");
    if (!me) me = getenv("PMI_RANK");
    const int threads = getenv("ECO_TEST_THREADS") && me && !strcmp(me, "1");
    MPI_Init_thread(&argc, &argv, threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &rank);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    operation = argv[1];
    form = argv[4];
    if (!strcmp(argv[5], "return")) {
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
        MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    }
    if (strcmp(form, "blocking")) { /* until a blocking one has settled it, they are native */
        MPI_Request request;
        MPI_Ibarrier(MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    if (argc > 6 && rank == 1) sleep((unsigned)atoi(argv[6]));
    const int code = call(atoi(argv[rank == 1 ? 3 : 2]));
    fprintf(stderr, "rank %d %s\n", rank, code == MPI_SUCCESS ? "ended well" : "failed");
    /* By messages, as an error handler that returns may have lost the communicator to collectives.
     */
    int ended = 1, all = 0;
    if (rank > 0) MPI_Send(&ended, 1, MPI_INT, 0, 9, MPI_COMM_WORLD);
    for (int r = 1; rank == 0 && r < ranks; r++, all += ended)
        MPI_Recv(&ended, 1, MPI_INT, r, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 0) printf("%d others have ended\n", all);
    MPI_Finalize();
    return 0;
}
