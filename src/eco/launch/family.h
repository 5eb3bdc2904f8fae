// The three binary interfaces of MPI that ECO comes in, one preload object and one probe each, and
// what tells them apart: the name of a library, or the variables that a launcher leaves behind.
// Called by everything in this folder.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace eco {

enum class Family { openmpi, mpich, abi };

// As in file names (libeco-openmpi.so) and after --mpi.
const char* family_name(Family family);
std::optional<Family> family_named(std::string_view name);

// libmpi.so.40 is Open MPI; libmpi.so.12 and libmpich.so.12 are MPICH, Intel MPI, MVAPICH, Cray;
// libmpi_abi.so.* is the standard's. Fortran's and C++'s own libraries tell as well.
std::optional<Family> family_of_library(std::string_view soname);

using Variables = std::map<std::string, std::string>;  // the environment, or a test's
Variables environment_variables();

struct Launch {
    bool launched = false;         // a launcher started this process
    std::optional<Family> family;  // the MPI of the launcher, where it tells
    bool first = true;             // rank 0, or no rank known: the one that speaks
};
Launch read_launch(const Variables& variables);

}  // namespace eco
