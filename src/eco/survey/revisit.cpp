// SPDX-License-Identifier: BSD-3-Clause
#include "eco/survey/revisit.h"

#include <algorithm>

#include "eco/base/at.h"
#include "eco/survey/disturbance.h"
#include "eco/topology/partition.h"
#include "eco/topology/unclear.h"

namespace eco {

namespace {

// What far messages vary by says nothing about near ones.
constexpr std::size_t nearest_pairs = 13;

Disturbance observed(const LeastOfVisits& visits) {
    std::vector<const std::vector<Seconds>*> nearest;
    for (const auto& [pair, leasts] : visits)
        if (leasts.size() > 1) nearest.push_back(&leasts);
    std::stable_sort(nearest.begin(), nearest.end(),
                     [](auto x, auto y) { return least_of(*x) < least_of(*y); });
    nearest.resize(std::min(nearest.size(), nearest_pairs));
    Disturbance found;
    for (const auto* leasts : nearest) found.add(*leasts);
    return found;
}

}  // namespace

std::vector<HostPair> pairs_to_revisit(const Timings& timings, const LeastOfVisits& visits,
                                       const Matrix& cost, double tolerance) {
    const Disturbance usual = observed(visits);
    Matrix uncertainties(cost.size());
    for (const auto& entry : timings.entries()) {
        // Others may use the medium of this pair only.
        Disturbance own;
        if (const auto found = visits.find({entry.a, entry.b}); found != visits.end())
            own.add(found->second);
        uncertainties.set(entry.a, entry.b,
                          std::max({usual.most(entry.visits), own.most(entry.visits),
                                    uncertainty(entry.least(), entry.spread(),
                                                static_cast<int>(entry.samples.size()))}));
    }
    return unclear_pairs(cost, uncertainties, tolerance);
}

std::vector<HostPair> of_lone_hosts(std::vector<HostPair> pairs, const Matrix& cost,
                                    double tolerance) {
    const auto subnet = partition(cost, tolerance);
    const auto alone = [&](int host) {
        return std::count(subnet.begin(), subnet.end(), subnet[at(host)]) == 1;
    };
    std::erase_if(pairs, [&](HostPair pair) { return !alone(pair.first) && !alone(pair.second); });
    return pairs;
}

}  // namespace eco
