// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <numeric>
#include <set>

// Which clusters are compared with each other, and what is checked inside one.
#include "eco/base/at.h"
#include "eco/survey/survey_level.h"

namespace eco {

namespace {

// Clusters that others are compared with at a time. More save rounds, fewer save visits where two
// turn out to be one.
constexpr std::size_t most_pivots = 16;

// Comparisons of one vertex in a batch: one that has found its cluster needs no others.
constexpr int most_asked = 2;

// Neighbours in the likely order are compared in any case.
constexpr int surely_compared = 3;

// Where more, as a share, look for their cluster, hints say nothing and most clusters are parts of
// one: the largest with all others is quicker.
constexpr double many_searching = 0.1;
// In a batch each of them is compared with one of so many that are left.
constexpr std::size_t share_asked = 32;

// Fewer may be a part of another cluster that the order does not show.
constexpr std::size_t few = 8;

// Times of two hosts of a cluster to a third hardly differ by more.
constexpr double unlike = 1.3;

constexpr double disturbed = 0.7;  // of a time, what is there undisturbed at least
constexpr double most_near = 3;    // times what holds a cluster together

}  // namespace

const SurveyLevel::Seen& SurveyLevel::seen_from(int cluster) {
    for (const int vertex : seen_.vertices) seen_.touched[at(vertex)] = 0;
    for (const int other : seen_.clusters) seen_.least[at(other)] = unlimited;
    seen_.vertices.clear();
    seen_.clusters.clear();
    for (const int vertex : members_[at(cluster)])
        for (const int e : partners_[at(vertex)]) {
            const auto& [weight, a, b] = edges_[at(e)];
            const int other = a == vertex ? b : a;
            if (!seen_.touched[at(other)]) seen_.vertices.push_back(other);
            seen_.touched[at(other)] = 1;
            double& least = seen_.least[at(cluster_[at(other)])];
            if (least == unlimited) seen_.clusters.push_back(cluster_[at(other)]);
            least = std::min(least, weight);
        }
    return seen_;
}

bool SurveyLevel::is_loose(int cluster, int beside, Seconds apart) const {
    const Seconds own = alike(inner_[at(cluster)]), other = alike(inner_[at(beside)]);
    if (apart <= other) return false;
    if (apart <= own) return true;
    // A few hosts that are only equally far from each other: one that is slow, or far from all, may
    // have been timed, and another be as much nearer as the two are apart.
    return members_[at(cluster)].size() < few && inner_[at(cluster)] > other &&
           apart <= own + other;
}

int SurveyLevel::place_of(int cluster) const {
    std::vector<int> places;
    for (const int vertex : members_[at(cluster)]) places.push_back(place_[at(vertex)]);
    const auto middle = places.begin() + static_cast<std::ptrdiff_t>(places.size() / 2);
    std::nth_element(places.begin(), middle, places.end());
    return *middle;
}

bool SurveyLevel::surely_apart(int cluster, int other, const Seen& seen) const {
    double bar = std::min(inner_[at(cluster)], inner_[at(other)]);
    for (const int each : {cluster, other})
        if (members_[at(each)].size() == 1)
            bar = std::min(bar, least_[at(members_[at(each)].front())]);
    for (const auto& [third, least] : apart_[at(other)]) {
        if (seen.least[at(third)] == unlimited) continue;
        const auto [near, far] = std::minmax(least, seen.least[at(third)]);
        // If both are far, one long disturbance would do.
        if (near <= most_near * bar && disturbed * far - near > alike(bar)) return true;
    }
    return false;
}

Seconds SurveyLevel::likely_apart(int other, const Seen& seen) const {
    Seconds found = unlimited;
    for (const auto& [third, least] : apart_[at(other)]) {
        if (seen.least[at(third)] == unlimited) continue;
        const auto [near, far] = std::minmax(least, seen.least[at(third)]);
        if (far > unlike * near) return unlimited;
        found = std::min(found, far);
    }
    return found;
}

std::vector<int> SurveyLevel::open(int cluster) {
    const Seen& seen = seen_from(cluster);
    std::vector<int> found;
    for (int other = 0; other < clusters(); ++other) {
        if (other == cluster) continue;
        const double apart = seen.least[at(other)];
        if (apart == unlimited) {
            if (!surely_apart(cluster, other, seen)) found.push_back(-1 - other);
        } else if (is_loose(other, cluster, apart)) {
            for (const int vertex : members_[at(other)])
                if (!seen.touched[at(vertex)]) found.push_back(vertex);
        }
    }
    return found;
}

std::vector<HostPair> SurveyLevel::searches() {
    std::vector<int> searching, homes;
    for (int cluster = 0; cluster < clusters(); ++cluster) {
        const auto& members = members_[at(cluster)];
        if (members.size() == 1 || loose_[at(cluster)])
            searching.insert(searching.end(), members.begin(), members.end());
        else
            homes.push_back(cluster);
    }
    std::vector<HostPair> pairs;
    if (static_cast<double>(searching.size()) > many_searching * vertices()) return pairs;
    for (const int vertex : searching) {
        const int own = cluster_[at(vertex)];
        const bool first = vertex == members_[at(own)].front();
        const Seen& seen = seen_from(own);
        std::vector<char> met(members_.size(), 0);  // by the vertex itself
        for (const int e : partners_[at(vertex)])
            for (const int end : {edges_[at(e)].a, edges_[at(e)].b}) met[at(cluster_[at(end)])] = 1;
        std::vector<std::pair<Seconds, int>> left;
        for (const int home : homes) {
            const double apart = seen.least[at(home)];
            const bool open = apart == unlimited ? first && !surely_apart(own, home, seen)
                                                 : is_loose(own, home, apart);
            if (open && !met[at(home)]) left.emplace_back(likely_apart(home, seen), home);
        }
        // The likeliest first.
        std::shuffle(left.begin(), left.end(), random_);
        std::stable_sort(left.begin(), left.end(),
                         [](const auto& x, const auto& y) { return x.first < y.first; });
        left.resize(
            std::min(left.size(), std::max<std::size_t>(most_asked, left.size() / share_asked)));
        for (const auto& [apart, home] : left) {
            const int host = idle(vertex);
            pairs.push_back(visit(host, idle_of(home)));
        }
    }
    allowances_.comparisons -= static_cast<double>(pairs.size());
    return pairs;
}

bool SurveyLevel::may_be_left(int cluster, int other) const {
    for (const int each : {cluster, other})
        if (members_[at(each)].size() < few || loose_[at(each)]) return false;
    const auto [least, most] = std::minmax(inner_[at(cluster)], inner_[at(other)]);
    return most <= alike(least);
}

std::vector<HostPair> SurveyLevel::comparisons() {
    std::vector<int> order(members_.size());
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), random_);
    std::stable_sort(order.begin(), order.end(),
                     [&](int x, int y) { return members_[at(x)].size() > members_[at(y)].size(); });
    // Neighbours first: they may be one, and then all others have less to do.
    std::vector<int> by_place(members_.size()), rank(members_.size());
    std::iota(by_place.begin(), by_place.end(), 0);
    std::vector<int> place;
    for (const int cluster : by_place) place.push_back(place_of(cluster));
    std::sort(by_place.begin(), by_place.end(),
              [&](int x, int y) { return place[at(x)] < place[at(y)]; });
    for (std::size_t i = 0; i < by_place.size(); ++i) rank[at(by_place[i])] = static_cast<int>(i);
    std::vector<HostPair> pairs;
    const auto whole = [&](int x, int y) {
        const int a = idle_of(x);
        ++turn_[at(a)];
        const int b = idle_of(y);
        --turn_[at(a)];
        pairs.push_back(visit(a, b));
    };
    for (int cluster = 0; cluster < clusters(); ++cluster) {
        const Seen& seen = seen_from(cluster);
        for (int step = 1; step <= surely_compared; ++step) {
            const int other_rank = rank[at(cluster)] + step;
            if (other_rank >= clusters()) break;
            const int other = by_place[at(other_rank)];
            const bool alone = members_[at(cluster)].size() + members_[at(other)].size() == 2;
            if (seen.least[at(other)] == unlimited && !alone) whole(cluster, other);
        }
    }
    if (pairs.empty()) pairs = searches();
    if (!pairs.empty()) return pairs;
    std::vector<int> pivots;
    std::vector<std::vector<int>> targets;
    for (const int cluster : order) {
        auto found = open(cluster);
        if (allowances_.comparisons <= 0)
            std::erase_if(
                found, [&](int target) { return target < 0 && may_be_left(cluster, -1 - target); });
        if (found.empty()) continue;
        pivots.push_back(cluster);
        targets.push_back(std::move(found));
        if (pivots.size() == most_pivots) break;
    }
    // Two of them may be one.
    for (std::size_t i = 0; i < pivots.size(); ++i)
        for (const int target : targets[i])
            if (target < 0 && std::find(pivots.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                                        pivots.end(), -1 - target) != pivots.end())
                whole(pivots[i], -1 - target);
    if (!pairs.empty()) return pairs;
    std::vector<int> asked(hosts_of_.size(), 0);
    for (std::size_t i = 0; i < pivots.size(); ++i)
        for (const int target : targets[i]) {
            const int other = target < 0 ? -1 - target : cluster_[at(target)];
            const bool alone = members_[at(other)].size() == 1;
            const int vertex = target < 0 ? members_[at(other)].front() : target;
            if ((target >= 0 || alone) && ++asked[at(vertex)] > most_asked) continue;
            if (target < 0) {
                whole(pivots[i], other);
                if (may_be_left(pivots[i], other)) --allowances_.comparisons;
            } else {
                const int host = idle(target);
                pairs.push_back(visit(host, idle_of(pivots[i])));
            }
        }
    return pairs;
}

std::vector<HostPair> SurveyLevel::checks() {
    std::vector<HostPair> pairs;
    std::set<HostPair> chosen;
    const auto choose = [&](int a, int b) {
        const HostPair vertices = std::minmax(a, b);
        if (timed(a, b) || !chosen.insert(vertices).second) return false;
        const int host = idle(a);
        pairs.push_back(visit(host, idle(b)));
        return true;
    };
    for (int cluster = 0; cluster < clusters(); ++cluster) {
        const auto& members = members_[at(cluster)];
        const auto size = static_cast<int>(members.size());
        if (size < 2) continue;
        const Check last = check_of_[at(members.front())];
        const bool fell_apart = size < last.size && inner_[at(cluster)] >= 0.95 * last.inner;
        const Check now{size, inner_[at(cluster)]};
        const int wanted = std::min(settings_.checks, size - 1);
        std::vector<int> left(members.size(), wanted);
        if (!fell_apart)
            for (std::size_t i = 0; i < members.size(); ++i) left[i] -= inside(members[i]);
        for (const int vertex : members) check_of_[at(vertex)] = now;
        std::vector<std::size_t> lacking;
        for (int round = 0; round < 3 * wanted; ++round) {
            lacking.clear();
            for (std::size_t i = 0; i < members.size(); ++i)
                if (left[i] > 0) lacking.push_back(i);
            if (lacking.empty()) break;
            std::shuffle(lacking.begin(), lacking.end(), random_);
            for (std::size_t i = 0; i < lacking.size(); i += 2) {
                const std::size_t one = lacking[i], two = i + 1 < lacking.size()
                                                              ? lacking[i + 1]
                                                              : random_() % members.size();
                if (one == two || !choose(members[one], members[two])) continue;
                --left[one];
                --left[two];
            }
        }
        // Few are left that lack partners whom they have not had: any others.
        for (const std::size_t i : lacking)
            for (int tries = 0; left[i] > 0 && tries < 4 * size; ++tries) {
                const int other = members[random_() % members.size()];
                if (other != members[i] && choose(members[i], other)) --left[i];
            }
    }
    return pairs;
}

int SurveyLevel::inside(int vertex) const {
    int found = 0;
    for (const int e : partners_[at(vertex)]) {
        const auto& edge = edges_[at(e)];
        found += cluster_[at(edge.a)] == cluster_[at(edge.b)] ? 1 : 0;
    }
    return found;
}

bool SurveyLevel::timed(int a, int b) const {
    const int few = partners_[at(a)].size() < partners_[at(b)].size() ? a : b;
    return std::any_of(partners_[at(few)].begin(), partners_[at(few)].end(), [&](int e) {
        return std::minmax(edges_[at(e)].a, edges_[at(e)].b) == std::minmax(a, b);
    });
}

}  // namespace eco
