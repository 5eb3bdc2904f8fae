// SPDX-License-Identifier: BSD-3-Clause
// Whether a program may ask where its ranks are (eco.h) before its first collective. Called by
// MPI_Init.
#pragma once

namespace eco {

// True if an object of this process refers to eco.h's functions or the program names them, or
// where the launcher (Open MPI's) says that several programs start together, of which another one
// may. Looks through all relocations and the program's constants: about a millisecond.
bool asks_at_once();

}  // namespace eco
