// SPDX-License-Identifier: BSD-3-Clause
// SMPI's functions and handles as native(): the program is linked with SMPI, so nothing has to be
// found at run time. Every simulated process has its own copy of this table.
#include "eco/mpi/native.h"

#include "eco/base/error.h"
#include "native_smpi.h"

namespace eco {

static Native table;

const Native& native() { return table; }

// What a library has beyond the standard; SMPI has nothing.
void* native_symbol(const char*) { return nullptr; }
// Nothing is preloaded there.
std::string wrapper_behind() { return {}; }

void fill_from_smpi() {
#define ECO_TAKEN(name) table.name = &MPI_##name;
#define ECO_CALLED(name) table.name = &MPI_##name;
#define ECO_TAKEN_COUNT(name) table.name = &MPI_##name;
#define ECO_TAKEN_EXTENSION(name)
#define ECO_CALLED_EXTENSION(name)
#include "eco/mpi/functions.def"
    table.comm_world = MPI_COMM_WORLD;
    table.comm_self = MPI_COMM_SELF;
    table.comm_null = MPI_COMM_NULL;
    table.datatype_null = MPI_DATATYPE_NULL;
    table.op_null = MPI_OP_NULL;
    table.byte = MPI_BYTE;
    table.int32 = MPI_INT32_T;
    table.real64 = MPI_DOUBLE;
    table.sum = MPI_SUM;
    table.max = MPI_MAX;
    table.min = MPI_MIN;
    table.errors_return = MPI_ERRORS_RETURN;
    table.request_null = MPI_REQUEST_NULL;
}

}  // namespace eco
