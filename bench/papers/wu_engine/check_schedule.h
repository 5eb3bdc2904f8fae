// SPDX-License-Identifier: BSD-3-Clause
// Says what is wrong with a schedule, for the tests of all planners and the experiments.
#pragma once

#include <string>

#include "eco/multicast/schedule.h"

namespace eco::multicast {

// Empty when every destination gets every message once, nobody sends what it does not have yet, and
// all times follow the model; else one sentence. Shares no code with run. O(tasks log tasks).
std::string verify(const Pattern& pattern, const Schedule& schedule);

}  // namespace eco::multicast
