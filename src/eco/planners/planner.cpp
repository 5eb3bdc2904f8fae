// SPDX-License-Identifier: BSD-3-Clause
#include "eco/planners/planner.h"

#include <algorithm>

#include "eco/base/check.h"
#include "eco/planners/family.h"
#include "eco/planners/scratch.h"

namespace eco {

std::vector<Chunk> chunks_of(std::vector<Rank> ranks, int segments) {
    std::sort(ranks.begin(), ranks.end());
    std::vector<Chunk> chunks;
    for (const Rank rank : ranks)
        for (int segment = 0; segment < segments; ++segment)
            chunks.push_back(rank * segments + segment);
    return chunks;
}

std::vector<std::vector<Chunk>> messages(const std::vector<Chunk>& chunks, const Choice& choice) {
    std::vector<std::vector<Chunk>> result;
    if (chunks.empty()) return result;
    if (choice.segments == 0) return {chunks};
    for (const Chunk chunk : chunks) result.push_back({chunk});
    return result;
}

StraightSegments::StraightSegments(const Choice& choice, const Request& request) : choice_(choice) {
    if (choice.straight() == 0) return;
    const int segments = segments_of(choice), all = 100;
    const int count = std::max(1, (segments * choice.straight() + all / 2) / all);
    const bool first = traits(request.operation).ends == Ends::root;
    first_ = first ? 0 : segments - count;
    end_ = first_ + count;
}

std::vector<std::vector<Chunk>> StraightSegments::own_messages() const {
    std::vector<std::vector<Chunk>> list;
    for (Chunk chunk = first_; chunk < end_; ++chunk)
        if (list.empty() || choice_.rotate() == Rotate::all)
            list.push_back({chunk});
        else
            list.back().push_back(chunk);
    return list;
}

std::vector<std::vector<Chunk>> StraightSegments::messages() const {
    auto list = own_messages();
    for (Chunk chunk = 0; chunk < segments_of(choice_); ++chunk)
        if (!holds(chunk)) list.push_back({chunk});
    std::sort(list.begin(), list.end());
    return list;
}

std::vector<bool> straight_blocks(const Choice& choice, const Request& request) {
    std::vector<bool> straight(static_cast<std::size_t>(request.ranks()), false);
    int left = (request.ranks() * choice.straight() + 50) / 100;
    std::vector<const Group*> groups;
    for (const Group& part : request.hierarchy->top.parts) groups.push_back(&part);
    std::stable_sort(groups.begin(), groups.end(), [](const Group* a, const Group* b) {
        return a->ranks.size() < b->ranks.size();
    });
    for (const Group* group : groups)
        for (const Rank rank : group->ranks)
            if (left-- > 0) straight[static_cast<std::size_t>(rank)] = true;
    return straight;
}

int most_segments(const Request& request) {
    constexpr int most = 64, most_chunks = 2048;
    if (traits(request.operation).blocks == Blocks::parts) return most;
    return std::clamp(most_chunks / request.ranks(), 1, most);
}

bool is_whole(const Request& request) {
    return has_rules(request, {Rules::tree, Rules::sum, Rules::signal});
}

bool supports(const Choice& choice, const Request& request) {
    // An innermost group's ranks need not be a range, and the library knows no blocks of theirs.
    if (choice.native_inside() && (keeps_order(request) || !is_whole(request))) return false;
    return planner_family(choice).knows(choice, request) && fits(extent(choice, request));
}

bool supports(const Choice& choice, const Request& request, Bytes bytes) {
    return supports(choice, request) &&
           (may_always_take(request, bytes) ||
            scratch_per_byte(choice, request) * static_cast<double>(bytes) <=
                static_cast<double>(request.hierarchy->most_scratch));
}

double messages_over_groups(const Choice& choice, const Request& request, double pairs) {
    const double ranks = request.ranks();
    const bool blocks = traits(request.operation).blocks != Blocks::parts;
    const double both_ways = traits(request.operation).rooted() ? 1 : 2;
    const bool each_block = blocks && (choice.segments > 0 || choice.rotates());
    return (both_ways * ranks + pairs) * segments_of(choice) * (each_block ? ranks / 2 : 1);
}

bool passes_blocks_on(const Choice& choice, const Hierarchy& hierarchy) {
    const bool in_a_row = is_flat(choice.on) || hierarchy.top.is_innermost();
    return choice.family() != Family::tree || !in_a_row || choice.inner().shape != Shape::star ||
           choice.segments > 0 || choice.rails > 0;
}

Hierarchy seen_by(const Choice& choice, const Hierarchy& hierarchy) {
    switch (choice.on) {
        case On::levels:
            return hierarchy;
        case On::groups:
            return without_levels(hierarchy);
        case On::ranks:
            return flat_hierarchy(hierarchy.ranks());
        case On::ring:
            return without_groups(hierarchy);
    }
    ECO_CHECK(false);
}

Extent extent(const Choice& choice, const Request& request) {
    return with_seen(choice, request, [&](const Request& seen) {
        return planner_family(choice).extent(choice, seen);
    });
}

double scratch_per_byte(const Choice& choice, const Request& request) {
    const auto scratch = planner_family(choice).scratch;
    if (!scratch) return 0;
    return with_seen(choice, request, [&](const Request& seen) { return scratch(choice, seen); });
}

Program plan(const Choice& choice, const Request& request, Rank me) {
    ECO_CHECK(supports(choice, request));
    return with_seen(choice, request, [&](const Request& seen) {
        return planner_family(choice).plan(choice, seen, me);
    });
}

}  // namespace eco
