// SPDX-License-Identifier: BSD-3-Clause
#include "planners.h"

#include "eco/base/error.h"
#include "eco/multicast/best.h"
#include "eco/multicast/work_racing_preemptive.h"
#include "paper_heuristics.h"

namespace eco::multicast {

const std::vector<Planner>& planners() {
    static const std::vector<Planner> all{
        {"fef", "fastest edge first", fastest_edge_first},
        {"ecf", "earliest completing first", earliest_completing_first},
        {"wr", "work racing", work_racing},
        {"wrp", "work racing, preemptive", work_racing_preemptive},
        {"best", "the best that ECO finds", best},
    };
    return all;
}

const Planner& planner(const std::string& name) {
    std::string names;
    for (const Planner& one : planners()) {
        if (one.name == name) return one;
        names += (names.empty() ? "" : ", ") + one.name;
    }
    throw Error(Code::usage,
                "'" + name + "' is an unknown multicast heuristic; choose from " + names);
}

}  // namespace eco::multicast
