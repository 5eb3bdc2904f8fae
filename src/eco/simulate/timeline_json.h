// SPDX-License-Identifier: BSD-3-Clause
// The written form of a simulated schedule, for `eco simulate --json` and its pictures
// (docs/formats.md).
#pragma once

#include <string>

#include "eco/simulate/timeline.h"

namespace eco {

// host_of and programs: what was simulated.
std::string timeline_json(const Timeline& timeline, const Network& network,
                          const std::vector<int>& host_of, const std::vector<Program>& programs);

}  // namespace eco
