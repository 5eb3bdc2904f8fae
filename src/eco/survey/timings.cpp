// SPDX-License-Identifier: BSD-3-Clause
#include "eco/survey/timings.h"

#include <algorithm>

#include "eco/base/check.h"
#include "eco/base/median.h"

namespace eco {

Seconds least_of(const std::vector<Seconds>& samples) {
    Seconds least = never;
    for (const Seconds sample : samples)
        if (sample > 0) least = std::min(least, sample);
    return least;
}

double Timings::Entry::spread() const {
    return (samples[samples.size() / 2] - samples.front()) / samples.front();
}

std::uint64_t Timings::key(int a, int b) {
    const auto [low, high] = std::minmax(a, b);
    return static_cast<std::uint64_t>(low) << 32 | static_cast<std::uint64_t>(high);
}

const Timings::Entry* Timings::find(int a, int b) const {
    const auto found = index_.find(key(a, b));
    return found == index_.end() ? nullptr : &entries_[static_cast<std::size_t>(found->second)];
}

void Timings::add(HostPair pair, const std::vector<Seconds>& samples) {
    const auto [a, b] = std::minmax(pair.first, pair.second);
    const auto [found, fresh] = index_.emplace(key(a, b), static_cast<int>(entries_.size()));
    if (fresh) {
        entries_.push_back({a, b, {}});
        partners_[static_cast<std::size_t>(a)].push_back(found->second);
        partners_[static_cast<std::size_t>(b)].push_back(found->second);
    }
    Entry& entry = entries_[static_cast<std::size_t>(found->second)];
    ++entry.visits;
    std::vector<Seconds> visit;
    for (const Seconds sample : samples)
        if (sample > 0) visit.push_back(sample);
    if (!visit.empty()) {
        const Seconds median = upper_median(visit);
        entry.least_median = entry.samples.empty() ? median : std::min(entry.least_median, median);
    }
    entry.samples.insert(entry.samples.end(), visit.begin(), visit.end());
    std::sort(entry.samples.begin(), entry.samples.end());
    ECO_CHECK(!entry.samples.empty());
}

void Timings::restore(HostPair pair, Seconds least, Seconds median, int samples, int visits) {
    std::vector<Seconds> all(static_cast<std::size_t>(samples), median);
    all.front() = least;
    add(pair, all);
    entries_.back().visits = visits;
}

std::vector<std::vector<std::size_t>> disjoint_parts(const std::vector<HostPair>& pairs, int hosts,
                                                     std::size_t most) {
    // Each host's pairs still to come; those of the busiest go first.
    std::vector<int> waiting(static_cast<std::size_t>(hosts), 0);
    const auto busy = [&](std::size_t pair) {
        return std::max(waiting[static_cast<std::size_t>(pairs[pair].first)],
                        waiting[static_cast<std::size_t>(pairs[pair].second)]);
    };
    std::vector<std::size_t> open(pairs.size());
    for (std::size_t i = 0; i < pairs.size(); ++i) {
        open[i] = i;
        ++waiting[static_cast<std::size_t>(pairs[i].first)];
        ++waiting[static_cast<std::size_t>(pairs[i].second)];
    }
    std::vector<std::vector<std::size_t>> parts;
    std::vector<std::size_t> taken(static_cast<std::size_t>(hosts), 0);
    while (!open.empty()) {
        std::stable_sort(open.begin(), open.end(),
                         [&](std::size_t x, std::size_t y) { return busy(x) > busy(y); });
        auto& part = parts.emplace_back();
        std::vector<std::size_t> rest;
        for (const std::size_t i : open) {
            auto& a = taken[static_cast<std::size_t>(pairs[i].first)];
            auto& b = taken[static_cast<std::size_t>(pairs[i].second)];
            if (a == parts.size() || b == parts.size() || (most > 0 && part.size() == most)) {
                rest.push_back(i);
                continue;
            }
            a = b = parts.size();
            part.push_back(i);
        }
        for (const std::size_t i : part) {
            --waiting[static_cast<std::size_t>(pairs[i].first)];
            --waiting[static_cast<std::size_t>(pairs[i].second)];
        }
        open = std::move(rest);
    }
    return parts;
}

}  // namespace eco
