// SPDX-License-Identifier: BSD-3-Clause
// Several multicasts at once on a measured network: candidates from multicast/ are simulated, and
// the fastest runs. Called by job for neighbourhood collectives and ECO_Multicast. All ranks that
// ask for the same get programs that fit together.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "eco/schedule/program.h"
#include "eco/topology/network.h"

namespace eco {

// Whether IP multicast may be used, where the network has it: if it is predicted to be faster, or
// whatever is predicted.
enum class ByMcast { no, may, must };

struct MulticastPlan {
    // "spread:segments=4,pace=1": who passes on to whom (direct: the source sends to all, spread,
    // wrp, best: multicast/), how it is cut and ordered.
    // mcast: each once for all that IP multicast reaches.
    std::string name;
    Seconds time = 0;    // simulated
    Seconds direct = 0;  // each message straight to each destination, all at once, as a library
                         // does it
    std::vector<Program> programs;  // per rank
    bool by_mcast = false;
    std::int64_t work = 0;  // steps that planning took, each about a tenth of a microsecond
};

// More deliveries than these are not planned: each rank plans for all.
inline constexpr std::size_t most_deliveries = 4096;

// The quickest of ECO's own. Needs at most most_deliveries of them, one at least. Segments are cut
// by each message's own length, so the programs are right for other lengths too.
// Cost: candidates are simulated until a bounded number of steps is reached, the same on all ranks:
// a second at most, on up to 1,024 ranks (docs/overhead.md).
MulticastPlan plan_multicasts(const Network& network, const std::vector<int>& host_of,
                              const std::vector<Multicast>& messages,
                              ByMcast by_mcast = ByMcast::no);

}  // namespace eco
