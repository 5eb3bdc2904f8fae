// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <type_traits>

#include "eco/planners/family.h"
#include "eco/planners/planner.h"

namespace eco {

template <typename... Own>
static std::span<const PlannerFamily* const> families_of(std::type_identity<std::variant<Own...>>) {
    static constexpr std::array<const PlannerFamily*, sizeof...(Own)> all{&Own::planner...};
    return all;
}

std::span<const PlannerFamily* const> planner_families() {
    return families_of(std::type_identity<Parameters>());
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
constinit const PlannerFamily NativeParameters::planner{
    .name = "native",
    .knows = [](const Choice&, const Request&) { return false; },
    .extent = [](const Choice&, const Request&) { return Extent{}; },
    .messages = [](const Choice&, const Request&) { return 0.0; },
};

}  // namespace eco
