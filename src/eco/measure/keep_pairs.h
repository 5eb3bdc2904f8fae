// SPDX-License-Identifier: BSD-3-Clause
// Reports the pairs timed so far to the `eco` command, so that nothing is lost if a host dies; and
// reads what an earlier run reported (survey/kept.h). Used by measure_pairs on rank 0.
#pragma once

#include <chrono>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "eco/survey/kept.h"
#include "eco/topology/profile.h"

namespace eco {

class KeepPairs {
public:
    // timings: one per size; both outlive this.
    KeepPairs(const Profile& profile, std::vector<Timings>& timings)
        : profile_(profile), timings_(timings) {}

    // What an earlier run told; empty: nothing. wanted: how many pairs are to be timed. Says how
    // many of them are known now, or why none is taken up.
    void take_up(const std::string& text, std::size_t wanted);

    // The pair has been timed with this size.
    void note(std::size_t size, HostPair pair);
    // Tells what was noted since the last time, at most every two seconds, unless it is the last.
    void tell(bool last = false);

private:
    using Clock = std::chrono::steady_clock;

    const Profile& profile_;
    std::vector<Timings>& timings_;
    std::set<std::pair<std::size_t, HostPair>> noted_;
    Clock::time_point told_{};
};

}  // namespace eco
