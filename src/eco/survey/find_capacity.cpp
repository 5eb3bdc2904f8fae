// SPDX-License-Identifier: BSD-3-Clause
#include "eco/survey/find_capacity.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "eco/base/at.h"
#include "eco/survey/likely_part.h"

namespace eco {

namespace {

// Rounds before the first look, and in which the clusters must stay as they are.
constexpr int first_rounds = 6, rounds_unchanged = 3;
// After so many it is taken that there are no clusters, as on a bus; few vertices need more until
// enough streams have crossed an uplink of half of their ports (of 60 networks of 4 + 4 hosts 15
// were missed after 16 rounds, 4 after 24).
constexpr int rounds_in_vain = 16, rounds_in_vain_of_few = 24;
// One of so many rounds is drawn as if nothing were known.
constexpr int as_if_new = 4;
// Rounds before the first that sends out of a part of few vertices which may share an uplink.
constexpr int rounds_before_parts = 3;
// Of what their ends carry: where nearly all streams have so much, nothing is shared.
constexpr double free_stream = 0.85, nearly_all = 0.97;
// Rounds that test the result with streams inside.
constexpr int rounds_inside = 2;
// Vertices by themselves that are tested so, as each takes two rounds.
constexpr std::size_t most_singles = 8;
// So often the result is tested, while streams inside are faster, but not surely.
constexpr int most_tests = 3;

}  // namespace

CapacitySearch::CapacitySearch(std::vector<std::vector<int>> vertices, int most_rounds,
                               unsigned seed)
    : vertices_(std::move(vertices)), most_rounds_(most_rounds), random_(seed) {
    result_.cluster.assign(vertices_.size(), 0);
    clusters_.cluster = result_.cluster;
    if (vertices_.size() < 4) stage_ = Stage::done;
}

// Each to one other.
std::vector<CapacitySearch::Edge> CapacitySearch::inside(const std::vector<int>& members) {
    if (members.size() < 2) return {};
    // Along a random cycle: nobody sends to itself.
    std::vector<int> order = members;
    std::shuffle(order.begin(), order.end(), random_);
    std::vector<Edge> found;
    for (std::size_t i = 0; i < order.size(); ++i)
        found.emplace_back(order[i], order[(i + 1) % order.size()]);
    return found;
}

std::vector<int> CapacitySearch::shuffled(int count) {
    std::vector<int> all(at(count));
    std::iota(all.begin(), all.end(), 0);
    std::shuffle(all.begin(), all.end(), random_);
    return all;
}

// Of these each to one of them in another cluster, as far as there are enough: in an order by
// cluster, shifted by the largest one's size.
std::vector<CapacitySearch::Edge> CapacitySearch::across(const std::vector<int>& members) {
    std::vector<int> order = members;
    std::shuffle(order.begin(), order.end(), random_);
    const auto cluster = [&](int v) { return clusters_.cluster[at(v)]; };
    std::stable_sort(order.begin(), order.end(),
                     [&](int a, int b) { return cluster(a) < cluster(b); });
    std::size_t largest = 0;
    for (const int v : order)
        largest = std::max(
            largest, static_cast<std::size_t>(std::count_if(order.begin(), order.end(), [&](int w) {
                return cluster(v) == cluster(w);
            })));
    std::vector<Edge> found;
    for (std::size_t i = 0; i < order.size(); ++i) {
        const int to = order[(i + largest) % order.size()];
        if (cluster(order[i]) != cluster(to)) found.emplace_back(order[i], to);
    }
    return found;
}

// Half of each cluster's streams stay inside, the others fill what leads out of it: a vertex that
// is in the wrong cluster then has slow streams inside. A vertex whose place is not clear is a
// guest of the cluster that explains its streams best, its own apart.
std::vector<CapacitySearch::Edge> CapacitySearch::mixed() {
    auto clusters = members_of(clusters_.cluster);
    std::vector<std::vector<int>> guests(clusters.size());
    for (int v : shuffled(static_cast<int>(vertices_.size()))) {
        auto& own = clusters[at(clusters_.cluster[at(v)])];
        const int host = clusters_.maybe[at(v)];
        // As many hosts as guests at least, some of whom fill the way out meanwhile.
        if (host < 0 || guests[at(host)].size() >= clusters[at(host)].size() / 2 ||
            random_() % 2 == 0)
            continue;
        guests[at(host)].push_back(v);
        std::erase(own, v);
    }
    std::vector<Edge> found;
    std::vector<int> leaving;
    for (std::size_t c = 0; c < clusters.size(); ++c) {
        auto& each = clusters[c];
        std::shuffle(each.begin(), each.end(), random_);
        const std::size_t least = guests[c].empty() ? 2 : 1;
        const std::size_t staying = each.size() < least ? 0 : std::max(least, each.size() / 2);
        const auto border = each.begin() + static_cast<std::ptrdiff_t>(staying);
        std::vector<int> stay(each.begin(), border);
        stay.insert(stay.end(), guests[c].begin(), guests[c].end());
        for (const Edge& edge : inside(stay)) found.push_back(edge);
        leaving.insert(leaving.end(), border, each.end());
    }
    for (const Edge& edge : across(leaving)) found.push_back(edge);
    return found;
}

// All of the part that most likely shares an uplink send out of it, and as many others into it.
std::vector<CapacitySearch::Edge> CapacitySearch::out_and_in() {
    const int count = static_cast<int>(vertices_.size());
    std::vector<int> part = likely_part(count, seen_, random_), others = shuffled(count);
    std::erase_if(others,
                  [&](int v) { return std::find(part.begin(), part.end(), v) != part.end(); });
    std::shuffle(part.begin(), part.end(), random_);
    std::vector<Edge> found;
    for (std::size_t i = 0; i < part.size(); ++i) {
        found.emplace_back(part[i], others[i]);
        // Not the pair's own way back: that is another pair seen.
        found.emplace_back(others[i], part[(i + 1) % part.size()]);
    }
    const auto rest = others.begin() + static_cast<std::ptrdiff_t>(part.size());
    for (const Edge& edge : inside({rest, others.end()})) found.push_back(edge);
    return found;
}

// Half of the clusters send and the others receive, then the other way round, then other halves:
// one direction at a time, as a full link holds back what confirms the streams against it.
std::vector<CapacitySearch::Edge> CapacitySearch::one_way() {
    const auto clusters = members_of(clusters_.cluster);
    const std::size_t half = clusters.size() / 2, first = at(rounds_of_stage_ / 2) * half;
    std::vector<int> some, others;
    for (std::size_t i = 0; i < clusters.size(); ++i) {
        const auto& each = clusters[(first + i) % clusters.size()];
        (i < half ? some : others)
            .insert((i < half ? some : others).end(), each.begin(), each.end());
    }
    std::shuffle(some.begin(), some.end(), random_);
    std::shuffle(others.begin(), others.end(), random_);
    if (rounds_of_stage_ % 2 == 1) std::swap(some, others);
    std::vector<Edge> found;
    for (std::size_t i = 0; i < std::min(some.size(), others.size()); ++i)
        found.emplace_back(some[i], others[i]);
    return found;
}

// So that each cluster was among those half of them, with an odd number too.
int CapacitySearch::rounds_across() const { return clusters_.count() % 2 == 0 ? 4 : 6; }

std::vector<CapacitySearch::Edge> CapacitySearch::draw() {
    const int vertices = static_cast<int>(vertices_.size());
    // Now and then as if nothing were known: what is known may be wrong.
    if (rounds_ % as_if_new == 0) return inside(shuffled(vertices));
    if (clusters_.count() > 1 && clusters_.count() < vertices) return mixed();
    if (vertices <= most_vertices_for_parts && rounds_ >= rounds_before_parts) return out_and_in();
    return inside(shuffled(vertices));
}

std::vector<Flow> CapacitySearch::next() {
    switch (stage_) {
        case Stage::random:
            edges_ = draw();
            break;
        case Stage::test_inside:
            edges_.clear();
            for (const auto& each : members_of(clusters_.cluster))
                for (const Edge& edge : inside(each)) edges_.push_back(edge);
            break;
        case Stage::test_across:
            edges_ = one_way();
            break;
        case Stage::test_single:
            edges_ = with_single();
            break;
        case Stage::done:
            edges_.clear();
    }
    std::vector<Flow> flows;
    edge_of_.clear();
    for (std::size_t e = 0; e < edges_.size(); ++e) {
        const auto &from = vertices_[at(edges_[e].first)], &to = vertices_[at(edges_[e].second)];
        for (std::size_t i = 0; i < std::min(from.size(), to.size()); ++i) {
            flows.push_back({from[i], to[i]});
            edge_of_.push_back(e);
        }
    }
    return flows;
}

void CapacitySearch::take(const std::vector<double>& rates) {
    std::vector<StreamRate> round;
    for (const auto& [from, to] : edges_) round.push_back({from, to, 0});
    for (std::size_t f = 0; f < rates.size(); ++f) round[edge_of_[f]].rate += rates[f];
    if (stage_ == Stage::random) {
        ++rounds_;
        seen_.insert(seen_.end(), round.begin(), round.end());
        return consider();
    }
    if (stage_ == Stage::test_single) {
        with_single_.push_back(std::move(round));
        if (with_single_.size() == 2) place_single();
        return;
    }
    ++rounds_of_stage_;
    if (stage_ == Stage::test_inside) seen_.insert(seen_.end(), round.begin(), round.end());
    (stage_ == Stage::test_inside ? inside_ : across_).push_back(std::move(round));
    if (rounds_of_stage_ < (stage_ == Stage::test_inside ? rounds_inside : rounds_across())) return;
    rounds_of_stage_ = 0;
    if (stage_ == Stage::test_inside) return compare();
    if (++tests_ == 1) singles_ = single_vertices(clusters_.cluster, seen_, most_singles);
    if (singles_.empty())
        judge();
    else
        stage_ = Stage::test_single;
}

// The vertex and the cluster that it may belong to send to others, or get from them, all at once.
std::vector<CapacitySearch::Edge> CapacitySearch::with_single() {
    const auto [single, member] = singles_.back();
    std::vector<int> own = members_of(clusters_.cluster)[at(clusters_.cluster[at(member)])], others;
    own.push_back(single);
    for (const int v : shuffled(static_cast<int>(vertices_.size())))
        if (std::find(own.begin(), own.end(), v) == own.end()) others.push_back(v);
    // The vertex first, if there are fewer others.
    std::reverse(own.begin(), own.end());
    std::vector<Edge> found;
    for (std::size_t i = 0; i < std::min(own.size(), others.size()); ++i)
        found.push_back(with_single_.empty() ? Edge(own[i], others[i]) : Edge(others[i], own[i]));
    return found;
}

// A host whose confirmations waited behind other streams looked as if it were elsewhere.
void CapacitySearch::place_single() {
    const SingleVertex single = singles_.back();
    singles_.pop_back();
    if (shares_uplink(single, clusters_.cluster, seen_, across_, with_single_)) {
        clusters_.cluster[at(single.vertex)] = clusters_.cluster[at(single.member)];
        clusters_.cluster = numbered(clusters_.cluster);
        moved_ = true;
    }
    with_single_.clear();
    if (!singles_.empty()) return;
    if (!moved_) return judge();
    inside_.clear();
    across_.clear();
    stage_ = clusters_.count() > 1 ? Stage::test_inside : Stage::done;
}

// Two clusters that were taken for one hold each other back inside.
void CapacitySearch::compare() {
    stage_ = Stage::test_across;
    if (moved_ || rounds_ >= most_rounds_) return;
    CapacityClusters found = cluster_by_rates(static_cast<int>(vertices_.size()), seen_);
    if (found.cluster == clusters_.cluster) return;
    clusters_ = std::move(found);
    inside_.clear();
    across_.clear();
    unchanged_ = 0;
    stage_ = Stage::random;
}

void CapacitySearch::consider() {
    if (rounds_ < first_rounds) return;
    const int vertices = static_cast<int>(vertices_.size());
    const auto x = over_ends(vertices, seen_);
    const auto free =
        std::count_if(x.begin(), x.end(), [](double each) { return each >= free_stream; });
    if (static_cast<double>(free) >= nearly_all * static_cast<double>(x.size())) {
        stage_ = Stage::done;
        return;
    }
    const auto before = clusters_.cluster;
    clusters_ = cluster_by_rates(vertices, seen_);
    unchanged_ = clusters_.cluster == before ? unchanged_ + 1 : 0;
    const bool parted = clusters_.count() > 1 && clusters_.count() < vertices;
    const int in_vain =
        vertices <= most_vertices_for_parts ? rounds_in_vain_of_few : rounds_in_vain;
    if ((unchanged_ >= rounds_unchanged && parted && clusters_.is_clear()) ||
        rounds_ >= (parted ? most_rounds_ : std::min(in_vain, most_rounds_))) {
        rounds_of_stage_ = 0;
        stage_ = parted ? Stage::test_inside : Stage::done;
    }
}

void CapacitySearch::judge() {
    UplinkRates found = uplink_rates(clusters_.cluster, inside_, across_);
    const bool again = found.is_likely() && !found.is_sure() && tests_ < most_tests;
    stage_ = again ? Stage::test_inside : Stage::done;
    if (found.is_sure()) result_ = std::move(found.capacity);
}

}  // namespace eco
