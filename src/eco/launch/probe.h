// SPDX-License-Identifier: BSD-3-Clause
// `eco probe [--mpi openmpi|mpich|abi] ARGUMENTS…`: becomes the measuring program for the
// launcher's MPI. `eco measure` starts it through the user's launcher. Called by eco_main.cpp.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "eco/launch/mpi_abi.h"

namespace eco::launch {

struct ProbeOptions {
    std::optional<Abi> abi;
    std::vector<std::string> rest;  // all but --mpi: the probe's own
};
// Throws Error (usage).
ProbeOptions read_probe_options(const std::vector<std::string>& arguments);

// Returns only by throwing Error.
[[noreturn]] void run_probe(const std::vector<std::string>& arguments);

}  // namespace eco::launch
