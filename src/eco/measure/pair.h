// SPDX-License-Identifier: BSD-3-Clause
// Messages between the first two ranks, through the MPI library and over rails: one way, there and
// back, both ways at once (Qian and Afsahi, §4). Called by the probe's verb `pair`, for
// bench/papers/qian.py.
#pragma once

#include "eco/measure/options.h"
#include "eco/measure/protocol.h"

namespace eco {

// Needs a session, with rails where a pattern names them: `native`, or `rails-N` for N rails at
// most. Interleaved. Rank 0 sends a result event for each kind of traffic and size: seconds per
// message and direction. Throws Error and MpiError.
void time_pair(const Options& options, Progress& progress);

}  // namespace eco
