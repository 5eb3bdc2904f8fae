// SPDX-License-Identifier: BSD-3-Clause
// All-to-all in few steps for short messages: Bruck's index algorithm with k ports (Bruck, Ho,
// Kipnis, Upfal and Weathersby, 1997), for any number of ranks. A block that is to go d places on
// around the ring goes by the digits of d to the base of k + 1, lowest first; in each step a rank
// sends k messages, one for each value of the digit, with all blocks that have it. There are
// log(k+1) P steps, each with at most P / (k+1) blocks in a message.
#include <algorithm>

#include "eco/base/log2.h"
#include "eco/planners/family.h"
#include "eco/planners/planner.h"

namespace eco {

static Program plan_index(const Choice& choice, const Request& request, Rank me) {
    const int ranks = request.ranks(), segments = segments_of(choice);
    const int base = std::max(choice.ports, 1) + 1;
    const auto& order = request.hierarchy->ring;
    const int place = static_cast<int>(std::find(order.begin(), order.end(), me) - order.begin());
    const auto rank_at = [&](int where) {
        return order[static_cast<std::size_t>((where % ranks + ranks) % ranks)];
    };
    // The blocks that go on by `digit` units of this step from the rank at `where`.
    const auto blocks = [&](int where, int unit, int digit, auto wanted) {
        std::vector<Chunk> chunks;
        for (int far = 0; far < ranks; ++far) {
            if (far / unit % base != digit || !wanted(far)) continue;
            const int start = where - far % unit;
            const int block = rank_at(start) * ranks + rank_at(start + far);
            for (int segment = 0; segment < segments; ++segment)
                chunks.push_back(block * segments + segment);
        }
        std::sort(chunks.begin(), chunks.end());
        return chunks;
    };
    const auto any = [](int) { return true; };
    Builder builder(request, segments, 0, base - 1);
    builder.copy(input, output, chunks_of({me * ranks + me}, segments));
    for (int unit = 1; unit < ranks; unit *= base) {
        const auto is_fresh = [&](int far) { return far % unit == 0; };
        const auto is_there = [&](int far) { return far < unit * base; };
        for (int digit = 1; digit < base && digit * unit < ranks; ++digit) {
            builder.copy(input, scratch(), blocks(place, unit, digit, is_fresh));
            builder.send(rank_at(place + digit * unit), scratch(), blocks(place, unit, digit, any));
        }
        for (int digit = 1; digit < base && digit * unit < ranks; ++digit) {
            const int from = place - digit * unit;
            builder.recv(rank_at(from), scratch(), blocks(from, unit, digit, any));
            builder.copy(scratch(), output, blocks(from, unit, digit, is_there));
        }
    }
    return builder.finish();
}

constinit const PlannerFamily IndexParameters::planner{
    .name = "index",
    .knows = [](const Choice&,
                const Request& request) { return request.operation == Operation::alltoall; },
    .plan = plan_index,
    .extent = extent_of_index,
    .messages =
        [](const Choice&, const Request& request) {
            const double ranks = request.ranks();
            return ranks * portable_log2(ranks + 1);
        },
    .scratch = scratch_of_index,
};

}  // namespace eco
