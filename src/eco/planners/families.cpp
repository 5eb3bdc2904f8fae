// SPDX-License-Identifier: BSD-3-Clause
#include <array>

#include "eco/planners/family.h"

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

// Nothing is planned for it: the library's own function runs.
extern const PlannerFamily native_family;
constinit const PlannerFamily native_family{
    .name = "native",
    .parameters = NativeParameters{},
    .knows = [](const Choice&, const Request&) { return false; },
    .extent = [](const Choice&, const Request&) { return Extent{}; },
    .messages = [](const Choice&, const Request&) { return 0.0; },
};

}  // namespace eco
