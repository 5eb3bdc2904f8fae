// SPDX-License-Identifier: BSD-3-Clause
// Times a few of the MPI library's own collectives, for the comparison in `eco doctor`: a
// collective must not take longer than another that does the same and more (performance guidelines
// after Träff, Gropp and Thakur). Called by probe_main.cpp in a session.
#pragma once

#include <nlohmann/json.hpp>

#include "eco/base/units.h"
#include "eco/measure/protocol.h"

namespace eco {

// Collective over MPI_COMM_WORLD. In about `most` seconds of calls, short calls first, twice as
// long in all where common starts take long; what the time did not suffice for is missing. Per
// operation and size one object (docs/formats.md, "Events of eco probe"), the same on all ranks.
// done: the part of all work that was done before. Throws Error and MpiError.
nlohmann::json time_collectives(Seconds most, double done, Progress& progress);

}  // namespace eco
