// SPDX-License-Identifier: BSD-3-Clause
// Whether threads of this process may call MPI at once.
#pragma once

#include "eco/mpi/mpi_error.h"
#include "eco/mpi/native.h"

namespace eco {

// MPI_THREAD_MULTIPLE, as the library gave it: stays the same from MPI_Init on.
inline bool threads_call_at_once() {
    int level = MPI_THREAD_SINGLE;
    check_mpi(native().Query_thread(&level));
    return level == MPI_THREAD_MULTIPLE;
}

}  // namespace eco
