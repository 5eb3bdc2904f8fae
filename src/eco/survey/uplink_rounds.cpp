// SPDX-License-Identifier: BSD-3-Clause
#include "eco/survey/uplink_rounds.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <utility>

#include "eco/base/at.h"

namespace eco {

namespace {

// Fewer clusters are tested one at a time and one way at a time: one that sends would leave too few
// ends for another that receives.
constexpr int few_clusters = 4;
// So few are tested twice each way, as one disturbed stream of four takes a tenth of what is
// measured.
constexpr int few_twice = 8;
// More are tested several at a time. What these send is then a small part of what the others, at
// 8:1, can receive: with 8 groups of 12 racks it was not.
constexpr int most_groups = 16;
// Times the least rate that others have at most that confirm it.
constexpr double alike = 1.1;
// Of the most that a cluster carried one way: a round with less was disturbed, or its connections
// chose the same link (four over two links: one round of eight, with a half).
constexpr double clearly_less = 0.8;
// So often rounds are run again, in all tests of the same clusters together.
constexpr int most_retries = 2;

const std::vector<int>& tested_clusters(const UplinkRound& round, UplinkDirection direction) {
    return direction == UplinkDirection::out ? round.out : round.in;
}

std::vector<int> that_are_tested(const std::vector<std::vector<int>>& members) {
    std::vector<int> found;
    for (std::size_t c = 0; c < members.size(); ++c)
        if (members[c].size() > 1) found.push_back(static_cast<int>(c));
    return found;
}

// All vertices, so that each group has its share of whatever part of them comes first.
std::vector<int> evenly(const std::vector<std::vector<int>>& groups, std::mt19937& random) {
    std::vector<std::pair<double, int>> places;
    for (auto group : groups) {
        std::shuffle(group.begin(), group.end(), random);
        for (std::size_t i = 0; i < group.size(); ++i)
            places.emplace_back((static_cast<double>(i) + 0.5) / static_cast<double>(group.size()),
                                group[i]);
    }
    std::shuffle(places.begin(), places.end(), random);
    std::stable_sort(places.begin(), places.end(),
                     [](const auto& x, const auto& y) { return x.first < y.first; });
    std::vector<int> found;
    for (const auto& [place, vertex] : places) found.push_back(vertex);
    return found;
}

}  // namespace

std::vector<StreamRate> streams_between(const std::vector<std::vector<int>>& from,
                                        const std::vector<std::vector<int>>& to,
                                        std::mt19937& random) {
    std::vector<int> senders = evenly(from, random), receivers = evenly(to, random);
    const std::size_t count = std::min(senders.size(), receivers.size());
    receivers.resize(count);
    std::shuffle(receivers.begin(), receivers.end(), random);
    std::vector<StreamRate> found;
    for (std::size_t i = 0; i < count; ++i) found.push_back({senders[i], receivers[i], 0});
    return found;
}

int count_uplink_rounds(const std::vector<int>& cluster) {
    const auto count = static_cast<int>(that_are_tested(members_of(cluster)).size());
    return count < few_twice ? 2 * count : std::min(count, most_groups);
}

double carried(const std::vector<int>& cluster, const std::vector<StreamRate>& streams, int id,
               UplinkDirection direction) {
    double sum = 0;
    for (const StreamRate& each : streams) {
        const bool leaves = cluster[at(each.from)] == id, enters = cluster[at(each.to)] == id;
        if (leaves != enters && leaves == (direction == UplinkDirection::out)) sum += each.rate;
    }
    return sum;
}

double carried_most(const std::vector<int>& cluster, const StreamRounds& rounds, int id,
                    UplinkDirection direction) {
    double most = 0;
    for (const auto& streams : rounds)
        most = std::max(most, carried(cluster, streams, id, direction));
    return most;
}

StreamRounds tested(const std::vector<UplinkRound>& rounds, int id, UplinkDirection direction) {
    StreamRounds found;
    for (const UplinkRound& round : rounds) {
        const auto& ids = tested_clusters(round, direction);
        if (std::find(ids.begin(), ids.end(), id) != ids.end()) found.push_back(round.streams);
    }
    return found;
}

StreamRounds tested_alike(const std::vector<int>& cluster, const std::vector<UplinkRound>& rounds,
                          int id, UplinkDirection direction) {
    StreamRounds found = tested(rounds, id, direction);
    const double most = carried_most(cluster, found, id, direction);
    std::erase_if(found, [&](const auto& streams) {
        return carried(cluster, streams, id, direction) < clearly_less * most;
    });
    return found;
}

UplinkTest::UplinkTest(std::vector<int> cluster) : cluster_(std::move(cluster)) { repeat(); }

std::size_t UplinkTest::rounds_of_a_test() const { return at(count_uplink_rounds(cluster_)); }

void UplinkTest::repeat() {
    numbers_.resize(rounds_of_a_test());
    std::iota(numbers_.begin(), numbers_.end(), 0);
}

const UplinkRound& UplinkTest::next(std::mt19937& random) {
    rounds_.push_back(uplink_round(cluster_, numbers_.front(), random));
    return rounds_.back();
}

void UplinkTest::take(std::vector<StreamRate> streams, const StreamRounds& drawn) {
    rounds_.back().streams = std::move(streams);
    numbers_.erase(numbers_.begin());
    if (is_half_enough()) numbers_.clear();
    if (numbers_.empty() && retries_++ < most_retries) numbers_ = unconfirmed(drawn);
}

bool UplinkTest::is_half_enough() const {
    const std::size_t tested = that_are_tested(members_of(cluster_)).size();
    // Of fewer, what leaves one is what enters the other, or each round tests one way only.
    if (tested < at(few_clusters) || tested >= at(few_twice) || rounds_.size() != tested)
        return false;
    std::vector<double> sums;
    for (const UplinkRound& round : rounds_)
        for (const UplinkDirection direction : {UplinkDirection::out, UplinkDirection::in})
            for (const int id : tested_clusters(round, direction))
                sums.push_back(carried(cluster_, round.streams, id, direction));
    const auto [least, most] = std::minmax_element(sums.begin(), sums.end());
    return *most > 0 && *most <= alike * *least;
}

std::vector<int> UplinkTest::unconfirmed(const StreamRounds& drawn) const {
    const auto is_unconfirmed = [&](int id, UplinkDirection direction) {
        const std::size_t all = tested(rounds_, id, direction).size();
        const StreamRounds found = tested_alike(cluster_, rounds_, id, direction);
        return found.size() < std::min(all, std::size_t{2}) ||
               carried_most(cluster_, found, id, direction) <
                   clearly_less * carried_most(cluster_, drawn, id, direction);
    };
    std::set<std::pair<int, UplinkDirection>> again;
    std::vector<int> found;
    for (std::size_t number = 0; number < std::min(rounds_.size(), rounds_of_a_test()); ++number) {
        const std::size_t before = again.size();
        for (const UplinkDirection direction : {UplinkDirection::out, UplinkDirection::in})
            for (const int id : tested_clusters(rounds_[number], direction))
                if (is_unconfirmed(id, direction)) again.insert({id, direction});
        if (again.size() > before) found.push_back(static_cast<int>(number));
    }
    return found;
}

UplinkRound uplink_round(const std::vector<int>& cluster, int number, std::mt19937& random) {
    const auto members = members_of(cluster);
    const auto clusters = that_are_tested(members);
    const auto count = static_cast<int>(clusters.size());
    UplinkRound round;
    if (count < few_clusters) {
        (number % 2 == 0 ? round.out : round.in).push_back(clusters[at(number / 2 % count)]);
    } else {
        const int groups = std::min(count, most_groups);
        for (int c = 0; c < count; ++c) {
            if (c % groups == number % groups) round.out.push_back(clusters[at(c)]);
            if (c % groups == (number + 1) % groups) round.in.push_back(clusters[at(c)]);
        }
    }
    std::vector<std::vector<int>> out, in, others;
    for (std::size_t c = 0; c < members.size(); ++c) {
        const auto is_in = [&](const std::vector<int>& some) {
            return std::find(some.begin(), some.end(), static_cast<int>(c)) != some.end();
        };
        (is_in(round.out) ? out : is_in(round.in) ? in : others).push_back(members[c]);
    }
    round.streams = streams_between(out, others, random);
    const auto back = streams_between(others, in, random);
    round.streams.insert(round.streams.end(), back.begin(), back.end());
    // Of two clusters what leaves one enters the other.
    if (members.size() == 2 && count == 2)
        (number % 2 == 0 ? round.in : round.out).push_back(1 - clusters[at(number / 2 % count)]);
    return round;
}

}  // namespace eco
