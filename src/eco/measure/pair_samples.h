// SPDX-License-Identifier: BSD-3-Clause
// The times of each pair of hosts so far, by message size, and the plan of its next visit: which
// sizes, how many round trips, how long. Used by measure_pairs.
#pragma once

#include <functional>
#include <vector>

#include "eco/survey/timings.h"
#include "eco/topology/profile.h"

namespace eco {

// A visit of a pair counts as many round trips of a size as fit into this.
constexpr Seconds time_per_size = 20e-3;

using SizesOf = std::function<std::vector<std::size_t>(HostPair)>;  // indices of profile.sizes

class PairSamples {
public:
    // The profile must outlive it.
    explicit PairSamples(const Profile& profile);

    std::size_t partition_size() const { return partition_size_; }
    int hosts() const { return by_size_.front().hosts(); }
    std::vector<Timings>& by_size() { return by_size_; }
    const std::vector<Timings>& by_size() const { return by_size_; }
    Timings& of_partition() { return by_size_[partition_size_]; }
    const Timings& of_partition() const { return by_size_[partition_size_]; }

    bool has(std::size_t size, HostPair pair) const;
    // Of all sizes that another visit takes.
    bool is_known(HostPair pair) const;
    Seconds least_of(std::size_t size, HostPair pair) const;
    bool is_far(HostPair pair) const;
    // A round trip is longer than what a visit gives a size: what disturbs is little beside it.
    bool is_very_far(HostPair pair) const;
    // Never timed, but as far from some third host as differs by that much.
    bool must_be_very_far(HostPair pair) const;
    // Several of these are timed at once: their short messages are under way most of the time, and
    // take little of any link.
    bool can_be_at_once(HostPair pair) const { return !has(0, pair) && must_be_very_far(pair); }
    bool is_long(std::size_t size) const;

    // Those that were not visited so often yet. Long messages vary little and cost most, and so do
    // pairs that are very far: once is enough.
    SizesOf sizes_of(int repeat) const;
    // Those that were never timed.
    std::vector<std::size_t> sizes_without(HostPair pair) const;

    int most_trips(std::size_t size) const;
    Seconds time_of_another_visit(HostPair pair) const;

private:
    std::vector<std::size_t> sizes_again(HostPair pair) const;
    int visits(std::size_t size, HostPair pair) const;

    const Profile& profile_;
    std::size_t partition_size_;
    std::vector<Timings> by_size_;
};

}  // namespace eco
