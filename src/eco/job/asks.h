// SPDX-License-Identifier: BSD-3-Clause
// What a program may do before its first blocking collective: query where its ranks are (eco.h), or
// call a non-blocking one. Called by MPI_Init, and when the session begins.
#pragma once

namespace eco {

// True if an object of this process refers to eco.h's functions or the program names them, or
// where the launcher (Open MPI's) says that several programs start together, of which another one
// may. Looks through all relocations and the program's constants: about a millisecond.
bool needs_session_at_init();

// Whether the program itself, not a library that it uses, calls collectives that do not block.
bool names_nonblocking();

// Whether a library that it uses, such as PETSc's, does. MPI's own libraries and mpi4py, which have
// all functions, do not count.
bool libraries_name_nonblocking();

}  // namespace eco
