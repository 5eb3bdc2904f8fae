// SPDX-License-Identifier: BSD-3-Clause
// What runs on hosts on which nothing was timed: communicators of a part of those that were
// measured. What was timed on others says whether the library does badly on this network, the
// simulator which schedule suits these hosts.
#include <algorithm>

#include "eco/selection/choose.h"
#include "eco/selection/clear_gain.h"

namespace eco {

// The power of two that is nearest: a program that calls with many sizes is not to simulate each.
static Bytes predicted_size(Bytes bytes) {
    if (bytes <= 0) return 0;
    Bytes size = 1;
    while (distance(2 * size, bytes) < distance(size, bytes)) size *= 2;
    return size;
}

// Hosts beside each other, as on one switch, with a rank each, have no order that is near or
// scattered: there ECO counts as faster if it was with ranks in either order, as both are of other
// hosts.
const Chooser::Entry* Chooser::timed_elsewhere(const Request& request, Bytes bytes,
                                               const Entry* timed) const {
    if (!timed || !timed->choice.is_native()) return timed;
    const auto& parts = request.hierarchy->top.parts;
    const bool beside =
        std::all_of(parts.begin(), parts.end(), [](const Group& part) { return part.is_rank(); });
    if (!beside) return timed;
    const Entry* other = nearest(timed_, request, bytes, !is_near(*request.hierarchy));
    const bool as_near =
        other && distance(other->bytes, bytes) <= 2 * distance(timed->bytes, bytes);
    return as_near && !other->choice.is_native() ? other : timed;
}

std::optional<Chooser::Untimed> Chooser::untimed_here(const Request& request, Bytes bytes,
                                                      const Entry* timed) const {
    const std::string& structure = request.hierarchy->structure;
    if (!predictor_ || bytes < 0 || structure.empty()) return std::nullopt;
    if (timed && timed->structure == structure) return std::nullopt;
    // On a network of one subnet libraries do well, and without tuning shapes decide.
    if (!timed && (one_subnet_ || predicted_.empty())) return std::nullopt;
    const Entry* elsewhere = timed_elsewhere(request, bytes, timed);
    const Choice there = elsewhere ? elsewhere->choice : Choice{};
    // What is timed whatever is predicted.
    if (there.rails > 0 || there.native_inside()) return std::nullopt;
    const Bytes size = predicted_size(bytes);
    const bool may_mcast = std::any_of(timed_.begin(), timed_.end(), [&](const Entry& entry) {
        return entry.operation == tuned_as(request.operation) && entry.choice.is_mcast();
    });
    const auto here = predictor_->predict(
        request, size, elsewhere ? scaled(there, elsewhere->bytes, size, request) : there,
        may_mcast);
    if (!here) return std::nullopt;
    return Untimed{*here, elsewhere};
}

Explained Chooser::explain_untimed(const Untimed& untimed, const Request& request,
                                   Bytes bytes) const {
    const auto& [here, timed] = untimed;
    // A choice that was timed on others stays unless another one is so many times faster here: it
    // is the better known. ECO, if it was faster there, unless the quickest topology-unaware
    // schedule is so many times faster here.
    constexpr double clearly_faster = 1.15, faster = 1.05;
    Explained found{{}, Explained::Rests::predicted, here.bytes, here.baseline, here.time};
    const Seconds quickest = here.elsewhere > 0 ? std::min(here.elsewhere, here.time) : here.time;
    const double gain = quickest > 0 ? here.baseline / quickest : 0;
    // What follows from calls with one rank on each host says nothing of other sizes.
    constexpr double far = 2;
    const bool eco_there = timed && !timed->choice.is_native() &&
                           !(timed->is_guess() && distance(timed->bytes, bytes) > far);
    const Entry* error = nearest(predicted_, request, bytes);
    const bool wins = eco_there
                          ? gain * faster > 1
                          : gain_as_usual(gain, error ? error->noise : 0) > clear_gain(request);
    if (!wins) return found;
    const bool as_there =
        eco_there && here.elsewhere > 0 && here.elsewhere < clearly_faster * here.time;
    if (as_there) found.eco = here.elsewhere;
    found.choice = as_there ? scaled(timed->choice, timed->bytes, bytes, request)
                            : scaled(here.best, here.bytes, bytes, request);
    return found;
}

}  // namespace eco
