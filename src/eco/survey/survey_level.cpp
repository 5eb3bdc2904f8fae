// SPDX-License-Identifier: BSD-3-Clause
#include "eco/survey/survey_level.h"

#include <algorithm>
#include <set>

#include "eco/base/at.h"

namespace eco {

int count_of(const std::vector<int>& cluster) {
    return cluster.empty() ? 0 : *std::max_element(cluster.begin(), cluster.end()) + 1;
}

std::vector<CostEdge> edges_between(const Timings& timings, const std::vector<int>& vertex) {
    std::vector<CostEdge> edges;
    for (const auto& entry : timings.entries()) {
        const auto [a, b] = std::minmax(vertex[at(entry.a)], vertex[at(entry.b)]);
        if (a != b) edges.push_back({entry.least(), a, b});
    }
    // Not by std::tie: after each batch this sorts all pairs, and a comparison costs several times
    // as much with it.
    std::sort(edges.begin(), edges.end(), [](const CostEdge& x, const CostEdge& y) {
        if (x.a != y.a) return x.a < y.a;
        if (x.b != y.b) return x.b < y.b;
        return x.weight < y.weight;
    });
    edges.erase(
        std::unique(edges.begin(), edges.end(),
                    [](const CostEdge& x, const CostEdge& y) { return x.a == y.a && x.b == y.b; }),
        edges.end());
    return edges;
}

SurveyLevel::SurveyLevel(const std::vector<int>& vertex_of, const std::vector<int>& subnet_of,
                         const std::vector<int>& order, Timings& timings,
                         const SurveySettings& settings, const Disturbance& disturbance,
                         Allowances allowances, std::mt19937& random)
    : timings_(timings),
      settings_(settings),
      disturbance_(disturbance),
      allowances_(allowances),
      random_(random),
      vertex_of_(vertex_of),
      subnet_of_(subnet_of),
      hosts_of_(at(count_of(vertex_of))),
      check_of_(hosts_of_.size()),
      place_(hosts_of_.size(), 0) {
    for (const int host : order) {
        auto& hosts = hosts_of_[at(vertex_of[at(host)])];
        if (hosts.empty()) place_[at(vertex_of[at(host)])] = next_place_++;
        hosts.push_back(host);
    }
    turn_.assign(vertex_of.size(), 0);
}

std::vector<HostPair> SurveyLevel::next(std::string& why) {
    find_clusters();
    std::fill(turn_.begin(), turn_.end(), 0);
    std::vector<HostPair> pairs;
    if (clusters() == 1 && vertices() == 1) return pairs;
    why = "pairs that may have been disturbed";
    pairs = maybe_disturbed();
    if (!pairs.empty()) return pairs;
    why = "comparing clusters";
    pairs = comparisons();
    if (!pairs.empty()) return pairs;
    why = "checking clusters";
    pairs = checks();
    if (!pairs.empty()) return pairs;
    why = "pairs that are uncertain";
    pairs = unclear();
    return pairs.empty() ? more_pairs() : pairs;
}

std::vector<HostPair> SurveyLevel::neighbours(const std::vector<int>& order) {
    std::vector<HostPair> pairs;
    std::set<HostPair> found;
    for (std::size_t i = 1; i < order.size(); ++i) {
        const int a = order[i - 1], b = order[i];
        const auto between = std::minmax(vertex_of_[at(a)], vertex_of_[at(b)]);
        if (between.first != between.second && !timings_.has(a, b) && found.insert(between).second)
            pairs.emplace_back(a, b);
    }
    return pairs;
}

void SurveyLevel::find_clusters() {
    edges_ = edges_between(timings_, vertex_of_);
    cluster_ = partition(vertices(), edges_, settings_.tolerance, settings_.look);
    members_.assign(at(count_of(cluster_)), {});
    for (int v = 0; v < vertices(); ++v) members_[at(cluster_[at(v)])].push_back(v);
    seen_ = {std::vector<char>(hosts_of_.size(), 0),
             std::vector<double>(members_.size(), unlimited),
             {},
             {}};
    inner_.assign(members_.size(), unlimited);
    least_.assign(hosts_of_.size(), unlimited);
    partners_.assign(hosts_of_.size(), {});
    for (std::size_t e = 0; e < edges_.size(); ++e) {
        const auto& [weight, a, b] = edges_[e];
        for (const int end : {a, b}) {
            least_[at(end)] = std::min(least_[at(end)], weight);
            partners_[at(end)].push_back(static_cast<int>(e));
        }
        double& inner = inner_[at(cluster_[at(a)])];
        if (cluster_[at(a)] == cluster_[at(b)]) inner = std::min(inner, weight);
    }
    apart_.assign(members_.size(), {});
    loose_.assign(members_.size(), 0);
    for (int cluster = 0; cluster < clusters(); ++cluster) {
        const Seen& seen = seen_from(cluster);
        for (const int other : seen.clusters) {
            if (other == cluster) continue;
            apart_[at(cluster)].push_back({other, seen.least[at(other)]});
            if (is_loose(cluster, other, seen.least[at(other)])) loose_[at(cluster)] = 1;
        }
    }
}

int SurveyLevel::idle(int vertex) {
    const auto& hosts = hosts_of_[at(vertex)];
    return *std::min_element(hosts.begin(), hosts.end(),
                             [&](int x, int y) { return turn_[at(x)] < turn_[at(y)]; });
}

int SurveyLevel::idle_of(int cluster) {
    int found = -1;
    for (const int vertex : members_[at(cluster)]) {
        const int host = idle(vertex);
        if (found < 0 || turn_[at(host)] < turn_[at(found)]) found = host;
        if (turn_[at(found)] == 0) break;
    }
    return found;
}

HostPair SurveyLevel::visit(int a, int b) {
    ++turn_[at(a)];
    ++turn_[at(b)];
    return std::minmax(a, b);
}

}  // namespace eco
