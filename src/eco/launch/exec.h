// `eco exec [OPTIONS] [--] PROGRAM ARGUMENTS…`: becomes the program, with the preload object of its
// MPI before all other libraries. What ECO cannot help runs as it is; its exit code is the
// program's. Called by main.cpp.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "eco/launch/family.h"

namespace eco {

struct ExecOptions {
    std::string profile;
    std::optional<Family> family;
    bool verbose = false;
    bool help = false;
    std::vector<std::string> command;
};
// Throws Error (usage).
ExecOptions read_exec_options(const std::vector<std::string>& arguments);

struct Choice {
    std::optional<Family> family;  // whose object to preload
    std::string why;               // how that was found out, for --verbose
    std::string warning;           // one sentence where ECO can do nothing, or perhaps nothing
};
// file: the program's, as found on PATH.
Choice choose_family(const ExecOptions& options, const std::string& file,
                     const Variables& variables);

// LD_PRELOAD with the object behind what is there, so that a profiling tool sees the program's
// calls first; without any other of ECO's.
std::string preload_list(const std::string& object, const std::string& before);

// Returns only where the program cannot be started: the exit code.
int run_exec(const std::vector<std::string>& arguments);

}  // namespace eco
