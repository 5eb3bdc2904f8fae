// SPDX-License-Identifier: BSD-3-Clause
#include "eco/survey/placing.h"

#include <algorithm>

#include "eco/base/at.h"

namespace eco {

namespace {

// So many are tested, as each takes four to twelve rounds.
constexpr std::size_t most_open = 8;
// Clusters that a vertex by itself is tested with.
constexpr std::size_t most_clusters = 3;
// As if so many of its streams with each had been as fast as all of them on average.
constexpr double few_streams = 2;
// Of its port: what a vertex adds to what a cluster sends or gets, if it is none of its hosts.
constexpr double of_its_own = 0.5;
// Of what its vertices carry at most: the mean of a cluster whose streams are held.
constexpr double held_mean = 0.65;

// Clusters of two or more with which the vertex had streams, the fastest on average last.
std::vector<int> likeliest(int vertex, const std::vector<int>& cluster,
                           const std::vector<StreamRate>& seen) {
    const auto members = members_of(cluster);
    std::vector<double> sum(members.size(), 0), count = sum;
    double all = 0, streams = 0;
    for (const StreamRate& stream : seen)
        if (stream.from == vertex || stream.to == vertex) {
            const auto other = at(cluster[at(stream.from == vertex ? stream.to : stream.from)]);
            sum[other] += stream.rate;
            ++count[other];
            all += stream.rate;
            ++streams;
        }
    // Of few streams one that was lucky says little.
    const auto mean = [&](std::size_t c) {
        return (sum[c] + few_streams * all / streams) / (count[c] + few_streams);
    };
    std::vector<std::pair<double, int>> means;
    for (std::size_t c = 0; c < members.size(); ++c)
        if (members[c].size() > 1 && count[c] > 0 && static_cast<int>(c) != cluster[at(vertex)])
            means.emplace_back(mean(c), static_cast<int>(c));
    std::sort(means.begin(), means.end());
    if (means.size() > most_clusters)
        means.erase(means.begin(), means.end() - static_cast<std::ptrdiff_t>(most_clusters));
    std::vector<int> found;
    for (const auto& [mean, id] : means) found.push_back(id);
    return found;
}

}  // namespace

Placing::Placing(std::vector<int> cluster, const std::vector<StreamRate>& seen,
                 const std::vector<UplinkRound>& across)
    : cluster_(std::move(cluster)),
      before_(cluster_),
      ends_(end_rates(static_cast<int>(cluster_.size()), seen)) {
    const auto members = members_of(cluster_);
    // Per cluster the streams that tested it over what their ends carry; per vertex how many, and
    // how many of them were free.
    std::vector<double> sum(members.size(), 0), count = sum;
    std::vector<int> tests(cluster_.size(), 0), free = tests;
    for (const UplinkRound& round : across) {
        for (const StreamRate& each : round.streams) {
            const double x = each.rate / std::max(1e-9, ends_.of(each));
            const auto test = [&](int vertex, const std::vector<int>& tested) {
                const int id = cluster_[at(vertex)];
                if (std::find(tested.begin(), tested.end(), id) == tested.end()) return;
                sum[at(id)] += x;
                ++count[at(id)];
                ++tests[at(vertex)];
                free[at(vertex)] += x >= free_stream ? 1 : 0;
            };
            test(each.from, round.out);
            test(each.to, round.in);
        }
    }
    for (int v = 0; v < static_cast<int>(cluster_.size()) && open_.size() < most_open; ++v) {
        const int own = cluster_[at(v)];
        auto clusters = likeliest(v, cluster_, seen);
        if (members[at(own)].size() == 1) {
            // There must be others to send to.
            std::erase_if(clusters,
                          [&](int id) { return members[at(id)].size() + 1 == cluster_.size(); });
            if (!clusters.empty()) open_.push_back({v, clusters, false});
        } else if (members[at(own)].size() > 2 && tests[at(v)] > 1 && free[at(v)] == tests[at(v)] &&
                   sum[at(own)] < held_mean * count[at(own)]) {
            clusters.push_back(own);
            open_.push_back({v, clusters, true});
        }
    }
}

std::vector<int> Placing::others_of(const Open& open) const {
    std::vector<int> found = members_of(cluster_)[at(open.clusters.back())];
    std::erase(found, open.vertex);
    return found;
}

// In the order of `carried_`: the cluster alone, out and in, then with the vertex.
std::vector<StreamRate> Placing::next(std::mt19937& random) {
    const Open& open = open_.back();
    const bool with = carried_.size() >= 2, out = carried_.size() % 2 == 0;
    std::vector<int> own = others_of(open), others;
    for (int v = 0; v < static_cast<int>(cluster_.size()); ++v)
        if (v != open.vertex && std::find(own.begin(), own.end(), v) == own.end())
            others.push_back(v);
    if (with) {
        // Where there are fewer others: the vertex in any case.
        std::shuffle(own.begin(), own.end(), random);
        own.resize(std::min(own.size(), others.size() - 1));
        own.push_back(open.vertex);
    }
    return out ? streams_between({own}, {others}, random)
               : streams_between({others}, {own}, random);
}

void Placing::take(const std::vector<StreamRate>& round) {
    carried_.push_back(total_rate(round));
    if (carried_.size() == 4) judge();
}

// With the vertex the cluster carried hardly more: one full uplink is before both.
void Placing::judge() {
    Open& open = open_.back();
    const int id = open.clusters.back();
    const double more = carried_[2] + carried_[3] - carried_[0] - carried_[1];
    const bool shares =
        more < of_its_own * (ends_.sends[at(open.vertex)] + ends_.gets[at(open.vertex)]);
    carried_.clear();
    open.clusters.pop_back();
    if (shares) cluster_[at(open.vertex)] = id;
    if (!shares && open.is_member) {
        open.former = id;
        // Some number that no cluster has.
        cluster_[at(open.vertex)] = *std::max_element(cluster_.begin(), cluster_.end()) + 1;
    }
    // Nowhere else either: the test was wrong.
    if (!shares && open.clusters.empty() && open.former >= 0)
        cluster_[at(open.vertex)] = open.former;
    open.is_member = false;
    if (shares || open.clusters.empty()) open_.pop_back();
}

}  // namespace eco
