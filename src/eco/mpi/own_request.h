// SPDX-License-Identifier: BSD-3-Clause
// A request of the program's that ECO completes: a generalized request, which all functions of the
// library accept (MPI_Wait, MPI_Testsome, …), with the status and the errors of a collective. Used
// by job/pending_calls.h.
#pragma once

#include "eco/mpi/native.h"

namespace eco {

// Freed by the library with its request, so not before complete().
struct OwnRequest {
    MPI_Request handle{};
    int code = MPI_SUCCESS;  // what waiting for it returns
};

// Null if the library refuses.
OwnRequest* start_own_request() noexcept;

inline void complete(const OwnRequest& request) noexcept {
    native().Grequest_complete(request.handle);
}

}  // namespace eco
