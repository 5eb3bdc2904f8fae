// SPDX-License-Identifier: BSD-3-Clause
#include "eco/mpi/process_failure.h"

#include "eco/mpi/native.h"

namespace eco {

// Open MPI's object is for Open MPI 4 too, which has neither codes nor names, as the standard ABI.
#if defined(OPEN_MPI)
static constexpr int process_failed = 75, process_failed_pending = 76;
const int code_of_revoked = 77;
#elif defined(MPIX_ERR_PROC_FAILED)
static constexpr int process_failed = MPIX_ERR_PROC_FAILED;
static constexpr int process_failed_pending = MPIX_ERR_PROC_FAILED_PENDING;
const int code_of_revoked = MPIX_ERR_REVOKED;
#else
static constexpr int process_failed = -1, process_failed_pending = -1;
const int code_of_revoked = -1;
#endif

static int class_of(int code) {
    int of = MPI_SUCCESS;
    if (code == MPI_SUCCESS || native().Error_class(code, &of) != MPI_SUCCESS) return MPI_SUCCESS;
    return of;
}

bool says_that_a_process_failed(int code) {
    const int of = class_of(code);
    return of == process_failed || of == process_failed_pending || of == code_of_revoked;
}

void revoke(MPI_Comm own) noexcept {
    if (own != native().comm_null && native().Comm_revoke) native().Comm_revoke(own);
}

bool is_revoked(MPI_Comm comm) noexcept {
    int flag = 0;
    if (native().Comm_is_revoked) native().Comm_is_revoked(comm, &flag);
    return flag != 0;
}

int code_for_program(MPI_Comm comm, int code) noexcept {
    if (!native().Comm_is_revoked) return code;
    return class_of(code) == code_of_revoked && !is_revoked(comm) ? process_failed : code;
}

}  // namespace eco
