// SPDX-License-Identifier: BSD-3-Clause
#include <queue>

#include "eco/multicast/agenda.h"
#include "paper_heuristics.h"

namespace eco::multicast {

namespace {

// One message's tree, grown by its cheapest edge. Weights are fixed, so messages grow apart from
// each other and only the order among them is common.
class Growth {
public:
    Growth(const Times& times, int k)
        : times_(&times), k_(k), open_(times.message(k).destinations), best_(open_.size()) {
        reach_from(times.source(k), true);
    }

    bool done() const { return open_.empty(); }
    Seconds weight() const { return best_[next_].weight; }
    Rank from() const { return best_[next_].from; }
    Rank to() const { return open_[next_]; }

    void advance() {
        const Rank joined = to();
        open_[next_] = open_.back();
        best_[next_] = best_.back();
        open_.pop_back();
        best_.pop_back();
        reach_from(joined, false);
    }

private:
    struct Edge {
        Seconds weight = never;
        Rank from = -1;
    };
    void reach_from(Rank from, bool first) {
        next_ = 0;
        for (std::size_t n = 0; n < open_.size(); ++n) {
            const Seconds weight = times_->edge(from, open_[n], k_);
            if (first || weight < best_[n].weight) best_[n] = {weight, from};
            if (best_[n].weight < best_[next_].weight) next_ = n;
        }
    }

    const Times* times_;
    int k_;
    std::vector<Rank> open_;
    std::vector<Edge> best_;
    std::size_t next_ = 0;
};

}  // namespace

Schedule fastest_edge_first(const Pattern& pattern) {
    const Times times(pattern);
    Agenda agenda(times);
    std::vector<Growth> growths;
    std::priority_queue<std::pair<Seconds, int>, std::vector<std::pair<Seconds, int>>,
                        std::greater<>>
        least;
    for (int k = 0; k < times.messages(); ++k) {
        growths.emplace_back(times, k);
        if (!growths.back().done()) least.emplace(growths.back().weight(), k);
    }
    while (!least.empty()) {
        const int k = least.top().second;
        least.pop();
        Growth& growth = growths[static_cast<std::size_t>(k)];
        agenda.add(growth.from(), growth.to(), k, agenda.append_slot(growth.from()));
        growth.advance();
        if (!growth.done()) least.emplace(growth.weight(), k);
    }
    return agenda.finish();
}

}  // namespace eco::multicast
