// SPDX-License-Identifier: BSD-3-Clause
// For tests of what uses MPI: loads the library of this ABI (ECO_TEST_LIBMPI) and starts it
// in this one process, as a job of a single rank.
#pragma once

#include <cstring>

#include "eco/mpi/native.h"

namespace eco::test {

// A function of the library's that ECO itself never calls: library(&MPI_Type_vector, "…").
template <typename Function>
Function library(Function, const char* name) {
    void* address = native_symbol(name);
    Function function;
    std::memcpy(&function, &address, sizeof function);
    return function;
}

}  // namespace eco::test

// The name alone would make the test need the library when it is linked.
#define ECO_LIBRARY(name) (::eco::test::library(decltype(&::name){}, "P" #name))
