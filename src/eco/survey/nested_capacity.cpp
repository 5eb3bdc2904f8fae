// SPDX-License-Identifier: BSD-3-Clause
#include "eco/survey/nested_capacity.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "eco/base/at.h"

namespace eco {

namespace {

constexpr std::size_t least_for_search = 4;
// Rounds that cluster, of this many vertices and more.
constexpr int longest_search = 32, longest_wide_search = 100;
constexpr std::size_t wide_search = 33;
// Rates of whole racks vary less than those of hosts.
constexpr int wider_search = 12;
// Of what it is expected to carry: a cluster that carries less is held by something that its hosts
// share. Streams vary by less.
constexpr double held_below = 0.8;
// So little of so many streams is not because one of them was disturbed.
constexpr double surely_held = 0.6;
constexpr std::size_t streams_for_sure = 4;
// Of the rate that was measured before: one that differs by less confirms it.
constexpr double confirmed_within = 0.15;
// Times a cluster's own rate: what a wider one carries where it can have held that back, as two
// clusters may be tested at a time.
constexpr double both = 2;
// Clusters that are tested so, as each takes two to four rounds.
constexpr std::size_t most_tested = 16;

int rounds_of(std::size_t vertices) {
    return vertices < wide_search ? longest_search : longest_wide_search;
}

std::vector<std::vector<int>> single(const std::vector<int>& hosts) {
    std::vector<std::vector<int>> found;
    for (const int host : hosts) found.push_back({host});
    return found;
}

double sum_of(const std::vector<int>& hosts, const std::vector<double>& of_hosts) {
    double sum = 0;
    for (const int host : hosts) sum += of_hosts[at(host)];
    return sum;
}

}  // namespace

NestedSearch::NestedSearch(std::vector<int> hosts, unsigned seed)
    : hosts_(std::move(hosts)), seed_(seed), random_(seed) {
    begin_inside(hosts_, -1);
    if (searches_.empty()) stage_ = Stage::done;
}

void NestedSearch::begin_inside(const std::vector<int>& hosts, int wider) {
    if (hosts.size() < least_for_search) return;
    searches_.push_back(
        {hosts, wider, CapacitySearch(single(hosts), rounds_of(hosts.size()), seed_)});
}

bool NestedSearch::is_testing() const {
    return !tested_.empty() ||
           std::any_of(searches_.begin(), searches_.end(),
                       [](const Search& each) { return each.search.is_testing(); });
}

std::vector<Flow> NestedSearch::next() {
    flows_.clear();
    if (!tested_.empty())
        for (const StreamRate& each : test()) flows_.push_back({each.from, each.to});
    // Streams inside clusters do not disturb each other.
    for (Search& each : searches_) {
        const auto own = each.search.is_done() ? std::vector<Flow>() : each.search.next();
        each.flows = own.size();
        flows_.insert(flows_.end(), own.begin(), own.end());
    }
    return flows_;
}

void NestedSearch::take(const std::vector<double>& rates) {
    std::vector<StreamRate> round;
    for (std::size_t f = 0; f < rates.size(); ++f) {
        const auto [from, to] = flows_[f];
        round.push_back({from, to, rates[f]});
        sends_.resize(std::max(sends_.size(), at(from) + 1), 0);
        gets_.resize(std::max(gets_.size(), at(to) + 1), 0);
        sends_[at(from)] = std::max(sends_[at(from)], rates[f]);
        gets_[at(to)] = std::max(gets_[at(to)], rates[f]);
    }
    if (!tested_.empty()) return take_test(round);
    auto next = rates.begin();
    for (Search& each : searches_) {
        const auto end = next + static_cast<std::ptrdiff_t>(each.flows);
        if (!each.search.is_done()) each.search.take({next, end});
        next = end;
    }
    if (stage_ == Stage::wider && is_free_between(round)) {
        searches_.clear();
        return begin_alone();
    }
    if (std::all_of(searches_.begin(), searches_.end(),
                    [](const Search& each) { return each.search.is_done(); }))
        take_found();
}

void NestedSearch::take_found() {
    const std::vector<Search> over = std::move(searches_);
    searches_.clear();
    switch (stage_) {
        case Stage::inside:
            if (seen_.empty()) seen_ = over.front().search.seen();
            for (const Search& each : over) add(each);
            if (!searches_.empty()) return;
            return begin_tests(Stage::test_whole, unconfirmed(0, surely_held));
        case Stage::test_parts:
            take_tested(over.front().search.result());
            return begin_wider();
        case Stage::wider:
            return add_wider(over.front().search.result());
        case Stage::test_whole:
        case Stage::test_wider:
        case Stage::test_alone:
        case Stage::done:
            return;
    }
}

void NestedSearch::add(const Search& done) {
    const Capacity& result = done.search.result();
    if (result.out.empty()) return;
    const auto members = members_of(result.cluster);
    for (std::size_t c = 0; c < members.size(); ++c) {
        const auto hosts = some_of(done.hosts, members[c]);
        clusters_.push_back({hosts, result.out[c], result.in[c], done.wider});
        if (result.slow_inside[c]) begin_inside(hosts, static_cast<int>(clusters_.size()) - 1);
    }
}

// Those from the first one on that have parts and may be no more than these: do not carry less than
// such a part of what these do. One that was found inside another was tested with its hosts alone,
// which may take less than all others do.
std::vector<int> NestedSearch::unconfirmed(std::size_t first, double of_parts) const {
    std::vector<int> found;
    for (int c = static_cast<int>(first); at(c) < clusters_.size(); ++c)
        if (has_parts(c) &&
            (clusters_[at(c)].wider >= 0 || !carries_less_than_its_parts(c, of_parts)))
            found.push_back(c);
    return found;
}

// Clusters that are their parts and nothing else; whether there were some.
bool NestedSearch::leave_out_whole_ones() {
    const std::size_t before = clusters_.size();
    clusters_ = without_whole_ones(clusters_);
    return clusters_.size() < before;
}

// All that have no parts, as one set: what was found inside clusters was tested there only.
void NestedSearch::begin_parts() {
    stage_ = Stage::test_parts;
    searches_.push_back(
        {hosts_, -1, CapacitySearch(single(hosts_), finest(clusters_, hosts_), seen_, seed_)});
}

void NestedSearch::take_tested(const Capacity& tested) {
    if (tested.out.empty()) return;
    SharedClusters parts;
    const auto members = members_of(tested.cluster);
    for (std::size_t m = 0; m < members.size(); ++m)
        parts.push_back({some_of(hosts_, members[m]), tested.out[m], tested.in[m], -1});
    clusters_ = with_parts(clusters_, std::move(parts));
}

void NestedSearch::begin_wider() {
    stage_ = Stage::wider;
    free_rounds_ = 0;
    tops_ = parts_of(clusters_, -1);
    std::vector<std::vector<int>> vertices;
    for (const int top : tops_) vertices.push_back(clusters_[at(top)].hosts);
    if (vertices.size() < least_for_search) return begin_alone();
    searches_.push_back({{}, -1, CapacitySearch(std::move(vertices), wider_search, seed_)});
}

// Whether each split of few clusters, with which their search begins, carried what these can: they
// share nothing.
bool NestedSearch::is_free_between(const std::vector<StreamRate>& round) {
    if (tops_.size() != few_vertices || free_rounds_ < 0) return false;
    free_rounds_ = total_rate(round) >= held_below * expected(round) ? free_rounds_ + 1 : -1;
    return free_rounds_ == splits;
}

void NestedSearch::add_wider(const Capacity& found) {
    const std::size_t before = clusters_.size();
    if (!found.out.empty()) {
        const auto members = members_of(found.cluster);
        for (std::size_t m = 0; m < members.size(); ++m) {
            if (members[m].size() < 2) continue;
            SharedCluster wide{{}, found.out[m], found.in[m], -1};
            for (const int top : members[m]) {
                SharedCluster& part = clusters_[at(tops_[at(top)])];
                part.wider = static_cast<int>(clusters_.size());
                wide.hosts.insert(wide.hosts.end(), part.hosts.begin(), part.hosts.end());
            }
            clusters_.push_back(std::move(wide));
        }
    }
    if (clusters_.size() > before)
        begin_tests(Stage::test_wider, unconfirmed(before, held_below));
    else
        begin_alone();
}

// By what was measured of it, its parts and those beside it, each in a test of its own.
bool NestedSearch::carries_less_than_its_parts(int cluster, double of_parts) const {
    const SharedCluster& own = clusters_[at(cluster)];
    double parts_out = 0, parts_in = 0, others_out = 0, others_in = 0;
    for (int c = 0; at(c) < clusters_.size(); ++c) {
        const SharedCluster& each = clusters_[at(c)];
        if (has_parts(c)) continue;
        const bool is_part = has_host(own, each.hosts.front());
        (is_part ? parts_out : others_out) += can_send(each);
        (is_part ? parts_in : others_in) += can_get(each);
    }
    return (own.out > 0 && own.out < of_parts * std::min(parts_out, others_in)) ||
           (own.in > 0 && own.in < of_parts * std::min(parts_in, others_out));
}

// Its uplink's rate, or all its ports'.
double NestedSearch::can_send(const SharedCluster& cluster) const {
    return cluster.out > 0 ? cluster.out : sum_of(cluster.hosts, sends_);
}
double NestedSearch::can_get(const SharedCluster& cluster) const {
    return cluster.in > 0 ? cluster.in : sum_of(cluster.hosts, gets_);
}

// Whether its rates were measured while what it shares with others may have been full.
bool NestedSearch::may_be_held_by_wider(const SharedCluster& cluster) const {
    const double out = can_send(cluster), in = can_get(cluster);
    for (int w = cluster.wider; w >= 0; w = clusters_[at(w)].wider) {
        const SharedCluster& wide = clusters_[at(w)];
        if ((wide.out > 0 && wide.out < both * out) || (wide.in > 0 && wide.in < both * in))
            return true;
    }
    return false;
}

void NestedSearch::begin_alone() {
    std::vector<int> clusters;
    for (int c = 0; at(c) < clusters_.size(); ++c)
        if (clusters_[at(c)].hosts.size() > 1 && !has_parts(c) &&
            may_be_held_by_wider(clusters_[at(c)]))
            clusters.push_back(c);
    begin_tests(Stage::test_alone, std::move(clusters));
}

void NestedSearch::begin_tests(Stage stage, std::vector<int> clusters) {
    stage_ = stage;
    if (clusters.size() <= most_tested) tested_ = std::move(clusters);
    if (tested_.empty()) tests_are_over();
}

std::vector<StreamRate> NestedSearch::test() {
    const auto streams = stage_ == Stage::test_alone ? streams_of_part : streams_of_whole;
    return streams(clusters_, tested_.back(), hosts_, tests_out_, random_);
}

// What its streams would carry together if the cluster that is tested shared nothing: of a whole
// one what its parts and the other ends' clusters can, of one alone what its ports can.
double NestedSearch::expected(const std::vector<StreamRate>& round) const {
    const bool alone = stage_ == Stage::test_alone;
    std::vector<double> out(clusters_.size(), 0), in = out;
    double sent = 0, got = 0;
    for (const StreamRate& each : round) {
        int from = -1, to = -1;
        for (int c = 0; at(c) < clusters_.size(); ++c) {
            if (has_parts(c)) continue;
            if (has_host(clusters_[at(c)], each.from)) from = c;
            if (has_host(clusters_[at(c)], each.to)) to = c;
        }
        (from < 0 || alone ? sent : out[at(from)]) += sends_[at(each.from)];
        (to < 0 || alone ? got : in[at(to)]) += gets_[at(each.to)];
    }
    for (std::size_t c = 0; c < clusters_.size(); ++c) {
        sent += clusters_[c].out > 0 ? std::min(out[c], clusters_[c].out) : out[c];
        got += clusters_[c].in > 0 ? std::min(in[c], clusters_[c].in) : in[c];
    }
    return std::min(sent, got);
}

void NestedSearch::take_test(const std::vector<StreamRate>& round) {
    SharedCluster& own = clusters_[at(tested_.back())];
    const double sum = total_rate(round), wanted = expected(round);
    carried_.push_back(sum);
    const bool is_held = sum < held_below * wanted;
    // Once more, where one disturbed stream may be the reason.
    double& rate = tests_out_ ? own.out : own.in;
    const bool surely = (round.size() >= streams_for_sure && sum < surely_held * wanted) ||
                        std::abs(sum - rate) <= confirmed_within * rate;
    if (is_held && !surely && carried_.size() == 1) return;
    // Whatever disturbs a round, or fills something else, makes it carry less, never more.
    rate = is_held ? std::max(rate, *std::max_element(carried_.begin(), carried_.end())) : 0;
    carried_.clear();
    if (!tests_out_) tested_.pop_back();
    tests_out_ = !tests_out_;
    if (tested_.empty()) tests_are_over();
}

void NestedSearch::tests_are_over() {
    const Stage over = stage_;
    stage_ = Stage::done;
    if (over == Stage::test_whole) return leave_out_whole_ones() ? begin_parts() : begin_wider();
    if (over != Stage::test_wider) return;
    leave_out_whole_ones();
    if (parts_of(clusters_, -1).size() < tops_.size())
        begin_wider();
    else
        begin_alone();
}

}  // namespace eco
