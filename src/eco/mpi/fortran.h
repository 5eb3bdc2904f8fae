// SPDX-License-Identifier: BSD-3-Clause
// Turns the number by which Fortran and mpi4py name a communicator into C's handle. Called by the
// topology queries.
#pragma once

#include "eco/mpi/native.h"

namespace eco {

inline MPI_Comm from_fortran(int comm) {
#if defined(OPEN_MPI)
    using Convert = MPI_Comm(int);
    return reinterpret_cast<Convert*>(native_symbol("MPI_Comm_f2c"))(comm);
#elif defined(MPI_ABI)
    using Convert = MPI_Comm(int);
    return reinterpret_cast<Convert*>(native_symbol("MPI_Comm_fromint"))(comm);
#else
    return comm;
#endif
}

}  // namespace eco
