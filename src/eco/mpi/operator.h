// SPDX-License-Identifier: BSD-3-Clause
// What ECO must know of a reduction operator: whether it commutes, whether the order changes the
// result's bits, whether the library combines a type with it. Called by the wrappers.
#pragma once

#include "eco/mpi/datatype.h"

namespace eco {

inline bool is_operator(MPI_Op op) { return op != native().op_null; }
bool commutes(MPI_Op op);

// Not a program's own.
bool is_predefined(MPI_Op op);

// Whether the result has the same bits in whatever order the elements are combined: of integers all
// but MPI_MINLOC and MPI_MAXLOC, logical and bitwise operators of any type. Not the least or
// greatest of floating-point numbers: of two NaNs, or of +0 and -0, it is the first or the second.
bool order_insensitive(MPI_Op op, const Type& type);

// Whether the library combines this type by this operator, so that a wrong call can be left to the
// native function, which says what is wrong with it. A user's operator takes any type. Of
// predefined ones the library is asked once per operator and type, but not about C's usual numbers:
// asking sets the error handlers of MPI_COMM_WORLD and MPI_COMM_SELF for a moment, which other
// threads can see.
bool takes_type(MPI_Op op, const Type& type);

}  // namespace eco
