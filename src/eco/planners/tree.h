// SPDX-License-Identifier: BSD-3-Clause
// Turns a hierarchy and a root into a spanning tree of the ranks: the root on top, groups as
// vertices, a shape inside each (ECO §4, steps 1–4; any depth of nesting). Called by the planners.
#pragma once

#include <compare>
#include <string>
#include <vector>

#include "eco/topology/hierarchy.h"

namespace eco {

// How the parts of one group are connected, the part that holds the root first.
//   star      all below the root's part
//   kary      k below each, in order
//   chain     one below the other
//   binomial  as the broadcast of a hypercube
//   ports     the same where each may send to k at once (binomial2, …; Qian and Afsahi, §5.1)
//   balanced  each next part where the busiest part stays least busy, by what messages cost its
//             medium: least crossings of the busiest bus, by way of what is fast
//   postal    who has the message sends one each unit of time, it arrives k units later: the least
//             time in the postal model (Bar-Noy and Kipnis, 1992); a Fibonacci tree for k = 2
//   relay     one below the root's part, all others below that one: with another one for each
//             segment every part sends on what it got, and each link carries every byte once
//   disjoint  one of the edge-disjoint binomial trees of a hypercube (Johnsson and Ho, 1989), the
//             next one for each segment: every part receives and sends one segment at a time, and
//             each comes ⌊log₂ parts⌋ + 1 steps after it left the root, or at most twice as many
//             where the parts are not a power of two
enum class Shape { star, kary, chain, binomial, ports, balanced, postal, relay, disjoint };

// Whether its parts are not all single ranks: `top` shapes it, else `inner`. A part without parts
// of its own is one vertex, however many ranks it has.
bool has_groups(const Group& group);

struct Form {
    Shape shape = Shape::star;
    int k = 2;  // of kary, ports and postal
    auto operator<=>(const Form&) const = default;
};

std::string to_text(const Form& form);     // star, k2, chain, binomial, binomial2, …
Form parse_form(const std::string& text);  // throws Error{usage}

struct Tree {
    Rank root = 0;
    std::vector<Rank> parent;                 // -1 for the root
    std::vector<std::vector<Rank>> children;  // in the order of sending: far ones first

    // The ranks below and including `rank`, children in order. O(their number).
    std::vector<Rank> subtree(Rank rank) const;
};

// Each of `of` chunks of a message may have a tree of its own: with the groups in another order for
// each `turn`, and, if `ranks`, another rank to lead each group that does not hold the root.
struct LeaderRotation {
    int turn = 0, of = 1;
    bool ranks = true;
    int chunk = 0;  // which of the disjoint trees
    Rank of_group(const Group& group, Rank root) const;
    Rank of_group(const Group& group) const;  // of one that does not hold the root
};

// Of the ranks of one group; `ranks` is the size of the communicator.
Tree build_tree(const Group& group, int ranks, Rank root, Form top, Form inner,
                LeaderRotation rotation = {}, const std::vector<Form>& below = {});

// Of all ranks. top: between the parts of groups that have groups inside; below: the same for those
// below the widest, level by level, the last for all further ones; inner: between single ranks.
Tree build_tree(const Hierarchy& hierarchy, Rank root, Form top, Form inner,
                LeaderRotation rotation = {}, const std::vector<Form>& below = {});

// The group with one rank in the place of each innermost group: its leader.
Group innermost_leaders(const Group& group, Rank root);

// A vertex that stands for a group: its members, and what its medium makes of a message
// (hierarchy.h).
struct Weight {
    int members = 1;
    double crossing = 1;
    bool shared = true;
    bool operator==(const Weight&) const = default;
};
Weight weight(const Group& part);

// Parent of each of n vertices by the form alone, vertex 0 the root. chunk: of disjoint, which
// tree.
std::vector<int> parents(Form form, const std::vector<Weight>& weights, int chunk = 0);

// All vertices but the root's, in the order in which the others send to them.
std::vector<int> sending_order(Form form, int parts, int chunk);

// How many trees there are until the first comes again, where one of the forms is disjoint; else 1.
int distinct_trees(const Group& group, Form top, Form inner, const std::vector<Form>& below = {});

}  // namespace eco
