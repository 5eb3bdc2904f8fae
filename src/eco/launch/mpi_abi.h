// SPDX-License-Identifier: BSD-3-Clause
// The three ABIs of MPI for which ECO is built, one preload object and one probe each, and how to
// recognize them: by the name of a library, or by the variables that a launcher sets. Called by
// everything in this folder.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace eco::launch {

enum class Abi { openmpi, mpich, standard };

// As in file names (libeco-openmpi.so) and after --mpi.
const char* abi_name(Abi abi);
std::optional<Abi> abi_named(std::string_view name);

// libmpi.so.40 is Open MPI; libmpi.so.12 and libmpich.so.12 are MPICH, Intel MPI, MVAPICH, Cray;
// libmpi_abi.so.* is the standard's. Fortran's and C++'s own libraries tell as well.
std::optional<Abi> abi_of_library(std::string_view soname);

using Variables = std::map<std::string, std::string>;  // the environment, or a test's
Variables environment_variables();

struct Launch {
    bool launched = false;   // a launcher started this process
    std::optional<Abi> abi;  // the MPI of the launcher, where it tells
    bool first = true;       // rank 0, or no rank known: the one that prints
};
Launch read_launch(const Variables& variables);

}  // namespace eco::launch
