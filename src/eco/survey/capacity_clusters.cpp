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

// What the streams between two vertices say for being in one cluster, in nats.
struct Tie {
    int other = 0;
    double nats = 0;
};
// Per vertex, by the other one's number.
using Ties = std::vector<Tie>;
using Evidence = std::vector<Ties>;

Ties::iterator tie_with(Ties& ties, int other) {
    return std::lower_bound(ties.begin(), ties.end(), other,
                            [](const Tie& each, int id) { return each.other < id; });
}

// A partition that grows from single vertices: the two clusters with most evidence become one.
std::vector<int> agglomerate(const Evidence& evidence) {
    Evidence between = evidence;
    std::vector<int> cluster(evidence.size());
    std::iota(cluster.begin(), cluster.end(), 0);
    using Pair = std::tuple<double, int, int>;
    std::priority_queue<Pair> queue;
    for (int a = 0; a < static_cast<int>(between.size()); ++a)
        for (const auto& [b, nats] : between[at(a)])
            if (a < b && nats > joins) queue.emplace(nats, -a, -b);
    Ties both;
    while (!queue.empty()) {
        const auto [nats, minus_a, minus_b] = queue.top();
        queue.pop();
        const int a = -minus_a, b = -minus_b;
        Ties &of_a = between[at(a)], &of_b = between[at(b)];
        const auto current = tie_with(of_a, b);
        if (current == of_a.end() || current->other != b || current->nats != nats) continue;
        both.clear();
        auto next = of_a.begin();
        for (const auto& [other, more] : of_b) {
            if (other == a) continue;
            for (; next != of_a.end() && next->other < other; ++next)
                if (next->other != b) both.push_back(*next);
            const bool is_known = next != of_a.end() && next->other == other;
            const double sum = is_known ? next->nats + more : more;
            if (is_known) ++next;
            both.push_back({other, sum});
            Ties& back = between[at(other)];
            back.erase(tie_with(back, b));
            const auto place = tie_with(back, a);
            if (is_known)
                place->nats = sum;
            else
                back.insert(place, {a, sum});
            if (sum > joins) queue.emplace(sum, -std::min(a, other), -std::max(a, other));
        }
        for (; next != of_a.end(); ++next)
            if (next->other != b) both.push_back(*next);
        of_a.swap(both);
        of_b.clear();
        for (int& each : cluster)
            if (each == b) each = a;
    }
    return cluster;
}

std::map<int, double> by_cluster(const Evidence& evidence, const std::vector<int>& cluster, int v) {
    std::map<int, double> sums;
    for (const auto& [other, nats] : evidence[at(v)]) sums[cluster[at(other)]] += nats;
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

// Streams as learning sees them, which is the same in all of its steps.
struct Seen {
    Seen(int vertices, const std::vector<StreamRate>& streams);

    // What each stream says, summed for both of its ends.
    Evidence evidence(const std::vector<double>& nats) const;

    int vertices;
    std::vector<double> x, of_usual;         // per stream; over_ends and over_usual
    std::vector<std::size_t> bin;            // per stream, of x
    std::vector<std::size_t> pair;           // per stream, in `pairs`
    std::vector<std::pair<int, int>> pairs;  // of vertices, in order; the lower number first
};

Seen::Seen(int count, const std::vector<StreamRate>& streams)
    : vertices(count), x(over_ends(count, streams)), of_usual(over_usual(count, streams)) {
    for (const double each : x) bin.push_back(bin_of(each));
    for (const StreamRate& each : streams) pairs.push_back(std::minmax(each.from, each.to));
    const auto of_streams = pairs;
    std::sort(pairs.begin(), pairs.end());
    pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
    for (const auto& each : of_streams)
        pair.push_back(static_cast<std::size_t>(std::lower_bound(pairs.begin(), pairs.end(), each) -
                                                pairs.begin()));
}

Evidence Seen::evidence(const std::vector<double>& nats) const {
    std::vector<double> sums(pairs.size(), 0);
    for (std::size_t s = 0; s < nats.size(); ++s) sums[pair[s]] += nats[s];
    Evidence found(at(vertices));
    for (std::size_t i = 0; i < pairs.size(); ++i) {
        const auto [a, b] = pairs[i];
        found[at(a)].push_back({b, sums[i]});
        found[at(b)].push_back({a, sums[i]});
    }
    return found;
}

double nats_for(double as_inside, double as_across) {
    return std::log(((1 - held_inside) * as_inside + held_inside * as_across) / as_across);
}

// What each stream says for being inside, where p and q are how fast streams inside and across are.
std::vector<double> nats_of(const Seen& seen, const Histogram& p, const Histogram& q) {
    Histogram of_bin{};
    for (std::size_t b = 0; b < bins; ++b) of_bin[b] = nats_for(p[b], q[b]);
    const double as_inside = from_bin(p, bin_of(free_stream));
    std::vector<double> found;
    for (std::size_t s = 0; s < seen.x.size(); ++s) {
        if (seen.of_usual[s] >= usual_port) {
            found.push_back(of_bin[seen.bin[s]]);
            continue;
        }
        // A slow port's streams across are free as soon as they get that little.
        // No likelier across than inside: of the slowest ports all streams are alike.
        const double as_across =
            std::min(as_inside, from_bin(q, bin_of(free_stream * seen.of_usual[s])));
        found.push_back(seen.x[s] < free_stream ? nats_for(1 - as_inside, 1 - as_across)
                                                : nats_for(as_inside, as_across));
    }
    return found;
}

// free_across: of the streams across, so many are taken to be as fast as those inside, at first.
Learned learn(const Seen& seen, double free_across) {
    std::vector<double> inside;
    for (const double each : seen.x)
        inside.push_back((1 - free_across) * std::clamp((each - 0.5) / 0.5, 0.02, 0.98));
    Learned found;
    const auto is_inside = [&](std::size_t s) {
        const auto [a, b] = seen.pairs[seen.pair[s]];
        return found.cluster[at(a)] == found.cluster[at(b)];
    };
    for (int step = 0; step < most_steps; ++step) {
        Histogram within{}, across{};
        for (std::size_t s = 0; s < seen.x.size(); ++s) {
            if (seen.of_usual[s] < usual_port) continue;
            within[seen.bin[s]] += inside[s];
            across[seen.bin[s]] += 1 - inside[s];
        }
        found.evidence = seen.evidence(nats_of(seen, smooth(within), smooth(across)));
        auto next = agglomerate(found.evidence);
        move_single(found.evidence, next);
        next = numbered(next);
        if (next == found.cluster) break;
        found.cluster = std::move(next);
        for (std::size_t s = 0; s < seen.x.size(); ++s)
            inside[s] = is_inside(s) ? surely : 1 - surely;
    }
    Histogram within{}, across{};
    for (std::size_t s = 0; s < seen.x.size(); ++s)
        (is_inside(s) ? within : across)[seen.bin[s]] += 1;
    found.score = likelihood(within) + likelihood(across);
    const int count = *std::max_element(found.cluster.begin(), found.cluster.end()) + 1;
    found.score -= seen.vertices * std::log(count);
    return found;
}

}  // namespace

CapacityClusters cluster_by_rates(int vertices, const std::vector<StreamRate>& streams) {
    const Seen seen(vertices, streams);
    Learned best = learn(seen, first_guesses.front());
    for (std::size_t g = 1; g < first_guesses.size(); ++g) {
        Learned other = learn(seen, first_guesses[g]);
        if (other.score > best.score) best = std::move(other);
    }
    const auto& [cluster, evidence, score] = best;
    Histogram all{};
    for (const std::size_t bin : seen.bin) all[bin] += 1;
    CapacityClusters result{cluster, std::vector<int>(at(vertices), -1), score - likelihood(all)};
    const auto count = at(result.count());
    std::vector<int> size(count, 0);
    for (const int id : cluster) ++size[at(id)];
    // Of vertices with clusters, and of clusters with each other.
    std::vector<std::vector<double>> of_vertex(at(vertices), std::vector<double>(count, 0)),
        of_cluster(count, std::vector<double>(count, 0));
    for (int v = 0; v < vertices; ++v)
        for (const auto& [other, nats] : evidence[at(v)]) {
            of_vertex[at(v)][at(cluster[at(other)])] += nats;
            of_cluster[at(cluster[at(v)])][at(cluster[at(other)])] += nats;
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
