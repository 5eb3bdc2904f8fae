// The two ways to write an option with a value, for the few that are read natively. Called by
// exec.h and probe.h.
#pragma once

#include <string>
#include <vector>

#include "eco/launch/family.h"

namespace eco {

// True if arguments[next] is the option; then value is set, and next stands on the last word used.
// Throws Error (usage) where the value is missing.
bool take_option(const std::string& option, const std::vector<std::string>& arguments,
                 std::size_t& next, std::string& value);

// The value of --mpi. Throws Error (usage).
Family mpi_option(const std::string& value);

}  // namespace eco
