// SPDX-License-Identifier: BSD-3-Clause
// Scans. Contiguous ranks that share a widest group form a run (of ranks). Inside every run at once
// a prefix goes from rank to rank; then the sum of all earlier runs travels from the end of one run
// to the end of the next, and each end hands it to the run's other ranks. Ranks that lie scattered
// make short runs, which is a chain in rank order: right, if not fast.
#include "eco/planners/family.h"
#include "eco/planners/planner.h"

namespace eco {

namespace {

struct RankRun {
    Rank first, last;
};

std::vector<RankRun> find_runs(const Group& top, int ranks) {
    std::vector<int> group(static_cast<std::size_t>(ranks), 0);
    for (std::size_t g = 0; g < top.parts.size(); ++g)
        if (!top.parts[g].is_rank())
            for (const Rank rank : top.parts[g].ranks)
                group[static_cast<std::size_t>(rank)] = static_cast<int>(g) + 1;
    std::vector<RankRun> runs;
    for (Rank rank = 0; rank < ranks; ++rank) {
        if (rank > 0 &&
            group[static_cast<std::size_t>(rank)] == group[static_cast<std::size_t>(rank - 1)])
            runs.back().last = rank;
        else
            runs.push_back({rank, rank});
    }
    return runs;
}

}  // namespace

static Program plan_ordered(const Choice& choice, const Request& request, Rank me) {
    // Prefix of the run up to here with and without this rank, and the sum of all earlier runs.
    const Buffer with = scratch(0), without = scratch(1), earlier = scratch(2);
    const bool inclusive = request.operation == Operation::scan;
    const auto runs = find_runs(request.hierarchy->top, request.ranks());
    std::size_t own = 0;
    while (runs[own].last < me) ++own;
    const RankRun run = runs[own];
    Builder builder(request, segments_of(choice), choice.window);
    for (const auto& part : messages(all_chunks(segments_of(choice)), choice)) {
        builder.copy(input, with, part);
        if (me > run.first) {
            builder.recv(me - 1, without, part);
            builder.combine(without, with, part, true);
        }
        if (me < run.last) builder.send(me + 1, with, part);
        if (own == 0) {
            if (inclusive)
                builder.copy(with, output, part);
            else if (me > run.first)
                builder.copy(without, output, part);
            if (me == run.last && runs.size() > 1) builder.send(runs[1].last, with, part);
            continue;
        }
        const bool last = me == run.last;
        builder.recv(last ? runs[own - 1].last : run.last, earlier, part);
        if (last) {
            builder.combine(earlier, with, part, true);
            if (own + 1 < runs.size()) builder.send(runs[own + 1].last, with, part);
            for (Rank rank = run.first; rank < run.last; ++rank) builder.send(rank, earlier, part);
        }
        if (inclusive) {
            builder.copy(last ? with : earlier, output, part);
            if (!last) builder.combine(with, output, part);
        } else {
            builder.copy(earlier, output, part);
            if (me > run.first) builder.combine(without, output, part);
        }
    }
    return builder.finish();
}

constinit const PlannerFamily OrderedParameters::planner{
    .name = "ordered",
    .knows = [](const Choice&,
                const Request& request) { return has_rules(request, {Rules::prefix}); },
    .plan = plan_ordered,
    .combines_alike = [](const Choice&, const Request&) { return true; },
    .extent = extent_of_ordered,
    .messages = [](const Choice& choice,
                   const Request& request) { return 2.0 * request.ranks() * segments_of(choice); },
    .scratch = scratch_of_ordered,
};

}  // namespace eco
