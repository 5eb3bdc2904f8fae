// SPDX-License-Identifier: BSD-3-Clause
#include "eco/planners/local_tree.h"

#include <algorithm>

#include "eco/base/at.h"
#include "eco/base/check.h"

namespace eco {

LocalTree::LocalTree(const Group& group, int ranks, Rank me, Form top, Form inner,
                     const std::vector<Form>& below)
    : me_(me) {
    const Group* here = &group;
    for (std::size_t depth = 0; !here->is_rank(); ++depth) {
        Level& level = levels_.emplace_back();
        level.group = here;
        level.form = !has_groups(*here)            ? inner
                     : depth == 0 || below.empty() ? top
                                                   : below[std::min(depth, below.size()) - 1];
        level.part_of.assign(at(ranks), -1);
        const Group& some = here->parts.front();
        for (int part = 0; part < level.parts(); ++part) {
            const Group& each = here->parts[at(part)];
            for (const Rank rank : each.ranks) level.part_of[at(rank)] = part;
            if (level.form.shape == Shape::balanced && weight(each) != weight(some))
                level.alike = false;
        }
        level.own = level.part_of[at(me)];
        if (level.own < 0) {
            levels_.clear();
            return;
        }
        here = &here->parts[at(level.own)];
    }
}

int LocalTree::Level::part(int vertex, int first, int turn) const {
    const int next = vertex == 0 ? 0 : 1 + (vertex - 1 + turn) % (parts() - 1);
    return (first + next) % parts();
}

int LocalTree::Level::vertex_of(int part, int first, int turn) const {
    const int next = (part - first + parts()) % parts(), others = parts() - 1;
    return next == 0 ? 0 : 1 + (next - 1 + others - turn % others) % others;
}

void LocalTree::Level::find_edges(int first, int turn, int tree) {
    if (form.shape != Shape::disjoint) tree = 0;
    if (alike && chunk == tree) return;
    chunk = tree;
    std::vector<Weight> weights;
    for (int vertex = 0; vertex < parts(); ++vertex)
        weights.push_back(weight(group->parts[at(part(vertex, first, turn))]));
    above = parents(form, weights, tree);
    first_below.assign(at(parts() + 1), 0);
    for (int vertex = 1; vertex < parts(); ++vertex) ++first_below[at(above[at(vertex)] + 1)];
    for (int vertex = 0; vertex < parts(); ++vertex)
        first_below[at(vertex + 1)] += first_below[at(vertex)];
    below.resize(at(parts() - 1));
    auto next = first_below;
    for (const int vertex : sending_order(form, parts(), tree))
        below[at(next[at(above[at(vertex)])]++)] = vertex;
}

void LocalTree::find(Rank root, LeaderRotation rotation) {
    parent_ = -1;
    children_.clear();
    for (Level& level : levels_) {
        const int first = level.part_of[at(root)];
        ECO_CHECK(first >= 0);
        const int turn = level.form.shape == Shape::disjoint ? 0 : rotation.turn;
        const auto leader = [&](int vertex) {
            return vertex == 0
                       ? root
                       : rotation.of_group(level.group->parts[at(level.part(vertex, first, turn))]);
        };
        const int own = level.vertex_of(level.own, first, turn);
        const Rank leader_here = leader(own);
        if (leader_here == me_) {
            level.find_edges(first, turn, rotation.chunk);
            if (own > 0) parent_ = leader(level.above[at(own)]);
            for (int i = level.first_below[at(own)]; i < level.first_below[at(own + 1)]; ++i)
                children_.push_back(leader(level.below[at(i)]));
        }
        root = leader_here;
    }
}

}  // namespace eco
