// SPDX-License-Identifier: BSD-3-Clause
#include "eco/survey/disturbance.h"

#include <algorithm>
#include <cmath>

#include "eco/base/median.h"

namespace eco {

namespace {

// What is less probable is no accident; so small as many boundaries are tried.
constexpr double improbable = 1e-3;

constexpr double little_more = 1.1;

}  // namespace

void Disturbance::add(const std::vector<Seconds>& least_of_visits) {
    if (least_of_visits.size() < 2) return;
    const auto undisturbed = std::min_element(least_of_visits.begin(), least_of_visits.end());
    for (auto visit = least_of_visits.begin(); visit != least_of_visits.end(); ++visit)
        if (visit != undisturbed) excess_.push_back(*visit - *undisturbed);
}

double Disturbance::chance(Seconds excess) const {
    if (excess_.empty()) return 0;
    if (excess <= 0) return 1;
    const auto as_much = std::count_if(excess_.begin(), excess_.end(),
                                       [&](Seconds observed) { return observed >= excess; });
    const auto share = static_cast<double>(as_much + 1) / static_cast<double>(excess_.size() + 2);
    const Seconds most = *std::max_element(excess_.begin(), excess_.end());
    // Beyond what was observed, as if it were spread exponentially.
    return excess <= most ? share : share * std::exp(1 - excess / most);
}

bool Disturbance::may_explain(Seconds excess, int visits) const {
    return std::pow(chance(excess), visits) > improbable;
}

Seconds Disturbance::most(int visits) const {
    if (excess_.empty()) return 0;
    // It falls with the excess, and is next to nothing far beyond what was observed.
    Seconds low = 0, high = 20 * *std::max_element(excess_.begin(), excess_.end());
    for (int step = 0; step < 40; ++step) {
        const Seconds middle = (low + high) / 2;
        (may_explain(middle, visits) ? low : high) = middle;
    }
    return low;
}

bool undisturbed_at_once(const std::vector<Seconds>& together, const std::vector<Seconds>& alone) {
    std::vector<double> ratios;
    for (std::size_t i = 0; i < together.size(); ++i) ratios.push_back(together[i] / alone[i]);
    return upper_median(std::move(ratios)) <= little_more;
}

}  // namespace eco
