// SPDX-License-Identifier: BSD-3-Clause
// What the steps of `eco measure` after the model take, about, so that the time left is right while
// no budget says it. Pure. Called by measure.cpp.
#pragma once

#include <array>
#include <numeric>

#include "eco/topology/profile.h"

namespace eco {

class LaterSteps {
public:
    enum Step { links, processors, nics, multicast, predictions, steps };

    // Nothing is left after the model.
    LaterSteps() = default;
    // profile: with times; without levels it has one subnet. predicting: at most so long; 0:
    // nothing is predicted, and processors do not matter.
    LaterSteps(const Profile& profile, bool tries_multicast, Seconds predicting);

    // With those that follow it, so long after the step began.
    Seconds left(Step step, Seconds spent) const {
        const auto rest = times_.begin() + step + 1;
        return std::accumulate(rest, times_.end(), std::max(0.0, times_[step] - spent));
    }
    Seconds all() const { return left(links, 0); }

private:
    std::array<Seconds, steps> times_{};
};

// The longest round trip of the first host among those timed yet; 0: none.
Seconds farthest(const Profile& profile);

// What the predictions for a profile take, about (Forecaster::entries).
Seconds predicting_time(const Profile& profile);

}  // namespace eco
