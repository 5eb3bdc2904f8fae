// SPDX-License-Identifier: BSD-3-Clause
// One rank's edges of many trees of the same ranks, one after the other (tree.h), each without
// building the tree: the time is that of the edges of the rank's own groups. Called by planners in
// which every chunk has a tree of its own.
#pragma once

#include <span>
#include <vector>

#include "eco/planners/tree.h"

namespace eco {

class LocalTree {
public:
    // As build_tree. Keeps the group. A rank outside it has no edges.
    LocalTree(const Group& group, int ranks, Rank me, Form top, Form inner,
              const std::vector<Form>& below = {});

    void find(Rank root, LeaderRotation rotation = {});
    Rank parent() const { return parent_; }  // -1: the root
    const std::vector<Rank>& children() const { return children_; }

private:
    // A group that holds the rank. Its parts are vertices, in an order that begins with the root's.
    struct Level {
        const Group* group;
        Form form;
        int own = 0;               // the rank's part
        std::vector<int> part_of;  // by rank; -1: elsewhere
        bool alike = true;         // whether the order makes no difference to the vertices
        int chunk = -1;            // which tree of the form the edges are of; -1: none yet
        std::vector<int> above;    // by vertex
        std::vector<int> below, first_below;  // vertices below each, in the order of sending

        int parts() const { return static_cast<int>(group->parts.size()); }
        int part(int vertex, int first, int turn) const;
        int vertex_of(int part, int first, int turn) const;
        void find_edges(int first, int turn, int tree);
    };

    Rank me_, parent_ = -1;
    std::vector<Rank> children_;
    std::vector<Level> levels_;  // widest first
};

}  // namespace eco
