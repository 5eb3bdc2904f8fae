// SPDX-License-Identifier: BSD-3-Clause
#include "eco/job/multicasts.h"

#include <algorithm>
#include <cstdio>

#include "eco/simulate/multicast_plan.h"

namespace eco {

namespace {

// A plan must be better than the library by this much before it runs: predictions err.
constexpr double margin = 1.1;

Multicasting make(const Communicator& communicator, Operation operation,
                  const std::vector<Multicast>& messages, bool may_be_native, bool may_mcast) {
    const Session& here = *session();
    const bool must = here.settings.choice.starts_with("mcast");
    std::vector<int> host_of;
    for (Rank rank = 0; rank < communicator.size(); ++rank)
        host_of.push_back(communicator.host_of(rank));
    MulticastPlan found = plan_multicasts(network(), host_of, messages,
                                          !may_mcast ? ByMcast::no
                                          : must     ? ByMcast::must
                                                     : ByMcast::may);
    const bool better = found.time * margin < found.direct;
    if (here.settings.verbose > 1 && here.world_rank == 0)
        std::fprintf(stderr, "eco: plan %s, %zu messages, %d ranks %s: %s %.3g s, direct %.3g s\n",
                     std::string(traits(operation).name).c_str(), messages.size(),
                     communicator.size(), describe(communicator.hierarchy().top).c_str(),
                     found.name.c_str(), found.time, found.direct);
    if (may_be_native && here.settings.choice == "auto" && !better)
        return {"native", nullptr, false};
    auto& own = found.programs[static_cast<std::size_t>(communicator.rank())];
    return {found.name, std::make_unique<Prepared>(std::move(own)), found.by_mcast};
}

}  // namespace

MulticastPlans::Plan MulticastPlans::find(const Communicator& communicator, Operation operation,
                                          std::vector<Multicast> messages, bool may_be_native,
                                          bool may_mcast) {
    std::vector<Bytes> key{may_mcast};
    bool nothing = true;
    for (Multicast& message : messages) {
        message.bytes = size_class(message.bytes);
        nothing = nothing && (message.bytes == 0 || message.destinations.empty());
        key.push_back(message.source);
        key.push_back(message.bytes);
        key.push_back(static_cast<Bytes>(message.destinations.size()));
        key.insert(key.end(), message.destinations.begin(), message.destinations.end());
    }
    if (const Plan* known = plans_.find(key)) return *known;
    auto plan = nothing ? Multicasting{"native", nullptr, false}
                        : make(communicator, operation, messages, may_be_native, may_mcast);
    const std::size_t bytes = plan.bytes() + 2 * key.size() * sizeof key.front();
    return plans_.put(key, std::make_shared<const Multicasting>(std::move(plan)), bytes);
}

}  // namespace eco
