// SPDX-License-Identifier: BSD-3-Clause
/* Included before all else, this turns every collective of the conformance program into its
   non-blocking twin, or with PERSISTENT into its persistent one, waited for at once, in all the
   ways that MPI has. */
#ifndef TWINS_H
#define TWINS_H
#include "persistent.h"

static inline int wait_in_some_way(MPI_Request* request) {
    static __thread int way;
    MPI_Request both[2] = {MPI_REQUEST_NULL, *request};
    MPI_Status status, statuses[2];
    int code = MPI_SUCCESS, done = 0, index = 0, indices[2];
    way++;
#if defined(PERSISTENT) && defined(MPICH_VERSION)
    /* MPICH's own fail if a null request is beside a persistent collective of its own. */
    if (way % 8 == 2 || way % 8 == 3 || way % 8 == 5) way = 6;
#endif
    switch (way % 8) {
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

#ifdef PERSISTENT
#define TWIN(Name, Iname, suffix, ...)                                                             \
    __extension__({                                                                                \
        MPI_Request request_ = MPI_REQUEST_NULL;                                                   \
        int code_ = MPI_##Name##_init##suffix(__VA_ARGS__, MPI_INFO_NULL, &request_);              \
        /* MPICH's own is null if there is nothing to do. */                                       \
        if (code_ == MPI_SUCCESS && request_ != MPI_REQUEST_NULL) {                                \
            code_ = MPI_Start(&request_);                                                          \
            if (code_ == MPI_SUCCESS) code_ = wait_in_some_way(&request_);                         \
            MPI_Request_free(&request_);                                                           \
        }                                                                                          \
        code_;                                                                                     \
    })
#else
#define TWIN(Name, Iname, suffix, ...)                                                             \
    __extension__({                                                                                \
        MPI_Request request_ = MPI_REQUEST_NULL;                                                   \
        const int code_ = MPI_##Iname##suffix(__VA_ARGS__, &request_);                             \
        code_ != MPI_SUCCESS ? code_ : wait_in_some_way(&request_);                                \
    })
#endif
#define MPI_Barrier(...) TWIN(Barrier, Ibarrier, , __VA_ARGS__)
#define MPI_Bcast(...) TWIN(Bcast, Ibcast, , __VA_ARGS__)
#define MPI_Scatter(...) TWIN(Scatter, Iscatter, , __VA_ARGS__)
#define MPI_Scatterv(...) TWIN(Scatterv, Iscatterv, , __VA_ARGS__)
#define MPI_Gather(...) TWIN(Gather, Igather, , __VA_ARGS__)
#define MPI_Gatherv(...) TWIN(Gatherv, Igatherv, , __VA_ARGS__)
#define MPI_Allgather(...) TWIN(Allgather, Iallgather, , __VA_ARGS__)
#define MPI_Allgatherv(...) TWIN(Allgatherv, Iallgatherv, , __VA_ARGS__)
#define MPI_Alltoall(...) TWIN(Alltoall, Ialltoall, , __VA_ARGS__)
#define MPI_Alltoallv(...) TWIN(Alltoallv, Ialltoallv, , __VA_ARGS__)
#define MPI_Alltoallw(...) TWIN(Alltoallw, Ialltoallw, , __VA_ARGS__)
#define MPI_Reduce(...) TWIN(Reduce, Ireduce, , __VA_ARGS__)
#define MPI_Allreduce(...) TWIN(Allreduce, Iallreduce, , __VA_ARGS__)
#define MPI_Scan(...) TWIN(Scan, Iscan, , __VA_ARGS__)
#define MPI_Exscan(...) TWIN(Exscan, Iexscan, , __VA_ARGS__)
#define MPI_Reduce_scatter(...) TWIN(Reduce_scatter, Ireduce_scatter, , __VA_ARGS__)
#define MPI_Reduce_scatter_block(...)                                                              \
    TWIN(Reduce_scatter_block, Ireduce_scatter_block, , __VA_ARGS__)
#define MPI_Neighbor_allgather(...) TWIN(Neighbor_allgather, Ineighbor_allgather, , __VA_ARGS__)
#define MPI_Neighbor_allgatherv(...) TWIN(Neighbor_allgatherv, Ineighbor_allgatherv, , __VA_ARGS__)
#if MPI_VERSION >= 4
#define MPI_Bcast_c(...) TWIN(Bcast, Ibcast, _c, __VA_ARGS__)
#define MPI_Scatter_c(...) TWIN(Scatter, Iscatter, _c, __VA_ARGS__)
#define MPI_Scatterv_c(...) TWIN(Scatterv, Iscatterv, _c, __VA_ARGS__)
#define MPI_Gather_c(...) TWIN(Gather, Igather, _c, __VA_ARGS__)
#define MPI_Gatherv_c(...) TWIN(Gatherv, Igatherv, _c, __VA_ARGS__)
#define MPI_Allgather_c(...) TWIN(Allgather, Iallgather, _c, __VA_ARGS__)
#define MPI_Allgatherv_c(...) TWIN(Allgatherv, Iallgatherv, _c, __VA_ARGS__)
#define MPI_Alltoall_c(...) TWIN(Alltoall, Ialltoall, _c, __VA_ARGS__)
#define MPI_Alltoallv_c(...) TWIN(Alltoallv, Ialltoallv, _c, __VA_ARGS__)
#define MPI_Alltoallw_c(...) TWIN(Alltoallw, Ialltoallw, _c, __VA_ARGS__)
#define MPI_Reduce_c(...) TWIN(Reduce, Ireduce, _c, __VA_ARGS__)
#define MPI_Allreduce_c(...) TWIN(Allreduce, Iallreduce, _c, __VA_ARGS__)
#define MPI_Scan_c(...) TWIN(Scan, Iscan, _c, __VA_ARGS__)
#define MPI_Exscan_c(...) TWIN(Exscan, Iexscan, _c, __VA_ARGS__)
#define MPI_Reduce_scatter_c(...) TWIN(Reduce_scatter, Ireduce_scatter, _c, __VA_ARGS__)
#define MPI_Reduce_scatter_block_c(...)                                                            \
    TWIN(Reduce_scatter_block, Ireduce_scatter_block, _c, __VA_ARGS__)
#define MPI_Neighbor_allgather_c(...) TWIN(Neighbor_allgather, Ineighbor_allgather, _c, __VA_ARGS__)
#define MPI_Neighbor_allgatherv_c(...)                                                             \
    TWIN(Neighbor_allgatherv, Ineighbor_allgatherv, _c, __VA_ARGS__)
#endif

#endif
