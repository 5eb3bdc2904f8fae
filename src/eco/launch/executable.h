// SPDX-License-Identifier: BSD-3-Clause
// Finds the file that a command starts, as execvp does, and through #! lines the interpreter that
// really runs. Called by exec.h.
#pragma once

#include <string>

#include "eco/launch/mpi_abi.h"

namespace eco::launch {

// The executable file for a name: itself where it has a slash, else the first on PATH; empty if
// there is none.
std::string find_program(const std::string& name, const Variables& variables);

struct Executable {
    std::string file;          // what runs: the program, or the interpreter of a script
    bool interpreter = false;  // it runs scripts, so whether MPI is used shows only later
};
Executable read_executable(const std::string& file, const Variables& variables);

}  // namespace eco::launch
