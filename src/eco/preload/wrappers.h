// SPDX-License-Identifier: BSD-3-Clause
// ECO's own definition of each MPI function that it takes; reached through stubs.S.
#pragma once

#include "eco/mpi/abi.h"

extern "C" {
#define ECO_TAKEN(name) decltype(::MPI_##name) eco_##name;
#if ECO_HAS_COUNT
#define ECO_TAKEN_COUNT(name)                                                                      \
    decltype(::MPI_##name) eco_##name;                                                             \
    decltype(::MPI_##name##_c) eco_##name##_c;
#else
#define ECO_TAKEN_COUNT(name) decltype(::MPI_##name) eco_##name;
#endif
#include "eco/mpi/functions.def"
}
