// SPDX-License-Identifier: BSD-3-Clause
#include "eco/survey/capacity_clusters.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <queue>
#include <set>
#include <tuple>

#include "eco/base/at.h"

namespace eco {

namespace {

constexpr std::size_t bins = 12;
constexpr double highest = 1.2;  // of what the ends carry: buckets let some pass at once
constexpr int most_steps = 12, most_moves = 8;
// Evidence for one cluster, in nats, that two need to become one.
constexpr double joins = 1;
// A stream of one cluster is surely inside, after the first step.
constexpr double surely = 0.95;
// Evidence for the place of a vertex, or against that of two clusters being one, in nats.
constexpr double least_clear = 3;
// Few vertices beside a larger cluster: one whose confirmations waited behind other streams a few
// times looks as if it were elsewhere (1 of 8 measurements of leaf-4x4). So many times as much.
constexpr double clear_of_few = 4;
// So many streams inside are as slow as those across, whatever was seen: confirmations wait behind
// other streams, and one host may be slow to answer (a fifth on leaf-2x4 at 30 Mbit/s).
constexpr double held_inside = 0.2;
// Of what most ends carry: an end that carries less tells inside from across less well.
constexpr double usual_port = 0.85;
// Of the streams across so many may find their way free: the less what is shared is short, the
// more. What explains the rates best counts.
constexpr std::array<double, 4> first_guesses{0, 0.25, 0.5, 0.7};

using Histogram = std::array<double, bins>;

std::size_t bin_of(double x) {
    const auto place = static_cast<std::size_t>(std::max(0.0, x / highest * bins));
    return std::min(bins - 1, place);
}

// Neighbouring bins share what they have, as streams are few.
Histogram smooth(const Histogram& raw) {
    Histogram found{};
    double sum = 0;
    for (std::size_t b = 0; b < bins; ++b) {
        const double below = raw[b > 0 ? b - 1 : b], above = raw[b + 1 < bins ? b + 1 : b];
        found[b] = (below + 2 * raw[b] + above) / 4 + 0.25;
        sum += found[b];
    }
    for (double& each : found) each /= sum;
    return found;
}

// What is in this bin and all above.
double from_bin(const Histogram& of, std::size_t bin) {
    return std::accumulate(of.begin() + static_cast<std::ptrdiff_t>(bin), of.end(), 0.0);
}

// Per vertex what its streams say for being in one cluster with others, in nats.
using Evidence = std::vector<std::map<int, double>>;

// A partition that grows from single vertices: the two clusters with most evidence become one.
std::vector<int> agglomerate(const Evidence& evidence) {
    Evidence between = evidence;
    std::vector<int> cluster(evidence.size());
    std::iota(cluster.begin(), cluster.end(), 0);
    using Pair = std::tuple<double, int, int>;
    std::priority_queue<Pair> queue;
    for (int a = 0; a < static_cast<int>(between.size()); ++a)
        for (const auto& [b, weight] : between[at(a)])
            if (a < b && weight > joins) queue.emplace(weight, -a, -b);
    while (!queue.empty()) {
        const auto [weight, minus_a, minus_b] = queue.top();
        queue.pop();
        const int a = -minus_a, b = -minus_b;
        const auto current = between[at(a)].find(b);
        if (current == between[at(a)].end() || current->second != weight) continue;
        for (const auto& [other, more] : std::map<int, double>(between[at(b)])) {
            between[at(other)].erase(b);
            if (other == a) continue;
            const double sum = between[at(a)][other] += more;
            between[at(other)][a] = sum;
            if (sum > joins) queue.emplace(sum, -std::min(a, other), -std::max(a, other));
        }
        between[at(b)].clear();
        for (int& each : cluster)
            if (each == b) each = a;
    }
    return cluster;
}

std::map<int, double> by_cluster(const Evidence& evidence, const std::vector<int>& cluster, int v) {
    std::map<int, double> sums;
    for (const auto& [other, weight] : evidence[at(v)]) sums[cluster[at(other)]] += weight;
    return sums;
}

// One vertex after the other to the cluster that explains it best.
void move_single(const Evidence& evidence, std::vector<int>& cluster) {
    for (int turn = 0; turn < most_moves; ++turn) {
        bool moved = false;
        for (int v = 0; v < static_cast<int>(cluster.size()); ++v) {
            const auto sums = by_cluster(evidence, cluster, v);
            const auto own = sums.find(cluster[at(v)]);
            int best = -1;
            double most = std::max(joins, own == sums.end() ? 0 : own->second);
            for (const auto& [id, sum] : sums)
                if (id != cluster[at(v)] && sum > most) {
                    most = sum;
                    best = id;
                }
            const bool alone = own != sums.end() && own->second < 0;
            if (best < 0 && alone) {
                // Some number that no cluster has.
                const std::set<int> used(cluster.begin(), cluster.end());
                best = 0;
                while (used.contains(best)) ++best;
            }
            if (best < 0) continue;
            cluster[at(v)] = best;
            moved = true;
        }
        if (!moved) return;
    }
}

}  // namespace

std::vector<int> numbered(const std::vector<int>& cluster) {
    std::map<int, int> number;
    std::vector<int> found;
    for (const int id : cluster)
        found.push_back(number.emplace(id, static_cast<int>(number.size())).first->second);
    return found;
}

std::vector<std::vector<int>> members_of(const std::vector<int>& cluster) {
    std::vector<std::vector<int>> found;
    for (std::size_t v = 0; v < cluster.size(); ++v) {
        found.resize(std::max(found.size(), at(cluster[v]) + 1));
        found[at(cluster[v])].push_back(static_cast<int>(v));
    }
    return found;
}

int CapacityClusters::count() const {
    return cluster.empty() ? 0 : *std::max_element(cluster.begin(), cluster.end()) + 1;
}

int CapacityClusters::count_unclear() const {
    return static_cast<int>(
        std::count_if(maybe.begin(), maybe.end(), [](int id) { return id >= 0; }));
}

double EndRates::of(const StreamRate& stream) const {
    return std::min(sends[at(stream.from)], gets[at(stream.to)]);
}

EndRates end_rates(int vertices, const std::vector<StreamRate>& streams) {
    EndRates found{std::vector<double>(at(vertices), 0), std::vector<double>(at(vertices), 0)};
    for (const auto& [from, to, rate] : streams) {
        found.sends[at(from)] = std::max(found.sends[at(from)], rate);
        found.gets[at(to)] = std::max(found.gets[at(to)], rate);
    }
    return found;
}

double total_rate(const std::vector<StreamRate>& streams) {
    double sum = 0;
    for (const StreamRate& each : streams) sum += each.rate;
    return sum;
}

std::vector<double> over_ends(int vertices, const std::vector<StreamRate>& streams) {
    const EndRates ends = end_rates(vertices, streams);
    std::vector<double> found;
    for (const StreamRate& each : streams) {
        const double most = ends.of(each);
        found.push_back(most > 0 ? each.rate / most : 0);
    }
    return found;
}

namespace {

// Per stream what its ends carry over what the ends of half of the streams do, 1 at most.
std::vector<double> over_usual(int vertices, const std::vector<StreamRate>& streams) {
    const EndRates ends = end_rates(vertices, streams);
    std::vector<double> found;
    for (const StreamRate& each : streams) found.push_back(ends.of(each));
    std::vector<double> sorted = found;
    const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
    std::nth_element(sorted.begin(), middle, sorted.end());
    for (double& each : found) each = *middle > 0 ? std::min(1.0, each / *middle) : 1;
    return found;
}

struct Learned {
    std::vector<int> cluster;
    Evidence evidence;
    double score =
        0;  // nats: how well the rates are explained, less what it takes to name clusters
};

double likelihood(const Histogram& raw) {
    const Histogram p = smooth(raw);
    double sum = 0;
    for (std::size_t b = 0; b < bins; ++b) sum += raw[b] * std::log(p[b]);
    return sum;
}

// free_across: of the streams across, so many are taken to be as fast as those inside, at first.
// of_usual: of each stream, what its ends carry over what most ends do, 1 at most.
Learned learn(int vertices, const std::vector<StreamRate>& streams, const std::vector<double>& x,
              const std::vector<double>& of_usual, double free_across) {
    std::vector<double> inside;
    for (const double each : x)
        inside.push_back((1 - free_across) * std::clamp((each - 0.5) / 0.5, 0.02, 0.98));
    Learned found;
    for (int step = 0; step < most_steps; ++step) {
        Histogram within{}, across{};
        for (std::size_t s = 0; s < streams.size(); ++s) {
            if (of_usual[s] < usual_port) continue;
            within[bin_of(x[s])] += inside[s];
            across[bin_of(x[s])] += 1 - inside[s];
        }
        const Histogram p = smooth(within), q = smooth(across);
        found.evidence.assign(at(vertices), {});
        for (std::size_t s = 0; s < streams.size(); ++s) {
            double as_inside = p[bin_of(x[s])], as_across = q[bin_of(x[s])];
            // A slow port's streams across are free as soon as they get that little.
            if (of_usual[s] < usual_port) {
                as_inside = from_bin(p, bin_of(free_stream));
                // No likelier across than inside: of the slowest ports all streams are alike.
                as_across = std::min(as_inside, from_bin(q, bin_of(free_stream * of_usual[s])));
                if (x[s] < free_stream) {
                    as_inside = 1 - as_inside;
                    as_across = 1 - as_across;
                }
            }
            const double nats =
                std::log(((1 - held_inside) * as_inside + held_inside * as_across) / as_across);
            found.evidence[at(streams[s].from)][streams[s].to] += nats;
            found.evidence[at(streams[s].to)][streams[s].from] += nats;
        }
        auto next = agglomerate(found.evidence);
        move_single(found.evidence, next);
        next = numbered(next);
        if (next == found.cluster) break;
        found.cluster = std::move(next);
        const auto is_inside = [&](std::size_t s) {
            return found.cluster[at(streams[s].from)] == found.cluster[at(streams[s].to)];
        };
        for (std::size_t s = 0; s < streams.size(); ++s)
            inside[s] = is_inside(s) ? surely : 1 - surely;
    }
    Histogram within{}, across{};
    for (std::size_t s = 0; s < streams.size(); ++s)
        (found.cluster[at(streams[s].from)] == found.cluster[at(streams[s].to)]
             ? within
             : across)[bin_of(x[s])] += 1;
    found.score = likelihood(within) + likelihood(across);
    const int count = *std::max_element(found.cluster.begin(), found.cluster.end()) + 1;
    found.score -= vertices * std::log(count);
    return found;
}

}  // namespace

CapacityClusters cluster_by_rates(int vertices, const std::vector<StreamRate>& streams) {
    const std::vector<double> x = over_ends(vertices, streams);
    const std::vector<double> of_usual = over_usual(vertices, streams);
    Learned best = learn(vertices, streams, x, of_usual, first_guesses.front());
    for (std::size_t g = 1; g < first_guesses.size(); ++g) {
        Learned other = learn(vertices, streams, x, of_usual, first_guesses[g]);
        if (other.score > best.score) best = std::move(other);
    }
    const auto& [cluster, evidence, score] = best;
    Histogram all{};
    for (const double each : x) all[bin_of(each)] += 1;
    CapacityClusters result{cluster, std::vector<int>(at(vertices), -1), score - likelihood(all)};
    const auto count = at(result.count());
    std::vector<int> size(count, 0);
    for (const int id : cluster) ++size[at(id)];
    // Of vertices with clusters, and of clusters with each other.
    std::vector<std::vector<double>> of_vertex(at(vertices), std::vector<double>(count, 0)),
        of_cluster(count, std::vector<double>(count, 0));
    for (int v = 0; v < vertices; ++v)
        for (const auto& [other, weight] : evidence[at(v)]) {
            of_vertex[at(v)][at(cluster[at(other)])] += weight;
            of_cluster[at(cluster[at(v)])][at(cluster[at(other)])] += weight;
        }
    const double clear = std::max(least_clear, std::log(vertices * static_cast<double>(count)));
    const auto likeliest = [&](const std::vector<double>& nats, int own) {
        int found = -1;
        for (int id = 0; id < static_cast<int>(count); ++id)
            if (id != own && size[at(id)] >= std::max(2, size[at(own)]) &&
                (found < 0 || nats[at(id)] > nats[at(found)]))
                found = id;
        return found;
    };
    for (int v = 0; v < vertices; ++v) {
        const int own = cluster[at(v)];
        const int whole = likeliest(of_cluster[at(own)], own);
        const double enough =
            whole >= 0 && 2 * size[at(own)] <= size[at(whole)] ? clear_of_few * clear : clear;
        if (whole >= 0 && of_cluster[at(own)][at(whole)] > -enough) result.maybe[at(v)] = whole;
        // Evidence for its own cluster counts for the vertex, not only that against the other.
        int other = -1;
        for (int id = 0; id < static_cast<int>(count); ++id)
            if (id != own && size[at(id)] > 1 &&
                (other < 0 || of_vertex[at(v)][at(id)] > of_vertex[at(v)][at(other)]))
                other = id;
        if (other >= 0 && size[at(own)] > 1 &&
            of_vertex[at(v)][at(own)] - of_vertex[at(v)][at(other)] < clear)
            result.maybe[at(v)] = other;
    }
    return result;
}

}  // namespace eco
