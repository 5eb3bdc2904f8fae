// SPDX-License-Identifier: BSD-3-Clause
// `eco exec [OPTIONS] [--] PROGRAM ARGUMENTS…`: becomes the program, with the preload object of its
// MPI before all other libraries. If ECO cannot be used, the program runs without it; the exit code
// is the program's. Called by eco_main.cpp.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "eco/launch/executable.h"
#include "eco/launch/mpi_abi.h"

namespace eco::launch {

struct ExecOptions {
    std::string profile;
    std::optional<Abi> abi;
    bool verbose = false;
    bool help = false;
    std::vector<std::string> command;
};
// Throws Error (usage).
ExecOptions read_exec_options(const std::vector<std::string>& arguments);

struct Preload {
    std::optional<Abi> abi;    // whose object to preload
    std::string why;           // how that was found out, for --verbose
    std::string warning;       // one sentence where ECO can do nothing, or perhaps nothing
    std::string program = {};  // the file that decided: the program, or what a wrapper starts
};
// executable: of the program, as found on PATH.
Preload choose_preload(const ExecOptions& options, const Executable& executable,
                       const Variables& variables);

// Without the ABI, and with a warning, where the object cannot be loaded into what runs (file).
Preload if_it_loads(Preload choice, const std::string& object, const std::string& file,
                    const std::string& name, const Variables& variables);

// LD_PRELOAD with the object behind what is there, so that a profiling tool sees the program's
// calls first; without any other of ECO's. runtime: of a sanitizer, which must come before all;
// empty without one.
std::string preload_list(const std::string& object, const std::string& before,
                         const std::string& runtime = "");

// Returns only if the program cannot be started: the exit code.
int run_exec(const std::vector<std::string>& arguments);

}  // namespace eco::launch
