// SPDX-License-Identifier: BSD-3-Clause
// The facts that each host reports for `eco doctor`: its build of ECO, MPI library, kernel,
// processors, clock, interfaces, and how many TCP segments it had to send again. Changes nothing on
// the host; unknown facts are left out. Each rank prints them on its own standard output, so that
// they are known also if no message gets through. Called by probe_main.cpp.
#pragma once

#include <nlohmann/json.hpp>

namespace eco {

// A line "@eco-host " and one JSON object {kind: about} (docs/formats.md, "Lines of hosts").
void tell_of_host(const char* kind, const nlohmann::json& about);

// Of this rank: all that is known before anything is measured; then the counters alone. Send no
// message. Throw MpiError.
void tell_facts();
void tell_counters();

}  // namespace eco
