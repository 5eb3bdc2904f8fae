// SPDX-License-Identifier: BSD-3-Clause
// All planners of multicasts by their written names, for the experiments.
#pragma once

#include <string>
#include <vector>

#include "eco/multicast/schedule.h"

namespace eco::multicast {

struct Planner {
    std::string name;   // fef, ecf, wr, wrp, best
    std::string title;  // "work racing, preemptive"
    Schedule (*plan)(const Pattern&);
};

const std::vector<Planner>& planners();

// Throws Error{usage} that lists the names.
const Planner& planner(const std::string& name);

}  // namespace eco::multicast
