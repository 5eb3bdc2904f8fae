// SPDX-License-Identifier: BSD-3-Clause
#include "eco/survey/fill.h"

#include <algorithm>
#include <map>
#include <set>

#include "eco/base/at.h"
#include "eco/base/check.h"
#include "eco/base/median.h"

namespace eco {

namespace {

// So many subnets beside each other are all compared with long messages.
constexpr std::size_t few_subnets = 8;

using Clusters = std::vector<std::vector<int>>;  // hosts of each

Clusters clusters_of(const std::vector<int>& level) {
    Clusters found;
    for (std::size_t host = 0; host < level.size(); ++host) {
        if (at(level[host]) >= found.size()) found.resize(at(level[host]) + 1);
        found[at(level[host])].push_back(static_cast<int>(host));
    }
    return found;
}

struct Figures {
    Seconds least = 0;
    double spread = 0;
};

class Filling {
public:
    Filling(const std::vector<Timings>& timings, std::size_t by, const Levels& levels,
            SpreadOf spread_of)
        : timings_(timings), by_(by), levels_(levels), spread_of_(spread_of) {
        for (const auto& timing : timings) medians_.push_back(medians(timing));
    }

    Filled run() {
        const int hosts = timings_.front().hosts();
        Filled filled;
        for (std::size_t size = 0; size < timings_.size(); ++size) {
            Matrix& minimum = filled.minimum.emplace_back(hosts);
            Matrix& spread = filled.spread.emplace_back(hosts);
            std::map<HostPair, Figures> of_subnets;
            const auto& subnet = levels_.back();
            for (int a = 0; a < hosts; ++a)
                for (int b = a + 1; b < hosts; ++b) {
                    const auto [found, fresh] =
                        of_subnets.try_emplace(std::minmax(subnet[at(a)], subnet[at(b)]));
                    if (fresh) found->second = inferred(size, a, b);
                    minimum.set(a, b, found->second.least);
                    spread.set(a, b, found->second.spread);
                }
            for (const auto& entry : timings_[size].entries()) {
                minimum.set(entry.a, entry.b, entry.least());
                spread.set(entry.a, entry.b, own_spread(entry));
            }
        }
        return filled;
    }

private:
    // By level, finest last, and one more, of all hosts; by two clusters.
    using Medians = std::vector<std::map<HostPair, Figures>>;

    double own_spread(const Timings::Entry& entry) const {
        return spread_of_ == SpreadOf::all_visits ? entry.spread() : entry.spread_of_best();
    }

    HostPair clusters(std::size_t level, int a, int b) const {
        if (level == 0) return {0, 0};
        return std::minmax(levels_[level - 1][at(a)], levels_[level - 1][at(b)]);
    }

    Medians medians(const Timings& timing) const {
        Medians found(levels_.size() + 1);
        const Clusters subnets = clusters_of(levels_.back());
        const auto is_alone = [&](int host) {
            return subnets[at(levels_.back()[at(host)])].size() == 1;
        };
        for (std::size_t level = 0; level < found.size(); ++level) {
            std::map<HostPair, std::vector<double>> least, spread;
            for (const auto& entry : timing.entries()) {
                // A slow host is compared with most subnets, and says nothing of others.
                if (level > 0 && level < levels_.size() && (is_alone(entry.a) || is_alone(entry.b)))
                    continue;
                least[clusters(level, entry.a, entry.b)].push_back(entry.least());
                spread[clusters(level, entry.a, entry.b)].push_back(own_spread(entry));
            }
            for (auto& [between, values] : least)
                found[level][between] = {upper_median(values), upper_median(spread[between])};
        }
        return found;
    }

    // The narrowest level at which the pair's clusters were timed; -1: none.
    int narrowest(std::size_t size, int a, int b) const {
        for (std::size_t level = levels_.size() + 1; level-- > 0;)
            if (medians_[size][level].contains(clusters(level, a, b)))
                return static_cast<int>(level);
        return -1;
    }

    Figures inferred(std::size_t size, int a, int b) const {
        const int level = narrowest(size, a, b);
        ECO_CHECK(level >= 0);
        const auto own = at(level);
        Figures found = medians_[size][own].at(clusters(own, a, b));
        // Nearer ones have the survey's size: then as much more or less as elsewhere.
        const int nearer = narrowest(by_, a, b);
        if (nearer > level)
            found.least *= medians_[by_][at(nearer)].at(clusters(at(nearer), a, b)).least /
                           medians_[by_][own].at(clusters(own, a, b)).least;
        return found;
    }

    const std::vector<Timings>& timings_;
    std::size_t by_;
    const Levels& levels_;
    SpreadOf spread_of_;
    std::vector<Medians> medians_;
};

}  // namespace

std::vector<HostPair> pairs_for_all_sizes(const Timings& timings, const Levels& levels) {
    std::vector<HostPair> pairs;
    const auto subnets = clusters_of(levels.back());
    for (const auto& hosts : subnets) {
        // Of three hosts the slow one is in two pairs.
        if (hosts.size() == 3) pairs.emplace_back(hosts[1], hosts[2]);
        for (std::size_t i = 0; i < hosts.size(); i += 2) {
            if (hosts.size() < 2) break;
            const bool last = i + 1 == hosts.size();
            pairs.push_back(std::minmax(last ? hosts.front() : hosts[i + 1], hosts[i]));
        }
    }
    // The nearest pair that was timed; else any.
    const auto join = [&](const std::vector<int>& one, const std::vector<int>& two) {
        const Timings::Entry* nearest = nullptr;
        for (const int host : one)
            for (const int index : timings.of(host)) {
                const auto& entry = timings.entries()[at(index)];
                const int other = entry.a == host ? entry.b : entry.a;
                if (std::find(two.begin(), two.end(), other) == two.end()) continue;
                if (!nearest || entry.least() < nearest->least()) nearest = &entry;
            }
        pairs.push_back(nearest ? HostPair(nearest->a, nearest->b)
                                : HostPair(std::minmax(one.front(), two.front())));
    };
    // The wider levels of a few may turn out to be others.
    if (subnets.size() <= few_subnets)
        for (std::size_t i = 0; i < subnets.size(); ++i)
            for (std::size_t j = i + 1; j < subnets.size(); ++j) join(subnets[i], subnets[j]);
    for (std::size_t level = 0; level < levels.size(); ++level) {
        // Parts of one cluster of the level above.
        std::map<int, Clusters> siblings;
        for (auto& hosts : clusters_of(levels[level])) {
            const int above = level == 0 ? 0 : levels[level - 1][at(hosts.front())];
            siblings[above].push_back(std::move(hosts));
        }
        for (const auto& [above, parts] : siblings)
            for (std::size_t i = 0; i < parts.size(); ++i)
                for (std::size_t j = i + 1; j < parts.size(); ++j)
                    if (parts.size() <= few_subnets || j == i + 1 ||
                        (i == 0 && j + 1 == parts.size()))
                        join(parts[i], parts[j]);
    }
    std::set<HostPair> seen;
    std::erase_if(pairs, [&](HostPair pair) { return !seen.insert(pair).second; });
    return pairs;
}

Filled fill(const std::vector<Timings>& timings, std::size_t by, const Levels& levels,
            SpreadOf spread_of) {
    return Filling(timings, by, levels, spread_of).run();
}

}  // namespace eco
