// SPDX-License-Identifier: BSD-3-Clause
// The most children that a rank can have in trees of a group, without building them. Called by what
// bounds a program's length (extent.cpp) and memory (scratch.cpp).
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "eco/planners/tree.h"

namespace eco {

// Segments have trees of their own: how many of them one rank leads a group in.
struct Turns {
    double all = 1;
    bool rotate = false;  // each time another rank leads
    double of_one(const Group& group) const {
        return rotate ? std::ceil(all / static_cast<double>(group.ranks.size())) : all;
    }
};

// In all turns' trees of a group together: at each level those of its part. led: turns in which it
// is the root.
// innermost: groups that one rank leads are not looked into.
double most_children(const Group& group, const std::vector<Form>& forms, Form inner, bool innermost,
                     Turns turns, double led, std::size_t depth = 0);

}  // namespace eco
