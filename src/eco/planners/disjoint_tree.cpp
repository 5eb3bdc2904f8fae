// SPDX-License-Identifier: BSD-3-Clause
#include "eco/planners/disjoint_tree.h"

#include <bit>

namespace eco {

DisjointTree::DisjointTree(int parts, int segment)
    : dimensions_(std::bit_width(static_cast<unsigned>(parts)) - 1),
      vertices_(1 << dimensions_),
      paired_(parts - vertices_),
      first_(dimensions_ == 0 ? 0 : segment % dimensions_) {}

int DisjointTree::parent(int part) const {
    if (part >= vertices_) return part - vertices_ + 1;
    const int last = last_dimension(part), above = part ^ 1 << last;
    if (above == 0) return 0;
    return above <= paired_ ? vertices_ + above - 1 : above;
}

int DisjointTree::step_of(int part) const {
    if (part >= vertices_) return step_of(part - vertices_ + 1) + 1;
    if (!(part & 1 << first_)) return dimensions_;
    return (last_dimension(part) - first_ + dimensions_) % dimensions_;
}

// Along which a vertex gets the segment.
int DisjointTree::last_dimension(int vertex) const {
    if (!(vertex & 1 << first_)) return first_;
    for (int back = dimensions_ - 1; back > 0; --back)
        if (const int dimension = (first_ + back) % dimensions_; vertex & 1 << dimension)
            return dimension;
    return first_;
}

}  // namespace eco
