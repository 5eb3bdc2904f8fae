// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>
#include <unordered_map>

// Which pairs decide the partition and should be timed again, or others beside them.
#include "eco/base/at.h"
#include "eco/base/median.h"
#include "eco/survey/survey_level.h"

namespace eco {

namespace {

// Of one pair, where the partition depends on it.
constexpr int most_visits = 12;
constexpr int surely_visited = 3;
constexpr double stands_out = 2;  // times what is usual
constexpr double close = 1.02;    // to the least of all
constexpr std::size_t samples_of_visit = 5;
// Of the second visits that are left, for hosts that are alone.
constexpr double share_of_lone = 0.25;

// Pairs of the same two clusters differ a little: where they are so near to the threshold
// (relative), so many are timed.
struct Nearness {
    double most;
    std::size_t pairs;
};
constexpr Nearness nearness[] = {{0.01, 64}, {0.05, 12}};

}  // namespace

std::vector<HostPair> SurveyLevel::maybe_disturbed() {
    struct Between {
        int visits = 0;
        const Timings::Entry* least = nullptr;
    };
    std::vector<Between> between;
    std::unordered_map<std::uint64_t, std::size_t> index;  // by both clusters
    std::vector<std::vector<double>> inside(members_.size());
    for (const auto& entry : timings_.entries()) {
        const int a = vertex_of_[at(entry.a)], b = vertex_of_[at(entry.b)];
        if (a == b) continue;
        const HostPair clusters = std::minmax(cluster_[at(a)], cluster_[at(b)]);
        if (clusters.first == clusters.second) {
            inside[at(clusters.first)].push_back(entry.least());
            continue;
        }
        const auto key = static_cast<std::uint64_t>(clusters.first) << 32 |
                         static_cast<std::uint64_t>(clusters.second);
        const auto [found, fresh] = index.emplace(key, between.size());
        if (fresh) between.emplace_back();
        auto& [visits, least] = between[found->second];
        visits += entry.visits;
        if (!least || entry.least() < least->least()) least = &entry;
    }
    const Seconds longest = disturbance_.most(1);
    std::vector<HostPair> pairs;
    for (const auto& [visits, least] : between) {
        const Seconds excess = least->least() - alike(bar_of(*least));
        if (least->visits >= most_visits || excess > longest) continue;
        if (disturbance_.may_explain(excess, visits)) pairs.emplace_back(least->a, least->b);
    }
    // Hosts whose pairs were all disturbed hold together too, and no better than by what is usual.
    Seconds quickest = unlimited;
    for (const auto& entry : timings_.entries()) quickest = std::min(quickest, entry.least());
    const bool subnets = hosts_of_.size() < vertex_of_.size();
    std::vector<double> usual;
    for (auto& leasts : inside) usual.push_back(upper_median(std::move(leasts)));
    for (const auto& entry : timings_.entries()) {
        const int a = vertex_of_[at(entry.a)], b = vertex_of_[at(entry.b)];
        if (a == b || cluster_[at(a)] != cluster_[at(b)] || entry.visits >= most_visits) continue;
        const Seconds typical = subnets ? usual[at(cluster_[at(a)])] : quickest;
        if (entry.least() > stands_out * typical + settings_.look &&
            disturbance_.may_explain(entry.least() - alike(typical), entry.visits))
            pairs.emplace_back(entry.a, entry.b);
    }
    limit(pairs, allowances_.disturbed);
    return pairs;
}

double SurveyLevel::bar_of(const Timings::Entry& entry) const {
    const int a = vertex_of_[at(entry.a)], b = vertex_of_[at(entry.b)];
    return std::min(
        {least_[at(a)], least_[at(b)], inner_[at(cluster_[at(a)])], inner_[at(cluster_[at(b)])]});
}

std::vector<HostPair> SurveyLevel::unclear() {
    std::vector<double> spreads;
    for (const auto& entry : timings_.entries()) spreads.push_back(entry.spread());
    if (spreads.empty()) return {};
    const auto middle = spreads.begin() + static_cast<std::ptrdiff_t>(spreads.size() / 2);
    std::nth_element(spreads.begin(), middle, spreads.end());
    // Of two whole clusters all pairs together say how far they are apart.
    std::map<HostPair, std::size_t> samples;
    std::map<HostPair, const Timings::Entry*> least;
    const auto clusters_of = [&](const Timings::Entry& entry) -> HostPair {
        return std::minmax(cluster_[at(vertex_of_[at(entry.a)])],
                           cluster_[at(vertex_of_[at(entry.b)])]);
    };
    for (const auto& entry : timings_.entries()) {
        const HostPair between = clusters_of(entry);
        samples[between] += entry.samples.size();
        auto& found = least[between];
        if (!found || entry.least() < found->least()) found = &entry;
    }
    std::vector<HostPair> pairs;
    for (const auto& entry : timings_.entries()) {
        const auto [x, y] = clusters_of(entry);
        if (x == y || entry.visits >= most_visits) continue;
        const bool whole = !is_loose(x, y, entry.least()) && !is_loose(y, x, entry.least());
        if (whole && least[{x, y}] != &entry) continue;
        // As unclear.h: 19 of 20 disturbances that are spread exponentially.
        const double uncertainty =
            4.3 * std::max(entry.spread(), *middle) /
            static_cast<double>(whole ? samples[{x, y}] : entry.samples.size());
        if (entry.least() * (1 - std::min(0.99, uncertainty)) <= alike(bar_of(entry)))
            pairs.emplace_back(entry.a, entry.b);
    }
    const auto sure = least_edges();
    pairs.insert(pairs.end(), sure.begin(), sure.end());
    std::sort(pairs.begin(), pairs.end());
    pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
    limit(pairs, allowances_.again);
    return pairs;
}

std::vector<HostPair> SurveyLevel::lone_hosts() {
    std::vector<HostPair> pairs;
    if (hosts_of_.size() == vertex_of_.size()) return pairs;
    std::vector<std::vector<int>> subnets(at(count_of(subnet_of_)));
    for (std::size_t host = 0; host < subnet_of_.size(); ++host)
        subnets[at(subnet_of_[host])].push_back(static_cast<int>(host));
    for (const auto& alone : subnets) {
        if (alone.size() != 1) continue;
        const int host = alone.front();
        std::vector<char> seen(subnets.size(), 0);
        for (const int entry : timings_.of(host)) {
            const auto& timed = timings_.entries()[at(entry)];
            seen[at(subnet_of_[at(timed.a == host ? timed.b : timed.a)])] = 1;
        }
        for (std::size_t other = 0; other < subnets.size(); ++other)
            if (!seen[other] && subnets[other].size() > 1)
                pairs.push_back(
                    std::minmax(host, subnets[other][random_() % subnets[other].size()]));
    }
    double share = share_of_lone * allowances_.again;
    limit(pairs, share);
    allowances_.again -= static_cast<double>(pairs.size());
    return pairs;
}

std::vector<HostPair> SurveyLevel::least_edges() const {
    std::vector<HostPair> pairs;
    if (hosts_of_.size() == vertex_of_.size()) return pairs;
    for (const auto& entry : timings_.entries()) {
        const int a = vertex_of_[at(entry.a)], b = vertex_of_[at(entry.b)];
        if (a != b && entry.visits < surely_visited &&
            entry.least() <= close * std::max(least_[at(a)], least_[at(b)]))
            pairs.emplace_back(entry.a, entry.b);
    }
    return pairs;
}

std::map<int, std::size_t> SurveyLevel::near_threshold() const {
    std::map<int, std::size_t> wanted;
    const auto want = [&](int edge, std::size_t pairs) {
        auto& most = wanted[edge];
        most = std::max(most, pairs);
    };
    const auto lighter = [&](int x, int y) { return edges_[at(x)].weight < edges_[at(y)].weight; };
    std::vector<int> inside(members_.size(), -1);  // the least edge of each cluster
    for (int e = 0; e < static_cast<int>(edges_.size()); ++e) {
        int& found = inside[at(cluster_[at(edges_[at(e)].a)])];
        if (cluster_[at(edges_[at(e)].a)] == cluster_[at(edges_[at(e)].b)] &&
            (found < 0 || lighter(e, found)))
            found = e;
    }
    for (int e = 0; e < static_cast<int>(edges_.size()); ++e) {
        const auto& [weight, a, b] = edges_[at(e)];
        const double bar = std::min({least_[at(a)], least_[at(b)], inner_[at(cluster_[at(a)])],
                                     inner_[at(cluster_[at(b)])]});
        const double off = std::abs(weight / alike(bar) - 1);
        for (const auto& [most, pairs] : nearness) {
            if (off > most) continue;
            want(e, pairs);
            for (const int end : {a, b}) {
                want(*std::min_element(partners_[at(end)].begin(), partners_[at(end)].end(),
                                       lighter),
                     pairs);
                const int least = inside[at(cluster_[at(end)])];
                if (least >= 0) want(least, pairs);
            }
            break;
        }
    }
    return wanted;
}

std::vector<HostPair> SurveyLevel::more_pairs() {
    std::vector<HostPair> pairs;
    if (hosts_of_.size() == vertex_of_.size()) return pairs;
    struct Timed {
        std::size_t pairs = 0, samples = 0;  // of the least pair's subnets
        const Timings::Entry* least = nullptr;
        std::vector<HostPair> close;  // to the least, and not yet visited often
    };
    std::map<HostPair, Timed> timed;
    for (const auto& entry : timings_.entries()) {
        auto& found = timed[std::minmax(vertex_of_[at(entry.a)], vertex_of_[at(entry.b)])];
        if (!found.least || entry.least() < found.least->least()) found.least = &entry;
    }
    const auto subnets_of = [&](int a, int b) -> HostPair {
        return std::minmax(subnet_of_[at(a)], subnet_of_[at(b)]);
    };
    for (const auto& entry : timings_.entries()) {
        auto& found = timed[std::minmax(vertex_of_[at(entry.a)], vertex_of_[at(entry.b)])];
        if (subnets_of(entry.a, entry.b) != subnets_of(found.least->a, found.least->b)) continue;
        ++found.pairs;
        found.samples += entry.samples.size();
        if (entry.visits < most_visits && entry.least() <= close * found.least->least())
            found.close.emplace_back(entry.a, entry.b);
    }
    for (const auto& [edge, enough] : near_threshold()) {
        auto& [so_far, samples, least, again] =
            timed[std::minmax(edges_[at(edge)].a, edges_[at(edge)].b)];
        const auto one = hosts_beside(least->a), two = hosts_beside(least->b);
        const std::size_t most = std::min(enough, one.size() * two.size());
        // Where there are no others, these again: the least of as many samples says as much.
        if (so_far >= most && samples < enough * samples_of_visit)
            pairs.insert(pairs.end(), again.begin(), again.end());
        std::set<HostPair> chosen;
        for (std::size_t tries = 0; so_far < most && tries < 4 * enough; ++tries) {
            const HostPair pair =
                std::minmax(one[random_() % one.size()], two[random_() % two.size()]);
            if (timings_.has(pair.first, pair.second) || !chosen.insert(pair).second) continue;
            ++so_far;
            pairs.push_back(pair);
        }
    }
    limit(pairs, allowances_.again);
    return pairs;
}

std::vector<int> SurveyLevel::hosts_beside(int host) const {
    std::vector<int> found;
    for (const int other : hosts_of_[at(vertex_of_[at(host)])])
        if (subnet_of_[at(other)] == subnet_of_[at(host)]) found.push_back(other);
    return found;
}

void SurveyLevel::limit(std::vector<HostPair>& pairs, double& allowance) {
    if (static_cast<double>(pairs.size()) > allowance) {
        std::shuffle(pairs.begin(), pairs.end(), random_);
        pairs.resize(static_cast<std::size_t>(std::max(0.0, allowance)));
    }
    allowance -= static_cast<double>(pairs.size());
}

}  // namespace eco
