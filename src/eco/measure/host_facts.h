// SPDX-License-Identifier: BSD-3-Clause
// What each host says of itself, for `eco doctor`: its build of ECO, MPI library, kernel,
// processors, clock, interfaces, and how many TCP segments it had to send again. Changes nothing on
// the host; what a host does not tell is left out. Called by probe_main.cpp.
#pragma once

#include <nlohmann/json.hpp>

namespace eco {

// Collective over MPI_COMM_WORLD: per rank one object (docs/formats.md, "Events of eco probe"),
// whole on rank 0 only. Throws MpiError.
nlohmann::json all_host_facts();

}  // namespace eco
