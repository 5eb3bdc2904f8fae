// SPDX-License-Identifier: BSD-3-Clause
// The facts that each host reports for `eco doctor`: its build of ECO, MPI library, kernel,
// processors, clock, interfaces, and how many TCP segments it had to send again. Changes nothing on
// the host; unknown facts are left out. Each rank prints them on its own standard output, so that
// they are known also if no message gets through. Called by probe_main.cpp.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>

namespace eco {

// An event "host" with one more key: the kind (docs/formats.md, "What hosts tell").
void tell_of_host(const char* kind, const nlohmann::json& about);

// Of this rank, before MPI_Init: what is known without it.
void tell_start();

// Of this rank: all that is known before anything is measured; the share of a processor that it
// got. Then the counters, and that share once more if it was looked at again (look_again.h). Send
// no message. Throw MpiError.
double tell_facts();
void tell_counters(std::optional<double> share_again);

// Of the time in which this process wants a processor, the part in which it has one: the best of
// several short looks, as what disturbs for a moment does not make a host busy.
double processor_share();

}  // namespace eco
