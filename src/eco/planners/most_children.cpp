// SPDX-License-Identifier: BSD-3-Clause
#include "eco/planners/most_children.h"

#include "eco/base/at.h"

namespace eco {

// Of all vertices of a form.
static int most_below(Form form, const std::vector<Weight>& weights) {
    const int parts = static_cast<int>(weights.size());
    std::vector<int> below(at(parts), 0);
    int most = 0;
    const auto above = parents(form, weights);
    for (int part = 1; part < parts; ++part) most = std::max(most, ++below[at(above[at(part)])]);
    return most;
}

// The same whichever part holds the root. Where few are alike: at most all others.
static int most_below_balanced(const Group& group) {
    constexpr std::size_t most_tried = 16;
    std::vector<Weight> weights, roots;
    for (const Group& part : group.parts) {
        weights.push_back(weight(part));
        if (roots.size() <= most_tried &&
            std::find(roots.begin(), roots.end(), weights.back()) == roots.end())
            roots.push_back(weights.back());
    }
    if (roots.size() > most_tried) return static_cast<int>(weights.size()) - 1;
    int most = 0;
    for (const Weight& root : roots) {
        std::iter_swap(weights.begin(), std::find(weights.begin(), weights.end(), root));
        most = std::max(most, most_below({Shape::balanced}, weights));
    }
    return most;
}

double most_children(const Group& group, const std::vector<Form>& forms, Form inner, bool innermost,
                     Turns turns, double led, std::size_t depth) {
    if (group.is_rank() || (innermost && group.is_innermost())) return 0;
    const bool of_groups = innermost || has_groups(group);
    const Form form = of_groups ? forms[std::min(depth, forms.size() - 1)] : inner;
    double inside = 0;
    for (const Group& part : group.parts)
        inside =
            std::max(inside, most_children(part, forms, inner, innermost, turns, led, depth + 1));
    const double leads = std::min(turns.all, led + turns.of_one(group));
    const std::size_t parts = group.parts.size();
    const int below = form.shape != Shape::balanced ? most_below(form, std::vector<Weight>(parts))
                      : innermost                   ? static_cast<int>(parts) - 1
                                                    : most_below_balanced(group);
    return inside + leads * below;
}

}  // namespace eco
