// SPDX-License-Identifier: BSD-3-Clause
#include "eco/survey/find_capacity.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "eco/base/at.h"
#include "eco/survey/likely_part.h"

namespace eco {

namespace {

constexpr std::size_t least_vertices = 4;
// Rounds before the first look, and in which the clusters must stay as they are.
constexpr int first_rounds = 6, rounds_unchanged = 3;
// After so many it is taken that there are no clusters, as on a bus: until enough streams have
// crossed an uplink of half of their ports (of 60 networks of 4 + 4 hosts 15 were missed after 16
// rounds, 4 after 24; of 20 of 24 + 24 hosts 5 and none).
constexpr int rounds_in_vain = 24;
// Or one for so many vertices: of 1,024 in racks of 8 to 40 clusters explained the rates better
// than none from round 36 on.
constexpr int vertices_a_round_in_vain = 10;
// Of few vertices: as often as each split is seen.
constexpr int rounds_a_split = 3;
// One of so many rounds is drawn as if nothing were known.
constexpr int as_if_new = 4;
// Of so many vertices hardly any two of one rack come together by chance: so many rounds look along
// the likely order first.
constexpr std::size_t many_vertices = 128;
constexpr int near_rounds = 4;
// Rounds before the first that sends out of a part of few vertices which may share an uplink.
constexpr int rounds_before_parts = 3;
// Where nearly all streams are free, nothing is shared.
constexpr double nearly_all = 0.97;
// Where at most so many vertices, or so few of all, are not clear the search ends after so many
// more rounds in which nothing changed: a host with a slow port is hardly ever held (of 100
// networks of 64 hosts some searched 54 rounds for one).
constexpr double few_unclear = 0.03, always_few = 2;
constexpr int rounds_for_unclear = 6;
// Rounds that test the result with streams inside.
constexpr std::size_t rounds_inside = 3;
// So often the result is tested, while streams inside are faster, but not surely.
constexpr int most_tests = 3;

// Of four vertices, all ways to part them into two and two, each by one part; of more there are too
// many to try each.
std::vector<std::vector<int>> splits_of_few(const std::vector<int>& vertices) {
    if (vertices.size() != few_vertices) return {};
    std::vector<std::vector<int>> found;
    for (const std::size_t with_last : {0, 1, 2})
        found.push_back({vertices[with_last], vertices[3]});
    return found;
}

}  // namespace

CapacitySearch::CapacitySearch(std::vector<std::vector<int>> vertices, int most_rounds,
                               unsigned seed)
    : vertices_(std::move(vertices)), most_rounds_(most_rounds), random_(seed) {
    result_.cluster.assign(vertices_.size(), 0);
    clusters_.cluster = result_.cluster;
    if (vertices_.size() < least_vertices) stage_ = Stage::done;
}

CapacitySearch::CapacitySearch(std::vector<std::vector<int>> vertices, std::vector<int> cluster,
                               std::vector<StreamRate> seen, unsigned seed)
    : CapacitySearch(std::move(vertices), 0, seed) {
    if (is_done()) return;
    seen_ = std::move(seen);
    clusters_.cluster = std::move(cluster);
    begin_tests();
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

// Half of them along the likely order, in which neighbours probably share a rack, while the others
// fill what leads out of it. Where that order says nothing, both halves are drawn at random.
std::vector<CapacitySearch::Edge> CapacitySearch::near_and_far(const std::vector<int>& members) {
    std::vector<int> order = members;
    std::shuffle(order.begin(), order.end(), random_);
    const auto half = order.begin() + static_cast<std::ptrdiff_t>(order.size() / 2);
    std::sort(order.begin(), half);
    std::vector<Edge> found = inside({half, order.end()});
    for (auto each = order.begin(); each != half; ++each)
        found.emplace_back(*each, each + 1 == half ? order.front() : each[1]);
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

// All of the part send to others, and as many of these into it; the rest to each other.
std::vector<CapacitySearch::Edge> CapacitySearch::out_and_in(std::vector<int> part,
                                                             const std::vector<int>& members) {
    std::vector<int> others = members;
    std::erase_if(others,
                  [&](int v) { return std::find(part.begin(), part.end(), v) != part.end(); });
    std::shuffle(others.begin(), others.end(), random_);
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

// Streams between the members of a cluster. Of four, every split is seen: a cycle may pass by the
// one that parts them. Of more, all of the likeliest part send out of it, but in the first round:
// of two racks at 2:1 that were taken for one, a cycle just fills the uplinks.
std::vector<CapacitySearch::Edge> CapacitySearch::inside_cluster(const std::vector<int>& members) {
    const auto each = splits_of_few(members);
    if (!each.empty()) return out_and_in(each[inside_.size() % each.size()], members);
    if (inside_.empty() || members.size() < few_vertices) return inside(members);
    std::vector<int> place(vertices_.size(), -1);
    for (std::size_t i = 0; i < members.size(); ++i) place[at(members[i])] = static_cast<int>(i);
    std::vector<StreamRate> own;
    for (const auto& [from, to, rate] : seen_)
        if (place[at(from)] >= 0 && place[at(to)] >= 0)
            own.push_back({place[at(from)], place[at(to)], rate});
    std::vector<int> part;
    for (const int i : likely_part(static_cast<int>(members.size()), own, random_))
        part.push_back(members[at(i)]);
    return out_and_in(part, members);
}

std::vector<CapacitySearch::Edge> CapacitySearch::draw() {
    const int vertices = static_cast<int>(vertices_.size());
    std::vector<int> all(vertices_.size());
    std::iota(all.begin(), all.end(), 0);
    const auto each = splits_of_few(all);
    if (at(rounds_) < each.size()) return out_and_in(each[at(rounds_)], all);
    // Now and then as if nothing were known: what is known may be wrong.
    if (at(vertices) >= many_vertices && rounds_ < near_rounds) return near_and_far(all);
    if (rounds_ % as_if_new == 0) return inside(all);
    if (clusters_.count() > 1 && clusters_.count() < vertices) return mixed();
    if (rounds_ >= (vertices <= most_vertices_for_all_parts ? rounds_before_parts : first_rounds))
        return out_and_in(likely_part(vertices, seen_, random_), all);
    return inside(all);
}

std::vector<Flow> CapacitySearch::next() {
    std::vector<Edge> edges;
    switch (stage_) {
        case Stage::random:
            edges = draw();
            break;
        case Stage::test_inside:
            for (const auto& each : members_of(clusters_.cluster)) {
                const auto round = inside_cluster(each);
                edges.insert(edges.end(), round.begin(), round.end());
            }
            break;
        case Stage::test_across:
            if (!across_)
                across_.emplace(clusters_.cluster);
            else if (across_->is_done())
                across_->repeat();
            edges = edges_of(across_->next(random_).streams);
            break;
        case Stage::place:
            edges = edges_of(placing_->next(random_));
            break;
        case Stage::done:
            break;
    }
    flows_ = VertexFlows(vertices_, std::move(edges));
    return flows_.flows();
}

void CapacitySearch::take(const std::vector<double>& rates) {
    std::vector<StreamRate> round = flows_.with(rates);
    if (stage_ == Stage::random) {
        ++rounds_;
        seen_.insert(seen_.end(), round.begin(), round.end());
        drawn_.push_back(std::move(round));
        return consider();
    }
    if (stage_ == Stage::place) return take_placed(round);
    if (stage_ == Stage::test_inside) {
        seen_.insert(seen_.end(), round.begin(), round.end());
        inside_.push_back(std::move(round));
        if (inside_.size() % rounds_inside == 0) compare();
        return;
    }
    across_->take(std::move(round), drawn_);
    if (!across_->is_done()) return;
    rates_ = uplink_rates(clusters_.cluster, seen_, inside_, across_->rounds());
    if (!are_confirmed()) return repeat();
    if (++tests_ == 1 && !placed_) placing_.emplace(clusters_.cluster, seen_, across_->rounds());
    if (placing_ && !placing_->is_done())
        stage_ = Stage::place;
    else
        judge();
}

// Whether no cluster lacks a limit where others have one: hosts of several racks whose streams to
// each other happened to be free lack it, as do those of a switch in the middle of a chain.
bool CapacitySearch::are_confirmed() const {
    if (repeated_ || placed_ || rounds_ >= most_rounds_) return true;
    const Capacity& found = rates_.capacity;
    const auto members = members_of(clusters_.cluster);
    bool some = false, none = false;
    for (std::size_t c = 0; c < members.size(); ++c)
        if (members[c].size() > 1) (found.out[c] > 0 || found.in[c] > 0 ? some : none) = true;
    return !some || !none;
}

// Once: with more rounds than usual in which nothing changes.
void CapacitySearch::repeat() {
    repeated_ = true;
    inside_.clear();
    across_.reset();
    unchanged_ = -rounds_unchanged;
    stage_ = Stage::random;
}

// A host whose confirmations waited behind other streams looked as if it were elsewhere.
void CapacitySearch::take_placed(const std::vector<StreamRate>& round) {
    placing_->take(round);
    if (!placing_->is_done()) return;
    placed_ = true;
    if (!placing_->has_moved()) return judge();
    clusters_.cluster = numbered(placing_->cluster());
    begin_tests();
}

void CapacitySearch::begin_tests() {
    inside_.clear();
    across_.reset();
    tests_ = 0;
    const bool parted =
        clusters_.count() > 1 && clusters_.count() < static_cast<int>(vertices_.size());
    stage_ = parted ? Stage::test_inside : Stage::done;
}

// Two clusters that were taken for one hold each other back inside.
void CapacitySearch::compare() {
    stage_ = Stage::test_across;
    if (placed_ || rounds_ >= most_rounds_) return;
    CapacityClusters found = cluster_by_rates(static_cast<int>(vertices_.size()), seen_);
    if (found.cluster == clusters_.cluster) return;
    clusters_ = std::move(found);
    inside_.clear();
    across_.reset();
    unchanged_ = 0;
    stage_ = Stage::random;
}

void CapacitySearch::consider() {
    const int vertices = static_cast<int>(vertices_.size());
    if (rounds_ < (at(vertices) == few_vertices ? splits : first_rounds)) return;
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
    const int in_vain = at(vertices) == few_vertices
                            ? rounds_a_split * splits
                            : std::max(rounds_in_vain, vertices / vertices_a_round_in_vain);
    const int unclear = clusters_.count_unclear();
    // One look may be unlucky.
    in_vain_ = parted && clusters_.gain > 0 ? 0 : in_vain_ + 1;
    const bool explain = parted && in_vain_ < rounds_unchanged;
    const bool stays = unchanged_ >= rounds_unchanged + (unclear > 0 ? rounds_for_unclear : 0);
    if (explain
            ? rounds_ >= most_rounds_ || (stays && clusters_.gain > 0 &&
                                          unclear <= std::max(always_few, few_unclear * vertices))
            : rounds_ >= std::min(in_vain, most_rounds_)) {
        if (clusters_.gain <= 0) clusters_.cluster.assign(at(vertices), 0);
        begin_tests();
    }
}

void CapacitySearch::judge() {
    const bool again = rates_.is_likely() && !rates_.is_sure() && tests_ < most_tests;
    stage_ = again ? Stage::test_inside : Stage::done;
    if (rates_.is_sure()) result_ = rates_.capacity;
}

}  // namespace eco
