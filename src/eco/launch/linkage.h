// SPDX-License-Identifier: BSD-3-Clause
// Finds the MPI library that a program will have when it runs, by following the libraries it needs
// the way the loader does, without starting it. Called by exec.h and c_library.h.
#pragma once

#include <string>

#include "eco/launch/mpi_abi.h"

namespace eco::launch {

struct Linkage {
    bool elf = false;                // a program of this machine's kind at all
    std::optional<Abi> abi;          // of the MPI library it needs, itself or by other libraries
    std::string library;             // that library's name
    bool has_mpi_inside = false;     // MPI is linked into the program: no library to stand before
    bool hosts_interpreter = false;  // needs libpython or the like: MPI may come with a script
};

// search_path: LD_LIBRARY_PATH.
Linkage read_linkage(const std::string& program, const std::string& search_path);

// The file that the loader takes for a library which an object loaded into the program needs; empty
// if there is none.
std::string find_library(const std::string& name, const std::string& program,
                         const std::string& search_path);

// The runtime library of a sanitizer (-fsanitize=address and so on) that the program is linked with
// dynamically; empty without one. It refuses to run if anything is loaded before it.
std::string sanitizer_runtime(const std::string& program, const std::string& search_path);

}  // namespace eco::launch
