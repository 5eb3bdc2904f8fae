// SPDX-License-Identifier: BSD-3-Clause
/* Included before all else, this turns every collective of the conformance program into its
   non-blocking twin, waited for at once, in all the ways that MPI has. */
#ifndef TWINS_H
#define TWINS_H
#include <mpi.h>

static inline int wait_in_some_way(MPI_Request* request) {
    static __thread int way;
    MPI_Request both[2] = {MPI_REQUEST_NULL, *request};
    MPI_Status status, statuses[2];
    int code = MPI_SUCCESS, done = 0, index = 0, indices[2];
    switch (way++ % 8) {
        case 0:
            return MPI_Wait(request, MPI_STATUS_IGNORE);
        case 1:
            while (!done && code == MPI_SUCCESS) code = MPI_Test(request, &done, &status);
            return code;
        case 2:
            code = MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
            return code == MPI_ERR_IN_STATUS ? statuses[1].MPI_ERROR : code;
        case 3:
            while (!done && code == MPI_SUCCESS) code = MPI_Testall(2, both, &done, statuses);
            return code == MPI_ERR_IN_STATUS ? statuses[1].MPI_ERROR : code;
        case 4:
            code = MPI_Waitany(2, both, &index, &status);
            return code != MPI_SUCCESS || index == 1 ? code : MPI_ERR_OTHER;
        case 5:
            code = MPI_Waitsome(2, both, &done, indices, statuses);
            return code == MPI_ERR_IN_STATUS ? statuses[0].MPI_ERROR : code;
        case 6:
            while (!done && code == MPI_SUCCESS)
                code = MPI_Testany(2, both, &index, &done, &status);
            return code;
        default:
            while (!done && code == MPI_SUCCESS)
                code = MPI_Request_get_status(*request, &done, &status);
            return MPI_Wait(request, &status);
    }
}

#define THROUGH_A_REQUEST(call, ...)                                                               \
    __extension__({                                                                                \
        MPI_Request request_ = MPI_REQUEST_NULL;                                                   \
        const int code_ = call(__VA_ARGS__, &request_);                                            \
        code_ != MPI_SUCCESS ? code_ : wait_in_some_way(&request_);                                \
    })
#define MPI_Barrier(...) THROUGH_A_REQUEST(MPI_Ibarrier, __VA_ARGS__)
#define MPI_Bcast(...) THROUGH_A_REQUEST(MPI_Ibcast, __VA_ARGS__)
#define MPI_Scatter(...) THROUGH_A_REQUEST(MPI_Iscatter, __VA_ARGS__)
#define MPI_Scatterv(...) THROUGH_A_REQUEST(MPI_Iscatterv, __VA_ARGS__)
#define MPI_Gather(...) THROUGH_A_REQUEST(MPI_Igather, __VA_ARGS__)
#define MPI_Gatherv(...) THROUGH_A_REQUEST(MPI_Igatherv, __VA_ARGS__)
#define MPI_Allgather(...) THROUGH_A_REQUEST(MPI_Iallgather, __VA_ARGS__)
#define MPI_Allgatherv(...) THROUGH_A_REQUEST(MPI_Iallgatherv, __VA_ARGS__)
#define MPI_Alltoall(...) THROUGH_A_REQUEST(MPI_Ialltoall, __VA_ARGS__)
#define MPI_Alltoallv(...) THROUGH_A_REQUEST(MPI_Ialltoallv, __VA_ARGS__)
#define MPI_Alltoallw(...) THROUGH_A_REQUEST(MPI_Ialltoallw, __VA_ARGS__)
#define MPI_Reduce(...) THROUGH_A_REQUEST(MPI_Ireduce, __VA_ARGS__)
#define MPI_Allreduce(...) THROUGH_A_REQUEST(MPI_Iallreduce, __VA_ARGS__)
#define MPI_Scan(...) THROUGH_A_REQUEST(MPI_Iscan, __VA_ARGS__)
#define MPI_Exscan(...) THROUGH_A_REQUEST(MPI_Iexscan, __VA_ARGS__)
#define MPI_Reduce_scatter(...) THROUGH_A_REQUEST(MPI_Ireduce_scatter, __VA_ARGS__)
#define MPI_Reduce_scatter_block(...) THROUGH_A_REQUEST(MPI_Ireduce_scatter_block, __VA_ARGS__)
#define MPI_Neighbor_allgather(...) THROUGH_A_REQUEST(MPI_Ineighbor_allgather, __VA_ARGS__)
#define MPI_Neighbor_allgatherv(...) THROUGH_A_REQUEST(MPI_Ineighbor_allgatherv, __VA_ARGS__)
#if MPI_VERSION >= 4
#define MPI_Bcast_c(...) THROUGH_A_REQUEST(MPI_Ibcast_c, __VA_ARGS__)
#define MPI_Scatter_c(...) THROUGH_A_REQUEST(MPI_Iscatter_c, __VA_ARGS__)
#define MPI_Scatterv_c(...) THROUGH_A_REQUEST(MPI_Iscatterv_c, __VA_ARGS__)
#define MPI_Gather_c(...) THROUGH_A_REQUEST(MPI_Igather_c, __VA_ARGS__)
#define MPI_Gatherv_c(...) THROUGH_A_REQUEST(MPI_Igatherv_c, __VA_ARGS__)
#define MPI_Allgather_c(...) THROUGH_A_REQUEST(MPI_Iallgather_c, __VA_ARGS__)
#define MPI_Allgatherv_c(...) THROUGH_A_REQUEST(MPI_Iallgatherv_c, __VA_ARGS__)
#define MPI_Alltoall_c(...) THROUGH_A_REQUEST(MPI_Ialltoall_c, __VA_ARGS__)
#define MPI_Alltoallv_c(...) THROUGH_A_REQUEST(MPI_Ialltoallv_c, __VA_ARGS__)
#define MPI_Alltoallw_c(...) THROUGH_A_REQUEST(MPI_Ialltoallw_c, __VA_ARGS__)
#define MPI_Reduce_c(...) THROUGH_A_REQUEST(MPI_Ireduce_c, __VA_ARGS__)
#define MPI_Allreduce_c(...) THROUGH_A_REQUEST(MPI_Iallreduce_c, __VA_ARGS__)
#define MPI_Scan_c(...) THROUGH_A_REQUEST(MPI_Iscan_c, __VA_ARGS__)
#define MPI_Exscan_c(...) THROUGH_A_REQUEST(MPI_Iexscan_c, __VA_ARGS__)
#define MPI_Reduce_scatter_c(...) THROUGH_A_REQUEST(MPI_Ireduce_scatter_c, __VA_ARGS__)
#define MPI_Reduce_scatter_block_c(...) THROUGH_A_REQUEST(MPI_Ireduce_scatter_block_c, __VA_ARGS__)
#define MPI_Neighbor_allgather_c(...) THROUGH_A_REQUEST(MPI_Ineighbor_allgather_c, __VA_ARGS__)
#define MPI_Neighbor_allgatherv_c(...) THROUGH_A_REQUEST(MPI_Ineighbor_allgatherv_c, __VA_ARGS__)
#endif

#endif
