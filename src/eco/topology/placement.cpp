#include "eco/topology/placement.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "eco/base/check.h"

namespace eco {

namespace {

std::size_t at(int index) { return static_cast<std::size_t>(index); }

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
           std::vector<Rank> rank_of)
        : graph_(graph),
          ring_(hierarchy.ring),
          distance_(distance),
          rank_of_(std::move(rank_of)),
          vertex_on_(rank_of_.size()),
          place_(rank_of_.size()) {
        for (std::size_t v = 0; v < rank_of_.size(); ++v)
            vertex_on_[at(rank_of_[v])] = static_cast<int>(v);
        for (std::size_t i = 0; i < ring_.size(); ++i) place_[at(ring_[i])] = static_cast<int>(i);
    }

    double cost() const {
        double sum = 0;
        for (std::size_t v = 0; v < graph_.size(); ++v) sum += around(static_cast<int>(v));
        return sum / 2;
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

    const std::vector<Rank>& rank_of() const { return rank_of_; }

private:
    static constexpr int most_rounds = 8;
    // How far in ring order from a neighbour a place is still worth trying: about a subnet.
    static constexpr int reach = 16;

    double around(int vertex) const {
        double sum = 0;
        for (const Edge& edge : graph_[at(vertex)])
            sum += edge.weight * distance_(rank_of_[at(vertex)], rank_of_[at(edge.to)]);
        return sum;
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
    std::vector<Rank> rank_of_;
    std::vector<int> vertex_on_, place_;  // by rank; its place in the ring
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

double placement_cost(const Graph& graph, const Hierarchy& hierarchy,
                      const std::vector<Rank>& rank_of) {
    const Graph full = both_ways(graph);
    const Distances distance(hierarchy);
    return Search(full, hierarchy, distance, rank_of).cost();
}

std::vector<Rank> place(const Graph& graph, const Hierarchy& hierarchy) {
    ECO_CHECK(static_cast<int>(graph.size()) == hierarchy.ranks());
    const Graph full = both_ways(graph);
    const Distances distance(hierarchy);
    std::vector<Rank> identity(graph.size());
    std::iota(identity.begin(), identity.end(), 0);
    double least = std::numeric_limits<double>::infinity();
    std::vector<Rank> best;
    for (const auto& start : {identity, hierarchy.ring, Growth(full).run(hierarchy)}) {
        Search search(full, hierarchy, distance, start);
        search.improve();
        const double cost = search.cost();
        if (cost >= least) continue;
        least = cost;
        best = search.rank_of();
    }
    return best;
}

}  // namespace eco
