// SPDX-License-Identifier: BSD-3-Clause
// How much of a long work is done and how long the rest takes, from the share that its parts say is
// done and the time that was spent. Pure. Called by Progress (protocol.h).
#pragma once

#include <algorithm>
#include <optional>

#include "eco/base/units.h"

namespace eco {

class Estimate {
public:
    // All work takes so long: what is done follows from the clock, unless the work needs longer.
    void take(Seconds time) { all_ = time; }

    // done: of all work, 0 to 1; spent: since the start, never less than before.
    void update(double done, Seconds spent) {
        // Work that takes longer than its budget counts at most as the part that was reported.
        if (all_ > 0 && done < 1) done = std::min({spent / all_, done, 0.999});
        done = std::min(done, 1.0);
        done_ = std::max(done_, done);
        if (done >= 1)
            left_ = 0;
        else if (done >= least_to_tell)
            left_ = std::max(1.0, spent / done * (1 - done));
    }

    // Never less than before: what turns out to be more work does not undo what was done.
    double done() const { return done_; }

    // From the last share, so it may grow; a second at least before the end; none: nobody knows
    // yet.
    std::optional<Seconds> left() const { return left_; }

private:
    static constexpr double least_to_tell = 0.02;

    Seconds all_ = 0;  // 0: not given
    double done_ = 0;
    std::optional<Seconds> left_;
};

}  // namespace eco
