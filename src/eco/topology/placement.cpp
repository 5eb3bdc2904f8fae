// SPDX-License-Identifier: BSD-3-Clause
#include "eco/topology/placement.h"

#include <algorithm>
#include <numeric>
#include <random>
#include <utility>

#include "eco/base/at.h"
#include "eco/base/check.h"

namespace eco {

namespace {

constexpr std::size_t few_ranks = 64, more_starts = 8;

// Distances by the depth at which two ranks part, found from each rank's path down the hierarchy.
class Distances {
public:
    explicit Distances(const Hierarchy& hierarchy) : paths_(at(hierarchy.ranks())) {
        walk(hierarchy.top);
        for (const auto& path : paths_) depth_ = std::max(depth_, path.size());
    }

    double operator()(Rank a, Rank b) const {
        if (a == b) return 0;
        const auto &x = paths_[at(a)], &y = paths_[at(b)];
        std::size_t common = 0;
        while (common < x.size() && common < y.size() && x[common] == y[common]) ++common;
        double distance = 1;
        for (std::size_t level = common; level + 1 < depth_; ++level) distance *= 10;
        return distance;
    }

private:
    void walk(const Group& group) {
        for (std::size_t p = 0; p < group.parts.size(); ++p) {
            for (const Rank rank : group.parts[p].ranks)
                paths_[at(rank)].push_back(static_cast<int>(p));
            walk(group.parts[p]);
        }
    }
    std::vector<std::vector<int>> paths_;
    std::size_t depth_ = 0;
};

Graph both_ways(const Graph& graph) {
    Graph full(graph.size());
    for (std::size_t v = 0; v < graph.size(); ++v)
        for (const Edge& edge : graph[v]) {
            if (edge.to == static_cast<int>(v)) continue;
            full[v].push_back(edge);
            full[at(edge.to)].push_back({static_cast<int>(v), edge.weight});
        }
    return full;
}

// The innermost groups, in ring order.
void collect(const Group& group, std::vector<std::vector<Rank>>& groups) {
    const bool innermost = std::all_of(group.parts.begin(), group.parts.end(),
                                       [](const Group& part) { return part.is_rank(); });
    if (innermost) return groups.push_back(group.ranks);
    for (const Group& part : group.parts) collect(part, groups);
}

// Fills one innermost group after the other: always with the vertex that talks most to those in
// the group, the one met first where several do. A mesh falls into tiles, not into rows.
class Growth {
public:
    explicit Growth(const Graph& graph) : graph_(graph), placed_(graph.size(), false) {}

    std::vector<Rank> run(const Hierarchy& hierarchy) {
        std::vector<Rank> rank_of(graph_.size());
        std::vector<std::vector<Rank>> groups;
        collect(hierarchy.top, groups);
        for (const auto& group : groups) {
            std::vector<double> pull(graph_.size(), 0);
            std::vector<int> met;
            for (const Rank rank : group) {
                const int vertex = next(met, pull);
                placed_[at(vertex)] = true;
                rank_of[at(vertex)] = rank;
                for (const Edge& edge : graph_[at(vertex)]) {
                    met.push_back(edge.to);
                    met_.push_back(edge.to);
                    pull[at(edge.to)] += edge.weight;
                }
            }
        }
        return rank_of;
    }

private:
    // met: neighbours of those in the group, in the order in which they were met.
    int next(std::vector<int>& met, const std::vector<double>& pull) {
        for (auto* list : {&met, &met_}) {
            std::erase_if(*list, [this](int vertex) { return placed_[at(vertex)]; });
            if (!list->empty())
                return *std::max_element(list->begin(), list->end(),
                                         [&](int a, int b) { return pull[at(a)] < pull[at(b)]; });
        }
        return static_cast<int>(std::find(placed_.begin(), placed_.end(), false) - placed_.begin());
    }

    const Graph& graph_;
    std::vector<bool> placed_;
    std::vector<int> met_;  // the same for all groups
};

// One placement, improved by exchanging vertices.
class Search {
public:
    Search(const Graph& graph, const Hierarchy& hierarchy, const Distances& distance,
           const LinksBetween& ways, std::vector<Rank> rank_of)
        : graph_(graph),
          ring_(hierarchy.ring),
          distance_(distance),
          ways_(ways),
          rank_of_(std::move(rank_of)),
          vertex_on_(rank_of_.size()),
          place_(rank_of_.size()) {
        put(rank_of_);
        for (std::size_t i = 0; i < ring_.size(); ++i) place_[at(ring_[i])] = static_cast<int>(i);
    }

    PlacementCost cost() const {
        double sum = 0;
        for (std::size_t v = 0; v < graph_.size(); ++v) sum += around(static_cast<int>(v));
        const auto time = times(loads());
        return {time.empty() ? 0 : *std::max_element(time.begin(), time.end()), sum / 2};
    }

    void improve() {
        bool better = true;
        for (int round = 0; better && round < most_rounds; ++round) {
            better = false;
            for (int v = 0; v < static_cast<int>(graph_.size()); ++v)
                for (const Edge& edge : graph_[at(v)])
                    if (const int other = best_exchange(v, edge.to); other >= 0) {
                        exchange(v, other);
                        better = true;
                    }
        }
    }

    // Takes messages off the busiest links, whatever distance that costs: rounds of exchanges, each
    // the best of vertices not yet exchanged in the round, also where it makes things worse for the
    // moment; then the best that was met counts (Kernighan and Lin, 1970).
    void relieve() {
        if (ways_.links() == 0) return;
        loads_ = loads();
        int trials = 0;
        while (trials < most_trials) {
            const auto start = rank_of_;
            PlacementCost least = cost();
            auto best = start;
            std::vector<bool> moved(graph_.size(), false);
            for (int step = 0; step < most_steps && trials < most_trials; ++step) {
                const auto [a, b] = best_relief(moved, trials);
                if (a < 0) break;
                exchange_loaded(a, b);
                moved[at(a)] = moved[at(b)] = true;
                if (const PlacementCost now = cost(); now < least) {
                    least = now;
                    best = rank_of_;
                }
            }
            put(best);
            if (best == start) return;
        }
    }

    const std::vector<Rank>& rank_of() const { return rank_of_; }

private:
    static constexpr int most_rounds = 8;
    // How far in ring order from a neighbour a place is still worth trying: about a subnet.
    static constexpr int reach = 16;
    // Of exchanges for the sake of links, each of which touches some hundred of their loads.
    static constexpr int most_trials = 200'000, most_steps = 16;

    double around(int vertex) const {
        double sum = 0;
        for (const Edge& edge : graph_[at(vertex)])
            sum += edge.weight * distance_(rank_of_[at(vertex)], rank_of_[at(edge.to)]);
        return sum;
    }

    // Weights of what crosses each link, one message each way along every edge.
    std::vector<double> loads() const {
        std::vector<double> sum(ways_.links(), 0);
        for (std::size_t v = 0; ways_.links() > 0 && v < graph_.size(); ++v)
            for (const Edge& edge : graph_[v])
                for (const int link : ways_.between(rank_of_[v], rank_of_[at(edge.to)]))
                    sum[at(link)] += edge.weight;
        return sum;
    }
    std::vector<double> times(std::vector<double> loads) const {
        for (std::size_t link = 0; link < loads.size(); ++link)
            loads[link] /= ways_.rate(static_cast<int>(link));
        return loads;
    }

    bool sends_over(int vertex, int link) const {
        const auto& edges = graph_[at(vertex)];
        return std::any_of(edges.begin(), edges.end(), [&](const Edge& edge) {
            const auto& way = ways_.between(rank_of_[at(vertex)], rank_of_[at(edge.to)]);
            return std::find(way.begin(), way.end(), link) != way.end();
        });
    }

    // What stands for the busiest link but also falls where one of several such is relieved: the
    // sum of eighth powers. Only of links whose load changes.
    double strain(int link) const {
        const double share = loads_[at(link)] / ways_.rate(link) / unit_;
        const double square = share * share;
        return square * square * square * square;
    }
    // Adds `sign` times all that two vertices send and receive, and what that adds to the strain.
    double load(int a, int b, double sign) {
        double more = 0;
        const auto add = [&](int from, int to, double weight) {
            for (const int link : ways_.between(rank_of_[at(from)], rank_of_[at(to)])) {
                more -= strain(link);
                loads_[at(link)] += sign * weight;
                more += strain(link);
            }
        };
        for (const int vertex : {a, b})
            for (const Edge& edge : graph_[at(vertex)]) {
                add(vertex, edge.to, edge.weight);
                if (edge.to != a && edge.to != b) add(edge.to, vertex, edge.weight);
            }
        return more;
    }

    // Changes of the strain and of the distance.
    std::pair<double, double> exchange_loaded(int a, int b) {
        const double before = around(a) + around(b);
        double strain = load(a, b, -1);
        exchange(a, b);
        strain += load(a, b, 1);
        return {strain, around(a) + around(b) - before};
    }

    // Of a vertex that sends over the busiest link with any other; -1 where all have moved.
    std::pair<int, int> best_relief(const std::vector<bool>& moved, int& trials) {
        const auto time = times(loads_);
        const auto most = std::max_element(time.begin(), time.end());
        std::pair<int, int> best{-1, -1};
        if (*most <= 0) return best;
        unit_ = *most;
        const int busiest = static_cast<int>(most - time.begin()),
                  vertices = static_cast<int>(graph_.size());
        double least = 0, least_distance = 0;
        for (int v = 0; v < vertices; ++v) {
            if (moved[at(v)] || !sends_over(v, busiest)) continue;
            for (int other = 0; other < vertices && trials < most_trials; ++other) {
                if (other == v || moved[at(other)]) continue;
                ++trials;
                const auto [strain, distance] = exchange_loaded(v, other);
                exchange_loaded(v, other);
                const bool first = best.first < 0, as_good = strain < least + 1e-9;
                if (!first && strain >= least - 1e-9 && !(as_good && distance < least_distance))
                    continue;
                best = {v, other};
                least = strain;
                least_distance = distance;
            }
        }
        return best;
    }

    void put(const std::vector<Rank>& rank_of) {
        rank_of_ = rank_of;
        for (std::size_t v = 0; v < rank_of_.size(); ++v)
            vertex_on_[at(rank_of_[v])] = static_cast<int>(v);
        loads_ = loads();
    }

    void exchange(int a, int b) {
        std::swap(rank_of_[at(a)], rank_of_[at(b)]);
        vertex_on_[at(rank_of_[at(a)])] = a;
        vertex_on_[at(rank_of_[at(b)])] = b;
    }

    // The vertex near `neighbour` in ring order with which to change places; -1 where none helps.
    int best_exchange(int vertex, int neighbour) {
        const int ranks = static_cast<int>(ring_.size());
        const int middle = place_[at(rank_of_[at(neighbour)])], most = std::min(reach, ranks / 2);
        int best = -1;
        double gained = 1e-9;
        for (int step = -most; step <= most; ++step) {
            const int other = vertex_on_[at(ring_[at((middle + step + ranks) % ranks)])];
            if (other == vertex || other == neighbour) continue;
            const double before = around(vertex) + around(other);
            exchange(vertex, other);
            const double gain = before - around(vertex) - around(other);
            exchange(vertex, other);
            if (gain > gained) {
                gained = gain;
                best = other;
            }
        }
        return best;
    }

    const Graph& graph_;
    const std::vector<Rank>& ring_;
    const Distances& distance_;
    const LinksBetween& ways_;
    std::vector<Rank> rank_of_;
    std::vector<int> vertex_on_, place_;  // by rank; its place in the ring
    std::vector<double> loads_;           // by link, while it is relieved
    double unit_ = 1;                     // of time, so that the busiest link's is about one
};

}  // namespace

Graph grid_graph(const std::vector<int>& dims, const std::vector<bool>& periods, int ranks) {
    Graph graph(at(ranks));
    int vertices = 1;
    for (const int dim : dims) vertices *= dim;
    for (int v = 0; v < vertices; ++v) {
        int stride = 1;
        for (std::size_t d = dims.size(); d-- > 0; stride *= dims[d]) {
            const int coordinate = v / stride % dims[d];
            if (coordinate + 1 < dims[d])
                graph[at(v)].push_back({v + stride, 1.0});
            else if (periods[d] && dims[d] > 2)
                graph[at(v)].push_back({v - coordinate * stride, 1.0});
        }
    }
    return graph;
}

PlacementCost placement_cost(const Graph& graph, const Hierarchy& hierarchy,
                             const LinksBetween& ways, const std::vector<Rank>& rank_of) {
    const Graph full = both_ways(graph);
    const Distances distance(hierarchy);
    return Search(full, hierarchy, distance, ways, rank_of).cost();
}

double crossing_share(const Graph& graph, const Hierarchy& hierarchy,
                      const std::vector<Rank>& rank_of) {
    std::vector<std::size_t> part_of(at(hierarchy.ranks()));
    for (std::size_t part = 0; part < hierarchy.top.parts.size(); ++part)
        for (const Rank rank : hierarchy.top.parts[part].ranks) part_of[at(rank)] = part;
    double all = 0, crossing = 0;
    for (std::size_t v = 0; v < graph.size(); ++v)
        for (const Edge& edge : graph[v]) {
            if (edge.to == static_cast<int>(v)) continue;
            all += edge.weight;
            if (part_of[at(rank_of[v])] != part_of[at(rank_of[at(edge.to)])])
                crossing += edge.weight;
        }
    return all > 0 ? crossing / all : 0;
}

std::vector<Rank> place(const Graph& graph, const Hierarchy& hierarchy, const LinksBetween& ways) {
    ECO_CHECK(static_cast<int>(graph.size()) == hierarchy.ranks());
    const Graph full = both_ways(graph);
    const Distances distance(hierarchy);
    std::vector<Rank> best(graph.size());
    std::iota(best.begin(), best.end(), 0);
    std::vector<std::vector<Rank>> starts{best, hierarchy.ring, Growth(full).run(hierarchy)};
    // Links make hills that one start may not get over, and few ranks are soon done.
    std::mt19937 random(1);
    while (ways.links() > 0 && graph.size() <= few_ranks && starts.size() < 3 + more_starts) {
        starts.push_back(starts.back());
        for (std::size_t i = graph.size(); i > 1; --i)
            std::swap(starts.back()[i - 1], starts.back()[random() % i]);
    }
    PlacementCost least = placement_cost(graph, hierarchy, ways, best);
    for (const auto& start : starts) {
        Search search(full, hierarchy, distance, ways, start);
        const auto take_if_better = [&] {
            const PlacementCost cost = search.cost();
            if (!(cost < least)) return;
            least = cost;
            best = search.rank_of();
        };
        search.improve();
        take_if_better();
        search.relieve();
        take_if_better();
    }
    return best;
}

}  // namespace eco
