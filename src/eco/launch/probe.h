// `eco probe [--mpi openmpi|mpich|abi] ARGUMENTS…`: becomes the measuring program of the launcher's
// MPI. `eco measure` starts it through the user's launcher. Called by main.cpp.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "eco/launch/family.h"

namespace eco {

struct ProbeOptions {
    std::optional<Family> family;
    std::vector<std::string> rest;  // all but --mpi: the probe's own
};
// Throws Error (usage).
ProbeOptions read_probe_options(const std::vector<std::string>& arguments);

// Returns only by throwing Error.
[[noreturn]] void run_probe(const std::vector<std::string>& arguments);

}  // namespace eco
