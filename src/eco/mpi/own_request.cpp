// SPDX-License-Identifier: BSD-3-Clause
#include "eco/mpi/own_request.h"

#include <cstring>
#include <new>

namespace eco {

namespace {

// As libraries have it for collectives.
int fill_status(void* request, MPI_Status* status) {
    const Native& mpi = native();
    status->MPI_SOURCE = MPI_ANY_SOURCE;
    status->MPI_TAG = MPI_ANY_TAG;
    mpi.Status_set_elements(status, mpi.byte, 0);
    mpi.Status_set_cancelled(status, 0);
    return static_cast<const OwnRequest*>(request)->code;
}

int drop(void* request) {
    delete static_cast<OwnRequest*>(request);
    return MPI_SUCCESS;
}

// A collective cannot be cancelled.
int refuse_to_cancel(void*, int) { return MPI_ERR_REQUEST; }

#if defined(OPEN_MPI) || defined(MPI_ABI)

int start_at_library(OwnRequest* request) {
    return native().Grequest_start(fill_status, drop, refuse_to_cancel, request, &request->handle);
}

#else

// In MPICH MPI_Waitall asserts that a generalized request which has no function to wait for it is
// complete, if there is a null request beside it. To one that has such functions it leaves all
// progress.
using Progress = int (*)(int);
using StartExtended = int (*)(MPI_Grequest_query_function*, MPI_Grequest_free_function*,
                              MPI_Grequest_cancel_function*, int (*)(void*, MPI_Status*),
                              int (*)(int, void**, double, MPI_Status*), void*, MPI_Request*);
constexpr int any_stream = 0x3c000000;  // MPIX_STREAM_NULL
Progress progress = nullptr;
int poll_a_while(void*, MPI_Status*) { return progress(any_stream); }
int wait_a_while(int, void**, double, MPI_Status*) { return progress(any_stream); }

int start_at_library(OwnRequest* request) {
    static const auto start_it = [] {
        StartExtended found = nullptr;
        void* address = native_symbol("PMPIX_Grequest_start");
        std::memcpy(&found, &address, sizeof address);
        address = native_symbol("PMPIX_Stream_progress");
        std::memcpy(&progress, &address, sizeof address);
        return progress ? found : nullptr;
    }();
    if (!start_it) return MPI_ERR_OTHER;
    return start_it(fill_status, drop, refuse_to_cancel, poll_a_while, wait_a_while, request,
                    &request->handle);
}

#endif

}  // namespace

OwnRequest* start_own_request() noexcept {
    auto* request = new (std::nothrow) OwnRequest;
    if (request && start_at_library(request) == MPI_SUCCESS) return request;
    delete request;
    return nullptr;
}

}  // namespace eco
