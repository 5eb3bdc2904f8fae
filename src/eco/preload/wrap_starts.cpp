// SPDX-License-Identifier: BSD-3-Clause
// What starts, frees, cancels and waits for requests. Calls go to the library itself until the
// program makes its first request of a collective that ECO runs (resolve.cpp), so that others pay
// nothing.
#include "eco/job/pending_calls.h"
#include "eco/job/persistent_calls.h"
#include "eco/preload/wrappers.h"

int eco_Start(MPI_Request* request) { return eco::start_request(request); }

int eco_Startall(int count, MPI_Request requests[]) { return eco::start_requests(count, requests); }

int eco_Request_free(MPI_Request* request) { return eco::free_request(request); }

int eco_Cancel(MPI_Request* request) { return eco::cancel_request(request); }

int eco_Wait(MPI_Request* request, MPI_Status* status) {
    return eco::wait_for_request(request, status);
}
