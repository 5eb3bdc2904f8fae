// SPDX-License-Identifier: BSD-3-Clause
// Communicators of this process alone, of ECO's own, that return errors: for what asks the library
// something, without a change of the program's error handlers.
#pragma once

#include "eco/mpi/native.h"

namespace eco {

// A new one; its owner frees it. Throws MpiError.
MPI_Comm make_own_self();

// The one for questions, made at its first use, by any thread. Throws MpiError.
MPI_Comm own_self();

// Frees that one, before MPI_Finalize.
void free_own_self();

}  // namespace eco
