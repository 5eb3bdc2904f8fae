// SPDX-License-Identifier: BSD-3-Clause
// What candidates ask about the groups of a hierarchy.
#pragma once

#include <set>

#include "eco/base/units.h"
#include "eco/topology/hierarchy.h"

namespace eco {

// Whether some ranks stand beside others of their innermost group, but not all are in one.
bool has_groups_inside(const Group& group);

// One message for each pair of groups, and as many as both have ranks for.
std::set<int> carrier_counts(const Group& top);

// Ranks of the largest group.
int widest(const Group& top);

// The largest group of single ranks on a switch; null: none, or too small for disjoint trees to be
// shorter than a chain.
const Group* widest_switch(const Group& group);

// Segments for disjoint trees: each more costs an overhead, each longer one makes the steps longer
// in which the last of them passes through the group. In whole frames.
Bytes even_length(const Group& group, Bytes bytes);

}  // namespace eco
