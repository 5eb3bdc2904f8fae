// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>

#include "eco/planners/family.h"
#include "eco/planners/planner.h"

namespace eco {

extern const PlannerFamily native_family, tree_family, exchange_family, ring_family,
    butterfly_family, direct_family, index_family, ordered_family, mcast_family, circulant_family;

std::span<const PlannerFamily* const> planner_families() {
    static constexpr std::array<const PlannerFamily*, std::variant_size_v<Parameters>> all{
        &native_family, &tree_family,  &exchange_family, &ring_family,  &butterfly_family,
        &direct_family, &index_family, &ordered_family,  &mcast_family, &circulant_family};
    return all;
}

const PlannerFamily& planner_family(const Choice& choice) {
    return *planner_families()[choice.parameters.index()];
}

std::vector<Choice> candidates_of_families(const Request& request, Bytes bytes) {
    std::vector<Choice> all;
    for (const PlannerFamily* family : planner_families()) {
        if (!family->candidates) continue;
        for (Choice& choice : family->candidates(request, bytes))
            if (supports(choice, request) && std::find(all.begin(), all.end(), choice) == all.end())
                all.push_back(std::move(choice));
    }
    return all;
}

// Nothing is planned for it: the library's own function runs.
extern const PlannerFamily native_family;
constinit const PlannerFamily native_family{
    .name = "native",
    .parameters = initial<NativeParameters>,
    .knows = [](const Choice&, const Request&) { return false; },
    .extent = [](const Choice&, const Request&) { return Extent{}; },
    .messages = [](const Choice&, const Request&) { return 0.0; },
};

}  // namespace eco
