// SPDX-License-Identifier: BSD-3-Clause
// What was timed between pairs of hosts, for one size of message: the few pairs that were visited,
// not a matrix. Filled by the survey (survey.h), turned into matrices by fill.h.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "eco/base/units.h"

namespace eco {

using HostPair = std::pair<int, int>;

// Of one visit. Samples for which the time was up are 0 and do not count; never if there are no
// others.
Seconds least_of(const std::vector<Seconds>& samples);

class Timings {
public:
    explicit Timings(int hosts = 0) : partners_(static_cast<std::size_t>(hosts)) {}

    struct Entry {
        int a, b;                      // a < b
        std::vector<Seconds> samples;  // half round trips, ascending
        int visits = 0;
        Seconds least_median = 0;  // of the visits' medians

        Seconds least() const { return samples.front(); }
        // (median − least) / least, as in a profile.
        double spread() const;
        // By the median of the best visit: others may have been disturbed as a whole.
        double spread_of_best() const { return least_median / least() - 1; }
    };

    int hosts() const { return static_cast<int>(partners_.size()); }
    bool has(int a, int b) const { return find(a, b) != nullptr; }
    const Entry* find(int a, int b) const;
    // Samples that are not positive do not count; one at least must be.
    void add(HostPair pair, const std::vector<Seconds>& samples);
    // Of a pair that is not there: as so many samples with this least and median, in so many
    // visits.
    void restore(HostPair pair, Seconds least, Seconds median, int samples, int visits);

    const std::vector<Entry>& entries() const { return entries_; }
    // Indices into entries() of the pairs of a host.
    const std::vector<int>& of(int host) const { return partners_[static_cast<std::size_t>(host)]; }

private:
    static std::uint64_t key(int a, int b);

    std::vector<Entry> entries_;
    std::unordered_map<std::uint64_t, int> index_;
    std::vector<std::vector<int>> partners_;
};

// Parts of pairs, by index, none of which names a host twice: each part can be timed at once.
// most: of a part; 0: any. As few parts as the busiest host has pairs, nearly.
std::vector<std::vector<std::size_t>> disjoint_parts(const std::vector<HostPair>& pairs, int hosts,
                                                     std::size_t most = 0);

}  // namespace eco
