// SPDX-License-Identifier: BSD-3-Clause
// The two ways to write an option with a value, for the few that are read natively. Called by
// exec.h and probe.h.
#pragma once

#include <string>
#include <vector>

#include "eco/launch/mpi_abi.h"

namespace eco::launch {

// True if arguments[next] is the option; then value is set, and next stands on the last word used.
// Throws Error (usage) where the value is missing.
bool take_option(const std::string& option, const std::vector<std::string>& arguments,
                 std::size_t& next, std::string& value);

// The value of --mpi. Throws Error (usage).
Abi mpi_option(const std::string& value);

}  // namespace eco::launch
