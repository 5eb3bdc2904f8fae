// SPDX-License-Identifier: BSD-3-Clause
#include "eco/multicast/spread.h"

#include <algorithm>

namespace eco::multicast {

namespace {

constexpr int most_sweeps = 12;
constexpr std::int64_t least_places = 16;
constexpr double least_gain = 1e-3;  // of the whole, for one move: else trees grow deep for nothing
constexpr std::int64_t most_trials = 2'000'000;  // of a place for one destination
constexpr std::int64_t most_in_sweep =
    most_trials / 4;  // if there are more, fewer places are tried

class Spread {
public:
    Spread(const Load& load, const std::vector<Message>& messages)
        : load_(load), messages_(messages), busy_(load.resources(), 0) {
        for (const Message& message : messages) {
            Tree tree;
            tree.ranks.push_back(message.source);
            tree.ranks.insert(tree.ranks.end(), message.destinations.begin(),
                              message.destinations.end());
            tree.parent.assign(tree.ranks.size(), 0);
            trees_.push_back(tree);
        }
        std::int64_t vertices = 0;
        for (std::size_t m = 0; m < trees_.size(); ++m)
            for (std::size_t v = 1; v < trees_[m].ranks.size(); ++v, ++vertices) carry(m, 0, v, 1);
        places_ = static_cast<std::size_t>(std::max<std::int64_t>(
            least_places, most_in_sweep / std::max<std::int64_t>(vertices, 1)));
        // Loads near 1, so that their powers stay within range.
        scale_ = 0;
        for (const Seconds time : busy_) scale_ = std::max(scale_, time);
        for (const Seconds time : busy_) cost_ += power(time);
    }

    Deliveries run() {
        if (scale_ <= 0) return direct(messages_);
        for (int sweep = 0; sweep < most_sweeps; ++sweep) {
            bool moved = false;
            for (std::size_t m = 0; m < trees_.size(); ++m)
                for (std::size_t v = 1; v < trees_[m].ranks.size() && trials_ < most_trials; ++v)
                    moved = improve(m, v) || moved;
            if (!moved || trials_ >= most_trials) break;
        }
        return list();
    }

    std::int64_t trials() const { return trials_; }

private:
    struct Tree {
        std::vector<Rank> ranks;          // the source first
        std::vector<std::size_t> parent;  // index in ranks
    };

    double power(Seconds time) const {
        const double x = time / scale_, square = x * x, fourth = square * square;
        return fourth * fourth;
    }

    // Adds (sign 1) or takes away (-1) what one message from one vertex to another occupies.
    void carry(std::size_t m, std::size_t from, std::size_t to, int sign) {
        const Tree& tree = trees_[m];
        for (const Occupation& one : load_.of(tree.ranks[from], tree.ranks[to])) {
            Seconds& time = busy_[static_cast<std::size_t>(one.resource)];
            if (scale_ > 0) cost_ -= power(time);
            time = std::max(0.0, time + sign * one.of(messages_[m].bytes));
            if (scale_ > 0) cost_ += power(time);
        }
    }
    void attach(std::size_t m, std::size_t v, std::size_t below) {
        carry(m, trees_[m].parent[v], v, -1);
        trees_[m].parent[v] = below;
        carry(m, below, v, 1);
    }

    bool is_below(const Tree& tree, std::size_t v, std::size_t top) const {
        while (v != 0 && v != top) v = tree.parent[v];
        return v == top;
    }

    // v takes its parent's place, above it and all that hung there.
    void lift(std::size_t m, std::size_t v) {
        Tree& tree = trees_[m];
        const std::size_t above = tree.parent[v];
        attach(m, v, tree.parent[above]);
        for (std::size_t other = 1; other < tree.ranks.size(); ++other)
            if (other != v && tree.parent[other] == above) attach(m, other, v);
        attach(m, above, v);
    }

    bool improve(std::size_t m, std::size_t v) {
        Tree& tree = trees_[m];
        const double before = cost_;
        double best = before * (1 - least_gain);
        const std::size_t was = tree.parent[v];
        std::size_t target = was;
        // Other ones for each destination.
        const std::size_t step = (tree.ranks.size() + places_ - 1) / places_;
        for (std::size_t other = v % step; other < tree.ranks.size(); other += step) {
            ++trials_;
            if (other == was || is_below(tree, other, v)) continue;
            attach(m, v, other);
            if (cost_ < best) {
                best = cost_;
                target = other;
            }
            attach(m, v, was);
        }
        if (target != was) {
            attach(m, v, target);
            return true;
        }
        if (was == 0) return false;
        trials_ += static_cast<std::int64_t>((tree.parent.size() + busy_.size()) / 32);
        const auto parents = tree.parent;
        const auto busy = busy_;
        lift(m, v);
        if (cost_ < best) return true;
        tree.parent = parents;
        busy_ = busy;
        cost_ = before;
        return false;
    }

    // Parents first.
    Deliveries list() const {
        Deliveries deliveries;
        for (std::size_t m = 0; m < trees_.size(); ++m) {
            const Tree& tree = trees_[m];
            std::vector<std::size_t> reached{0};
            for (std::size_t i = 0; i < reached.size(); ++i)
                for (std::size_t v = 1; v < tree.ranks.size(); ++v)
                    if (tree.parent[v] == reached[i]) {
                        reached.push_back(v);
                        deliveries.push_back(
                            {static_cast<int>(m), tree.ranks[reached[i]], tree.ranks[v]});
                    }
        }
        return deliveries;
    }

    const Load& load_;
    const std::vector<Message>& messages_;
    std::vector<Tree> trees_;
    std::vector<Seconds> busy_;  // per resource
    double scale_ = 0, cost_ = 0;
    std::size_t places_ = 0;  // that are tried for each destination
    std::int64_t trials_ = 0;
};

}  // namespace

Deliveries spread(const Load& load, const std::vector<Message>& messages, std::int64_t* work) {
    Spread all(load, messages);
    auto found = all.run();
    if (work) *work += all.trials();
    return found;
}

}  // namespace eco::multicast
