// Finds the file that a command starts, as execvp does, and through #! lines the interpreter that
// in truth runs. Called by exec.h.
#pragma once

#include <string>

#include "eco/launch/family.h"

namespace eco {

// The executable file for a name: itself where it has a slash, else the first on PATH; empty where
// there is none.
std::string find_program(const std::string& name, const Variables& variables);

struct Program {
    std::string file;          // what runs: the program, or the interpreter of a script
    bool interpreter = false;  // it runs scripts, so whether MPI is used shows only later
};
Program read_program(const std::string& file, const Variables& variables);

}  // namespace eco
