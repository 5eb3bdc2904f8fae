// SPDX-License-Identifier: BSD-3-Clause
#include "eco/survey/survey.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <random>
#include <set>
#include <tuple>

#include "eco/topology/partition.h"

namespace eco {

namespace {

constexpr double unlimited = std::numeric_limits<double>::infinity();

// Clusters that others are compared with at a time. More save rounds, fewer save visits where two
// turn out to be one.
constexpr std::size_t most_pivots = 16;

// Comparisons of one vertex in a batch: one that has found its cluster needs no others.
constexpr int most_asked = 2;

// Of one pair, where the partition depends on it.
constexpr int most_visits = 5;
constexpr int surely_visited = 3;
constexpr double disturbed = 0.7;  // of a time, what is there undisturbed at least
constexpr double most_near = 3;    // times what holds a cluster together
constexpr double close = 1.02;     // to the least of all

// Neighbours in the likely order are compared in any case.
constexpr int surely_compared = 3;

std::size_t at(int index) { return static_cast<std::size_t>(index); }

int count_of(const std::vector<int>& cluster) {
    return cluster.empty() ? 0 : *std::max_element(cluster.begin(), cluster.end()) + 1;
}

// The least time between each two vertices that have a timed pair of hosts between them.
std::vector<CostEdge> edges_between(const Timings& timings, const std::vector<int>& vertex) {
    std::vector<CostEdge> edges;
    for (const auto& entry : timings.entries()) {
        const auto [a, b] = std::minmax(vertex[at(entry.a)], vertex[at(entry.b)]);
        if (a != b) edges.push_back({entry.least(), a, b});
    }
    std::sort(edges.begin(), edges.end(), [](const CostEdge& x, const CostEdge& y) {
        return std::tie(x.a, x.b, x.weight) < std::tie(y.a, y.b, y.weight);
    });
    edges.erase(
        std::unique(edges.begin(), edges.end(),
                    [](const CostEdge& x, const CostEdge& y) { return x.a == y.a && x.b == y.b; }),
        edges.end());
    return edges;
}

// One level: which of these vertices (hosts, or the clusters of the level below) belong together.
class Level {
public:
    Level(const std::vector<int>& vertex_of, const std::vector<int>& order, Timings& timings,
          const SurveySettings& settings, double& allowance, double& again, std::mt19937& random)
        : timings_(timings),
          settings_(settings),
          allowance_(allowance),
          again_(again),
          random_(random),
          vertex_of_(vertex_of),
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

    // What to time next, and why; empty if the level is settled.
    std::vector<HostPair> next(std::string& why) {
        find_clusters();
        std::fill(turn_.begin(), turn_.end(), 0);
        std::vector<HostPair> pairs;
        if (clusters() == 1 && vertices() == 1) return pairs;
        why = "comparing clusters";
        pairs = comparisons();
        if (!pairs.empty()) return pairs;
        why = "checking clusters";
        pairs = checks();
        if (!pairs.empty()) return pairs;
        why = "pairs that are uncertain";
        return unclear();
    }

    // Between vertices that follow each other.
    std::vector<HostPair> neighbours(const std::vector<int>& order) {
        std::vector<HostPair> pairs;
        std::set<HostPair> found;
        for (std::size_t i = 1; i < order.size(); ++i) {
            const int a = order[i - 1], b = order[i];
            const auto between = std::minmax(vertex_of_[at(a)], vertex_of_[at(b)]);
            if (between.first != between.second && !timings_.has(a, b) &&
                found.insert(between).second)
                pairs.emplace_back(a, b);
        }
        return pairs;
    }

    const std::vector<int>& cluster() const { return cluster_; }

private:
    int vertices() const { return static_cast<int>(hosts_of_.size()); }
    int clusters() const { return static_cast<int>(members_.size()); }
    double factor() const { return 1 + settings_.tolerance; }

    void find_clusters() {
        edges_ = edges_between(timings_, vertex_of_);
        cluster_ = partition(vertices(), edges_, settings_.tolerance);
        members_.assign(at(count_of(cluster_)), {});
        for (int v = 0; v < vertices(); ++v) members_[at(cluster_[at(v)])].push_back(v);
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
    }

    // A host of the vertex that has the least to do in this batch.
    int idle(int vertex) {
        const auto& hosts = hosts_of_[at(vertex)];
        return *std::min_element(hosts.begin(), hosts.end(),
                                 [&](int x, int y) { return turn_[at(x)] < turn_[at(y)]; });
    }
    int idle_of(int cluster) {
        int found = -1;
        for (const int vertex : members_[at(cluster)]) {
            const int host = idle(vertex);
            if (found < 0 || turn_[at(host)] < turn_[at(found)]) found = host;
            if (turn_[at(found)] == 0) break;
        }
        return found;
    }
    // Of two vertices, or of a vertex and a whole cluster.
    HostPair visit(int a, int b) {
        ++turn_[at(a)];
        ++turn_[at(b)];
        return std::minmax(a, b);
    }

    // What a cluster must still be compared with: whole clusters by one of their members, but where
    // another holds together no better than the two are apart, any member of it may belong here.
    struct Seen {
        std::vector<char> touched;  // by vertex: has a timed pair with the cluster
        std::vector<double> least;  // by cluster
    };
    Seen seen_from(int cluster) const {
        Seen seen{std::vector<char>(hosts_of_.size(), 0),
                  std::vector<double>(members_.size(), unlimited)};
        for (const int vertex : members_[at(cluster)])
            for (const int e : partners_[at(vertex)]) {
                const auto& [weight, a, b] = edges_[at(e)];
                const int other = a == vertex ? b : a;
                seen.touched[at(other)] = 1;
                double& least = seen.least[at(cluster_[at(other)])];
                least = std::min(least, weight);
            }
        return seen;
    }
    bool is_loose(int cluster, int beside, Seconds apart) const {
        return apart > factor() * inner_[at(beside)] && apart <= factor() * inner_[at(cluster)];
    }
    int place_of(int cluster) const { return place_[at(members_[at(cluster)].front())]; }

    // Whether a third that both were compared with is so much nearer to one of them that the two
    // cannot be one. Times may be a good deal longer than undisturbed, never shorter.
    bool surely_apart(int cluster, int other, const Seen& seen) const {
        double bar = std::min(inner_[at(cluster)], inner_[at(other)]);
        for (const int each : {cluster, other})
            if (members_[at(each)].size() == 1)
                bar = std::min(bar, least_[at(members_[at(each)].front())]);
        for (const int vertex : members_[at(other)])
            for (const int e : partners_[at(vertex)]) {
                const auto& [weight, a, b] = edges_[at(e)];
                const double third = seen.least[at(cluster_[at(a == vertex ? b : a)])];
                if (third == unlimited) continue;
                const auto [near, far] = std::minmax(weight, third);
                // If both are far, one long disturbance would do.
                if (near <= most_near * bar && disturbed * far - near > factor() * bar) return true;
            }
        return false;
    }

    // Vertices to compare with the cluster. A negative number: a whole cluster, −1 − its id.
    std::vector<int> open(int cluster) const {
        const Seen seen = seen_from(cluster);
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

    std::vector<HostPair> comparisons() {
        std::vector<int> order(members_.size());
        std::iota(order.begin(), order.end(), 0);
        std::shuffle(order.begin(), order.end(), random_);
        std::stable_sort(order.begin(), order.end(), [&](int x, int y) {
            return members_[at(x)].size() > members_[at(y)].size();
        });
        // Neighbours first: they may be one, and then all others have less to do.
        std::vector<int> by_place(members_.size()), rank(members_.size());
        std::iota(by_place.begin(), by_place.end(), 0);
        std::sort(by_place.begin(), by_place.end(),
                  [&](int x, int y) { return place_of(x) < place_of(y); });
        for (std::size_t i = 0; i < by_place.size(); ++i)
            rank[at(by_place[i])] = static_cast<int>(i);
        std::vector<HostPair> pairs;
        const auto whole = [&](int x, int y) {
            const int a = idle_of(x);
            ++turn_[at(a)];
            const int b = idle_of(y);
            --turn_[at(a)];
            pairs.push_back(visit(a, b));
        };
        for (int cluster = 0; cluster < clusters(); ++cluster) {
            const Seen seen = seen_from(cluster);
            for (int step = 1; step <= surely_compared; ++step) {
                const int other_rank = rank[at(cluster)] + step;
                if (other_rank >= clusters()) break;
                const int other = by_place[at(other_rank)];
                const bool alone = members_[at(cluster)].size() + members_[at(other)].size() == 2;
                if (seen.least[at(other)] == unlimited && !alone) whole(cluster, other);
            }
        }
        if (!pairs.empty()) return pairs;
        std::vector<int> pivots;
        std::vector<std::vector<int>> targets;
        for (const int cluster : order) {
            auto found = open(cluster);
            if (allowance_ <= 0) std::erase_if(found, [](int target) { return target < 0; });
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
        if (!pairs.empty()) {
            return pairs;
        }
        std::vector<int> asked(hosts_of_.size(), 0);
        for (std::size_t i = 0; i < pivots.size(); ++i)
            for (const int target : targets[i]) {
                const int other = target < 0 ? -1 - target : cluster_[at(target)];
                const bool alone = members_[at(other)].size() == 1;
                const int vertex = target < 0 ? members_[at(other)].front() : target;
                if ((target >= 0 || alone) && ++asked[at(vertex)] > most_asked) continue;
                if (target < 0) {
                    whole(pivots[i], other);
                    if (!alone) --allowance_;
                } else {
                    const int host = idle(target);
                    pairs.push_back(visit(host, idle_of(pivots[i])));
                }
            }
        return pairs;
    }

    // Random partners inside each cluster, so many of each member: what is nearer to each other
    // than the rest shows then. All anew in what is left of a cluster that fell apart by it.
    std::vector<HostPair> checks() {
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
    // Timed pairs of the vertex with others of its cluster.
    int inside(int vertex) const {
        int found = 0;
        for (const int e : partners_[at(vertex)]) {
            const auto& edge = edges_[at(e)];
            found += cluster_[at(edge.a)] == cluster_[at(edge.b)] ? 1 : 0;
        }
        return found;
    }
    bool timed(int a, int b) const {
        const int few = partners_[at(a)].size() < partners_[at(b)].size() ? a : b;
        return std::any_of(partners_[at(few)].begin(), partners_[at(few)].end(), [&](int e) {
            return std::minmax(edges_[at(e)].a, edges_[at(e)].b) == std::minmax(a, b);
        });
    }

    // Pairs between clusters that would join them, did they take as much less as may be.
    std::vector<HostPair> unclear() {
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
            const double bar =
                std::min({least_[at(vertex_of_[at(entry.a)])], least_[at(vertex_of_[at(entry.b)])],
                          inner_[at(x)], inner_[at(y)]});
            // As unclear.h: 19 of 20 disturbances that are spread exponentially.
            const double uncertainty =
                4.3 * std::max(entry.spread(), *middle) /
                static_cast<double>(whole ? samples[{x, y}] : entry.samples.size());
            if (entry.least() * (1 - std::min(0.99, uncertainty)) <= factor() * bar)
                pairs.emplace_back(entry.a, entry.b);
        }
        const auto sure = least_edges();
        pairs.insert(pairs.end(), sure.begin(), sure.end());
        std::sort(pairs.begin(), pairs.end());
        pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
        if (static_cast<double>(pairs.size()) > again_) {
            std::shuffle(pairs.begin(), pairs.end(), random_);
            pairs.resize(static_cast<std::size_t>(std::max(0.0, again_)));
        }
        again_ -= static_cast<double>(pairs.size());
        return pairs;
    }
    // Of clusters, which few pairs stand for: those by which others are judged.
    std::vector<HostPair> least_edges() const {
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

    Timings& timings_;
    const SurveySettings& settings_;
    double &allowance_, &again_;  // comparisons and second visits that may still be
    std::mt19937& random_;
    const std::vector<int>& vertex_of_;
    std::vector<std::vector<int>> hosts_of_;  // by vertex
    struct Check {                            // the cluster as it was when it was checked last
        int size = 0;
        double inner = 0;
    };
    std::vector<Check> check_of_;  // by vertex
    std::vector<int> place_;       // by vertex, in the likely order
    int next_place_ = 0;
    std::vector<int> turn_;  // by host: visits in this batch

    std::vector<CostEdge> edges_;
    std::vector<std::vector<int>> partners_;  // by vertex, indices into edges_
    std::vector<int> cluster_;                // of each vertex
    std::vector<std::vector<int>> members_;   // of each cluster
    std::vector<double> inner_, least_;       // least edge inside a cluster; of a vertex
};

class Surveying {
public:
    Surveying(const std::vector<std::vector<int>>& orders, Prober& prober,
              const SurveySettings& settings, Timings known, const OnVisits& on_visits)
        : orders_(orders),
          prober_(prober),
          settings_(settings),
          on_visits_(on_visits),
          hosts_(known.hosts()),
          random_(settings.seed) {
        survey_.timings = std::move(known);
    }

    Survey run() {
        if (hosts_ <= few_hosts)
            time_all();
        else
            find_clusters();
        survey_.levels = find_levels(survey_.timings, settings_.tolerance);
        survey_.not_compared = not_compared();
        return std::move(survey_);
    }

private:
    void time(const std::vector<HostPair>& pairs, const std::string& why) {
        if (on_visits_) on_visits_(pairs.size(), why);
        const auto samples = prober_.time(pairs, settings_.bytes);
        for (std::size_t i = 0; i < pairs.size(); ++i) survey_.timings.add(pairs[i], samples[i]);
        survey_.visits += pairs.size();
    }

    void time_all() {
        std::vector<HostPair> pairs;
        for (int a = 0; a < hosts_; ++a)
            for (int b = a + 1; b < hosts_; ++b)
                if (!survey_.timings.has(a, b)) pairs.emplace_back(a, b);
        if (!pairs.empty()) time(pairs, "all pairs");
    }

    // As find_levels goes from hosts to ever wider clusters.
    void find_clusters() {
        survey_.checks = settings_.checks;
        std::vector<int> vertex_of(at(hosts_));
        std::iota(vertex_of.begin(), vertex_of.end(), 0);
        double allowance = settings_.comparisons_per_host * hosts_;
        double again = settings_.again_per_host * hosts_;
        while (true) {
            Level level(vertex_of, orders_.front(), survey_.timings, settings_, allowance, again,
                        random_);
            const int vertices = count_of(vertex_of);
            for (const auto& order : orders_) {
                const auto pairs = level.neighbours(order);
                if (!pairs.empty()) time(pairs, "neighbours");
            }
            std::string why;
            for (auto pairs = level.next(why); !pairs.empty(); pairs = level.next(why))
                time(pairs, why);
            std::vector<int> wider;
            for (const int vertex : vertex_of) wider.push_back(level.cluster()[at(vertex)]);
            const int clusters = count_of(wider);
            vertex_of = std::move(wider);
            if (clusters == vertices || clusters <= 1) return;
        }
    }

    double not_compared() const {
        const auto& subnet = survey_.levels.back();
        const double subnets = count_of(subnet);
        if (subnets < 2) return 0;
        const auto compared = static_cast<double>(edges_between(survey_.timings, subnet).size());
        return 1 - compared / (subnets * (subnets - 1) / 2);
    }

    const std::vector<std::vector<int>>& orders_;
    Prober& prober_;
    const SurveySettings& settings_;
    const OnVisits& on_visits_;
    int hosts_;
    std::mt19937 random_;
    Survey survey_;
};

}  // namespace

Levels find_levels(const Timings& timings, double tolerance) {
    std::vector<int> vertex(at(timings.hosts()));
    std::iota(vertex.begin(), vertex.end(), 0);
    Levels levels;
    while (true) {
        const int vertices = count_of(vertex);
        const auto merged = partition(vertices, edges_between(timings, vertex), tolerance);
        const int clusters = count_of(merged);
        if (!levels.empty() && (clusters == vertices || clusters == 1)) return levels;
        for (int& each : vertex) each = merged[at(each)];
        levels.insert(levels.begin(), vertex);
        if (clusters <= 1) return levels;
    }
}

Survey survey(const std::vector<std::vector<int>>& orders, Prober& prober,
              const SurveySettings& settings, Timings known, const OnVisits& on_visits) {
    return Surveying(orders, prober, settings, std::move(known), on_visits).run();
}

}  // namespace eco
