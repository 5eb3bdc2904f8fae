// SPDX-License-Identifier: BSD-3-Clause
// How each collective is called in each form: by operation, the library's function and its
// arguments. Used by Trial.
#pragma once

#include "eco/mpi/native.h"
#include "eco/report/call_form.h"
#include "eco/schedule/collective.h"

namespace eco {

// Of one call.
struct TrialArguments {
    void *in, *out;
    int bytes, elements, ranks;
    const int *counts, *places, *element_counts;
    const MPI_Datatype* types;
    Rank root;
    MPI_Comm comm;
    MPI_Request* request;  // of the forms that do not block
};

using TrialCall = int (*)(const Native& mpi, const TrialArguments&);

// Null: MPI has no such function, or this ABI has not.
TrialCall trial_call(Operation operation, CallForm form);

// The library's functions, with ECO's in place of those of collectives that it takes: what a
// program calls that was started with ECO, but for the one jump of its symbols.
const Native& with_eco();

}  // namespace eco
