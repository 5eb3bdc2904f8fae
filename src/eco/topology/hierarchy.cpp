// SPDX-License-Identifier: BSD-3-Clause
#include "eco/topology/hierarchy.h"

#include <algorithm>
#include <cctype>
#include <numeric>

#include "eco/base/check.h"
#include "eco/base/error.h"

namespace eco {

bool Group::holds(Rank rank) const {
    return std::find(ranks.begin(), ranks.end(), rank) != ranks.end();
}

bool Group::is_innermost() const {
    return on_one_host || std::all_of(parts.begin(), parts.end(),
                                      [](const Group& part) { return part.is_rank(); });
}

const Group& innermost(const Group& group, Rank rank) {
    if (group.is_innermost()) return group;
    const auto part = std::find_if(group.parts.begin(), group.parts.end(),
                                   [rank](const Group& each) { return each.holds(rank); });
    ECO_CHECK(part != group.parts.end());
    return innermost(*part, rank);
}

static Group lone_rank(Rank rank) {
    Group group;
    group.ranks = {rank};
    return group;
}

Group joined(std::vector<Group> parts) {
    if (parts.size() == 1) return std::move(parts.front());
    Group group;
    for (const auto& part : parts)
        group.ranks.insert(group.ranks.end(), part.ranks.begin(), part.ranks.end());
    group.parts = std::move(parts);
    return group;
}

Group side_by_side(const std::vector<Rank>& ranks) {
    std::vector<Group> parts;
    for (const Rank rank : ranks) parts.push_back(lone_rank(rank));
    return joined(std::move(parts));
}

namespace {

bool all_consecutive(const Group& group) {
    const auto [least, most] = std::minmax_element(group.ranks.begin(), group.ranks.end());
    if (*most - *least + 1 != static_cast<int>(group.ranks.size())) return false;
    return group.on_one_host ||
           std::all_of(group.parts.begin(), group.parts.end(), all_consecutive);
}

}  // namespace

Hierarchy flat_hierarchy(int ranks) {
    Hierarchy hierarchy;
    hierarchy.ring.resize(static_cast<std::size_t>(ranks));
    std::iota(hierarchy.ring.begin(), hierarchy.ring.end(), 0);
    hierarchy.top = side_by_side(hierarchy.ring);
    return hierarchy;
}

Hierarchy without_groups(const Hierarchy& hierarchy) {
    Hierarchy flat = hierarchy;
    flat.top = side_by_side(hierarchy.ring);
    return flat;
}

static void add_innermost(const Group& group, std::vector<Group>& list) {
    for (const Group& part : group.parts)
        if (part.is_innermost())
            list.push_back(part);
        else
            add_innermost(part, list);
}

bool has_levels(const Hierarchy& hierarchy) {
    return std::any_of(hierarchy.top.parts.begin(), hierarchy.top.parts.end(),
                       [](const Group& part) { return !part.is_innermost(); });
}

Hierarchy without_levels(const Hierarchy& hierarchy) {
    if (hierarchy.top.is_innermost()) return hierarchy;
    Hierarchy found = hierarchy;
    found.top.parts.clear();
    add_innermost(hierarchy.top, found.top.parts);
    return found;
}

double mcast_rate(const Group& top, Rank from, std::span<const Rank> to) {
    const Group* group = &top;
    while (true) {
        const auto part = std::find_if(group->parts.begin(), group->parts.end(),
                                       [&](const Group& each) { return each.holds(from); });
        if (part == group->parts.end() ||
            !std::all_of(to.begin(), to.end(), [&](Rank rank) { return part->holds(rank); }))
            return group->mcast_rate;
        group = &*part;
    }
}

bool is_reached(const Group& group) { return group.mcast_rate > 0 && !group.on_one_host; }

bool has_mcast(const Group& group) {
    if (group.is_rank() || group.on_one_host) return false;
    return group.mcast_rate > 0 || std::any_of(group.parts.begin(), group.parts.end(), has_mcast);
}

bool is_near(const Hierarchy& hierarchy) { return all_consecutive(hierarchy.top); }

const char* layout_name(const Hierarchy& hierarchy) {
    return is_near(hierarchy) ? "near" : "scattered";
}

static int most_on_a_host(const Group& group) {
    if (group.on_one_host) return static_cast<int>(group.ranks.size());
    int most = 1;
    for (const Group& part : group.parts) most = std::max(most, most_on_a_host(part));
    return most;
}

int ranks_per_host(const Hierarchy& hierarchy) { return most_on_a_host(hierarchy.top); }

std::string describe(const Group& group) {
    if (group.is_rank()) return std::to_string(group.ranks.front());
    std::string text;
    for (const auto& part : group.parts) {
        const bool in_parentheses = !part.is_rank() && !part.on_one_host;
        if (!text.empty()) text += ' ';
        if (in_parentheses) text += '(';
        text += describe(part);
        if (in_parentheses) text += ')';
    }
    return group.on_one_host ? "[" + text + "]" : text;
}

namespace {

bool closes(char character) { return character == ')' || character == ']' || character == '}'; }

void let_mcast(Group& group) {
    group.mcast_rate = 1e6;
    for (Group& part : group.parts) let_mcast(part);
}

Group parse_parts(const std::string& text, std::size_t& at) {
    std::vector<Group> parts;
    while (at < text.size() && !closes(text[at])) {
        if (text[at] == '(' || text[at] == '[' || text[at] == '{') {
            const char close = text[at] == '(' ? ')' : text[at] == '[' ? ']' : '}';
            ++at;
            parts.push_back(parse_parts(text, at));
            if (at == text.size() || text[at] != close)
                throw Error(Code::bad_input, "hierarchy: a (, [ or { without its end");
            if (close == ']' && !parts.back().is_rank()) parts.back().on_one_host = true;
            if (close == '}') let_mcast(parts.back());
            ++at;
        } else if (std::isdigit(static_cast<unsigned char>(text[at]))) {
            int rank = 0;
            for (; at < text.size() && std::isdigit(static_cast<unsigned char>(text[at])); ++at)
                rank = rank * 10 + (text[at] - '0');
            parts.push_back(lone_rank(rank));
        } else {
            ++at;
        }
    }
    return joined(std::move(parts));
}

}  // namespace

Hierarchy parse_hierarchy(const std::string& text) {
    std::size_t at = 0;
    Hierarchy hierarchy;
    hierarchy.top = parse_parts(text, at);
    const auto& parts = hierarchy.top.parts;
    hierarchy.one_subnet =
        std::all_of(parts.begin(), parts.end(), [](const Group& part) { return part.is_rank(); });
    hierarchy.ring = hierarchy.top.ranks;
    return hierarchy;
}

}  // namespace eco
