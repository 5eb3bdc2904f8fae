// SPDX-License-Identifier: BSD-3-Clause
// Processes that have failed in a job that goes on (ULFM, user-level failure mitigation: Open MPI 5
// with --with-ft ulfm). Used where a schedule fails, and by MPIX_Comm_revoke.
#pragma once

#include <mpi.h>

namespace eco {

// Whether a library's error code says so, or that a communicator has been revoked.
bool says_that_a_process_failed(int code);

// Whether this rank knows that it has been revoked. False where the library has no such thing.
bool is_revoked(MPI_Comm comm) noexcept;

// The error that calls on a revoked communicator return.
extern const int code_of_revoked;

// Ends all that ranks do on a communicator of ECO's, on all of them; nothing where it is null, or
// the library has no such function. Local.
void revoke(MPI_Comm own) noexcept;

// An error of a communicator of ECO's, as the library reports it on the program's, `comm`: that
// has not been revoked where only ECO's own was.
int code_for_program(MPI_Comm comm, int code) noexcept;

}  // namespace eco
