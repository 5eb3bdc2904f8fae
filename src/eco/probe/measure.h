// Pairwise times of all hosts of a job (ECO §3): one pair at a time, several round trips, the whole
// several times over, the minimum kept. Everybody else sleeps meanwhile. Then the model
// (measure_model.h).
#pragma once

#include <optional>

#include "eco/probe/options.h"
#include "eco/probe/protocol.h"
#include "eco/topology/profile.h"

namespace eco {

// Collective over MPI_COMM_WORLD. known: an earlier profile, whose pairs are taken over; sizes and
// the rest then come from it. The result, with levels, ring and model, is whole on rank 0 only. Of
// known hosts alone nothing is measured, and a profile without a model stays without.
Profile measure(const Options& options, const std::optional<Profile>& known, Progress& progress,
                double share_of_progress);

}  // namespace eco
