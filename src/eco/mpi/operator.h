// SPDX-License-Identifier: BSD-3-Clause
// Reduction operators.
#pragma once

#include "eco/mpi/datatype.h"

namespace eco {

inline bool is_operator(MPI_Op op) { return op != native().op_null; }
bool commutes(MPI_Op op);

// Not a program's own.
bool is_predefined(MPI_Op op);

// Whether the result is the same bits in whatever order the elements are combined: least, greatest
// and logical ones of any type, sums and products of integers.
bool any_order(MPI_Op op, const Type& type);

// Whether the library combines this type by this operator, so that a wrong call can be left to the
// native function, which says what is wrong with it. Asks the library once per predefined operator
// and type; a user's operator takes any type.
bool takes_type(MPI_Op op, const Type& type);

}  // namespace eco
