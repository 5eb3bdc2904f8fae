// SPDX-License-Identifier: BSD-3-Clause
// The MPI library's own functions and handles, found in the library that the program has loaded;
// ECO is linked with none. All MPI calls of ECO go through native().
#pragma once

#include <string>
#include <string_view>

#include "eco/mpi/abi.h"

namespace eco {

struct Native {
#define ECO_TAKEN(name) decltype(&::MPI_##name) name;
#define ECO_CALLED(name) decltype(&::MPI_##name) name;
#if ECO_HAS_COUNT
#define ECO_TAKEN_COUNT(name)                                                                      \
    decltype(&::MPI_##name) name;                                                                  \
    decltype(&::MPI_##name##_c) name##_c;
#else
#define ECO_TAKEN_COUNT(name) decltype(&::MPI_##name) name;
#endif
#include "eco/mpi/functions.def"
#if ECO_HAS_COUNT
    decltype(&::MPI_Type_get_envelope_c) Type_get_envelope_c;
#endif

    MPI_Comm comm_world, comm_self, comm_null;
    MPI_Datatype datatype_null, byte, int32, real64;
    MPI_Op op_null, sum, max, min;
    MPI_Errhandler errors_return, errors_are_fatal;
    MPI_Request request_null;
    MPI_Info info_null;
    const int *unweighted, *weights_empty;
};

// Needs load_native() to have succeeded.
const Native& native();

// The MPI library among the objects that are loaded now.
enum class FoundLibrary {
    none,
    of_unknown_abi,  // nothing is known of its handles: it says no name whose ABI is known
    of_other_abi,    // than this object's
    usable,          // native() is filled in
};
FoundLibrary load_native();

// Whether a library of which MPI_Get_library_version says this has MPICH's ABI.
bool says_mpich_abi(std::string_view said);

// What one of unknown ABI calls itself, or its file. For one message, by one thread.
const char* name_of_unknown_library();

// Loads the library itself, for a program that is linked with none. Throws Error{environment}.
void open_native(const char* path);

// A function or datum of the library found, whatever its ABI; null if it has no such symbol.
void* native_symbol(const char* name);

// The path of an object between this one and the library that wraps MPI functions too: it sees no
// call, as this one calls the library's own functions. Empty: there is none.
std::string wrapper_behind();

// A datum of the library's, by its name. A program that is linked with it may hold the copy that
// counts.
void* native_data(const char* name);

}  // namespace eco
