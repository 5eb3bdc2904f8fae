// SPDX-License-Identifier: BSD-3-Clause
// Pairwise times of the hosts of a job (ECO §3): several round trips, the minimum kept; of few
// hosts all pairs, one at a time and several times, of many hosts enough pairs (measure_pairs.h).
// All other ranks sleep meanwhile. Then the model (measure_model.h).
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>

#include "eco/measure/options.h"
#include "eco/measure/protocol.h"
#include "eco/survey/notes.h"
#include "eco/topology/profile.h"

namespace eco {

// Collective over MPI_COMM_WORLD. known: an earlier profile, whose pairs are taken over; sizes and
// the rest then come from it; notes: those of it, then of the result; kept: on rank 0, what an
// earlier run told before it was cut short (keep_pairs.h), or nothing; not_joining: networks that
// are no rails (joined_networks.h). The result, with levels,
// ring and model, is whole on rank 0 only. Of known hosts alone nothing is measured, and a profile
// without a model stays without. left: on rank 0, seconds until all must be over; what may be
// shortened takes no more than its part of them. predicting: the longest that predictions take
// afterwards.
Profile measure(const Options& options, const std::optional<Profile>& known, Notes& notes,
                const std::string& kept, const std::set<std::string>& not_joining,
                Progress& progress, double share_of_progress, const std::function<Seconds()>& left,
                Seconds predicting);

}  // namespace eco
