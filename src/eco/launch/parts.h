// SPDX-License-Identifier: BSD-3-Clause
// Finds ECO's other files, relative to the running `eco` file: in a build tree
// (build/PRESET/bin/eco) or installed by CMake, a package or pip (PREFIX/bin/eco). So either can be
// moved as a whole. Called by exec.h, probe.h and eco_main.cpp.
#pragma once

#include <string>
#include <vector>

#include "eco/launch/mpi_abi.h"

namespace eco::launch {

std::string own_path();

// Each throws Error (environment) where the part is missing.
std::string preload_object(Abi abi);
std::string probe_program(Abi abi);
// The words that start the Python part, before the user's.
std::vector<std::string> python_command();

// Becomes the program; returns only if that fails, with errno set.
void start(const std::string& file, const std::vector<std::string>& arguments);

}  // namespace eco::launch
