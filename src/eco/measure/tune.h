// SPDX-License-Identifier: BSD-3-Clause
// Times native and ECO per operation, size and layout on this network, and stores the better one:
// ECO only if it wins by more than the noise, so that it is never worse.
#pragma once

#include "eco/measure/bench.h"
#include "eco/measure/forecaster.h"
#include "eco/measure/options.h"
#include "eco/measure/protocol.h"

namespace eco {

// options.form: calls that block, or calls that do not, which get entries of their own.
// Needs a session with the profile. Collective; entries are the same on all ranks. Where the
// forecaster knows the network, only what it finds best is timed.
// first: the progress made before.
std::vector<Tuned> tune(const Options& options, Forecaster& forecaster, Progress& progress,
                        double first);

// What is timed on some of the hosts says nothing of all. Throws Error{launch} unless ranks run on
// all of the profile's hosts.
void check_all_take_part();

// Those that do not share the choices of another.
std::vector<Operation> usual_operations();

}  // namespace eco
