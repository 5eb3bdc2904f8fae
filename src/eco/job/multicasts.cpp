// SPDX-License-Identifier: BSD-3-Clause
#include "eco/job/multicasts.h"

#include <algorithm>
#include <cstdio>

#include "eco/base/fnv1a.h"
#include "eco/simulate/multicast_plan.h"

namespace eco {

namespace {

// A plan must be better than the library by this much before it runs: predictions err.
constexpr double margin = 1.1;
// Less is no gain: the library's way is among the schedules, and predicted times are often equal.
constexpr double worth_comparing = 1.02;

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
    const bool free = here.settings.choice != "auto" || !may_be_native;
    const bool runs = free || found.time * margin < found.direct;
    if (here.settings.verbose > 1 && here.world_rank == 0)
        std::fprintf(stderr, "eco: plan %s, %zu messages, %d ranks %s: %s %.3g s, direct %.3g s\n",
                     std::string(traits(operation).name).c_str(), messages.size(),
                     communicator.size(), describe(communicator.hierarchy().top).c_str(),
                     found.name.c_str(), found.time, found.direct);
    Multicasting made;
    made.name = "native";
    // What would gain little is compared with the library where programs learn.
    if (!runs &&
        (found.time * worth_comparing >= found.direct || here.settings.learn == Learn::off))
        return made;
    auto& own = found.programs[static_cast<std::size_t>(communicator.rank())];
    made.name = found.name;
    made.prepared = std::make_unique<Prepared>(std::move(own));
    made.by_mcast = found.by_mcast;
    made.runs = runs;
    return made;
}

// Names the class, by the ranks' hosts too, as another job may have placed them elsewhere. Hosts
// are numbered as the job has them. Sizes of ranks that give to nobody mean nothing.
void name_class(const Communicator& communicator, const std::vector<Multicast>& messages,
                Multicasting& named) {
    bool alike = true, first = true;
    for (const Multicast& message : messages) {
        if (message.destinations.empty()) continue;
        alike = alike && (first || message.bytes == named.bytes_each);
        first = false;
        named.bytes_each = message.bytes;
        named.longest = std::max(named.longest, message.bytes);
    }
    if (!alike) named.bytes_each = -1;
    Fnv1a hash;
    for (Rank rank = 0; rank < communicator.size(); ++rank)
        hash.add(static_cast<std::uint64_t>(communicator.host_of(rank)));
    for (const Multicast& message : messages) {
        hash.add(message.destinations.size());
        if (message.destinations.empty()) continue;
        hash.add(static_cast<std::uint64_t>(message.source));
        if (!alike) hash.add(static_cast<std::uint64_t>(message.bytes));
        for (const Rank to : message.destinations) hash.add(static_cast<std::uint64_t>(to));
    }
    char text[17];
    std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(hash.value()));
    named.graph = text;
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
    Multicasting plan;
    plan.name = "native";
    if (!nothing) plan = make(communicator, operation, messages, may_be_native, may_mcast);
    if (plan.prepared) {
        name_class(communicator, messages, plan);
        Fnv1a hash;
        for (const Bytes each : key) hash.add(static_cast<std::uint64_t>(each));
        plan.number = hash.value();
    }
    const std::size_t bytes = plan.bytes() + 2 * key.size() * sizeof key.front();
    return plans_.put(key, std::make_shared<const Multicasting>(std::move(plan)), bytes);
}

}  // namespace eco
