// SPDX-License-Identifier: BSD-3-Clause
// All-to-all without anybody in between: each pair of ranks exchanges its own blocks, near ones
// first, all at once or a window of long ones at a time: both ends of a message know whether it is
// long, so blocks of all sizes may be in one call.
#include <algorithm>

#include "eco/planners/family.h"
#include "eco/planners/planner.h"

namespace eco {

static Program plan_direct(const Choice& choice, const Request& request, Rank me) {
    const int ranks = request.ranks(), segments = segments_of(choice);
    const auto& order = request.hierarchy->ring;
    const int place = static_cast<int>(std::find(order.begin(), order.end(), me) - order.begin());
    Builder builder(request, segments);
    builder.copy(input, output, chunks_of({me * ranks + me}, segments));
    std::vector<std::int32_t> received;
    for (int step = 1; step < ranks; ++step) {
        const Rank to = order[static_cast<std::size_t>((place + step) % ranks)];
        const Rank from = order[static_cast<std::size_t>((place - step + ranks) % ranks)];
        if (const int before = step - 1 - choice.window; choice.window > 0 && before >= 0)
            builder.pace_by(received[static_cast<std::size_t>(before)]);
        builder.send(to, input, chunks_of({me * ranks + to}, segments));
        builder.recv(from, output, chunks_of({from * ranks + me}, segments));
        received.push_back(builder.last_task());
    }
    return builder.finish();
}

constinit const PlannerFamily DirectParameters::planner{
    .name = "direct",
    .knows = [](const Choice&,
                const Request& request) { return has_rules(request, {Rules::pairs}); },
    .plan = plan_direct,
    .extent = extent_of_direct,
    .messages =
        [](const Choice&, const Request& request) {
            const double ranks = request.ranks();
            return ranks * ranks;
        },
};

}  // namespace eco
