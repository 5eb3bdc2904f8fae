// SPDX-License-Identifier: BSD-3-Clause
// What differs between MPI's ABIs. The same sources are compiled once with the headers
// of each: Open MPI, MPICH, MPI-5's standard ABI.
#pragma once

#include <mpi.h>

// Handles such as MPI_COMM_WORLD are addresses of the library's data in Open MPI. ECO's objects
// must not refer to those by name, or they could not be preloaded into a program that loads MPI
// later.
#if defined(OPEN_MPI)
#define ECO_FAMILY "openmpi"
#define ECO_HANDLE(type, name, symbol) (reinterpret_cast<type>(::eco::native_data(symbol)))
#else
#if defined(MPI_ABI)
#define ECO_FAMILY "abi"
#else
#define ECO_FAMILY "mpich"
#endif
#define ECO_HANDLE(type, name, symbol) (name)
#endif

// MPICH's own interface keeps such sentinels in variables.
#if defined(OPEN_MPI) || defined(MPI_ABI)
#define ECO_POINTER(name) (name)
#else
#define ECO_POINTER(name) (*static_cast<int* const*>(::eco::native_data(#name)))
#endif

// Of ULFM. No header declares them by these names yet.
extern "C" {
int MPI_Comm_revoke(MPI_Comm comm);
int MPI_Comm_is_revoked(MPI_Comm comm, int* flag);
}

#if MPI_VERSION >= 4
#define ECO_HAS_COUNT 1  // the large-count functions, MPI_Bcast_c and so on
#else
#define ECO_HAS_COUNT 0
#endif
