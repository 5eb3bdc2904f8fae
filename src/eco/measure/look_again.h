// SPDX-License-Identifier: BSD-3-Clause
// The second look of `eco doctor`: what seemed slow or busy once more, one host or pair at a
// time while all others sleep, beside what did not seem so. What a busy machine does to one look
// it hardly does to both. Called by measure.cpp and probe_main.cpp.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "eco/measure/worker_pool.h"
#include "eco/topology/profile.h"

namespace eco {

// On rank 0, while the others are in worker_loop; the contents of an event (docs/formats.md).
// "hosts": of those alone in their subnet (few, the first) the half round trips of the shortest and
// longest messages, the least of each visit, with their nearest host in a subnet of several, and
// in turn between that one and its own nearest. "orders": seconds once around the hosts in the
// launcher's order and in the ring's, where the ring seemed shorter. leader: per host the rank that
// measures. Throws MpiError.
nlohmann::json look_again(const Profile& profile, const std::vector<int>& leader,
                          const WorkerPool& workers);

// Collective. share: what processor_share() said of this rank before. Said again by the ranks of
// hosts with little, and of a few others to compare with; nothing else, or if none had little.
// Throws MpiError.
std::optional<double> share_again(double share);

}  // namespace eco
