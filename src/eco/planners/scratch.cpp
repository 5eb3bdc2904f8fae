// SPDX-License-Identifier: BSD-3-Clause
#include "eco/planners/scratch.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "eco/base/at.h"
#include "eco/base/log2.h"
#include "eco/planners/most_children.h"

namespace eco {

namespace {

class ScratchEstimate {
public:
    ScratchEstimate(const Choice& choice, const Request& request)
        : choice_(choice),
          request_(request),
          operation_(base(request.operation)),
          top_(request.hierarchy->top),
          ranks_(request.ranks()),
          segments_(segments_of(choice)),
          groups_(std::max<double>(1, static_cast<double>(top_.parts.size()))) {}

    double tree(Form inner) const {
        using enum Operation;
        const double children = tree_children(inner);
        switch (operation_) {
            case reduce:
            case allreduce:
                return 1 + children;
            case allgather:
                // All but a child's own blocks go to each child.
                return choice_.rotates() ? 0 : packed((children + 3) * ranks_);
            case reduce_scatter:
                return choice_.rotates() ? 1 + children : 2 + children + packed(1);
            case gather:
            case scatter: {
                const double below = most_below_another(inner);
                return below <= 1 ? 0 : below + packed(ranks_);
            }
            default:
                return 0;
        }
    }

    double exchange() const {
        using enum Operation;
        if (operation_ == scan || operation_ == exscan) return scans();
        if (choice_.carriers() > 0) return operation_ == alltoall ? carriers() : rooted_carriers();
        switch (operation_) {
            case allreduce:
                return sums_of_leaders();
            case allgather:
                return packed(gather_by_leaders());
            case reduce_scatter:
                // Where most of the sum is for one group, its leader takes that in from all others.
                return children_inside({}) + groups_ + 1 + packed(groups_ + 1);
            case alltoall: {
                double most = 0;
                for (const Group& part : top_.parts)
                    most = std::max(most, count(part) * (ranks_ - count(part)));
                return 2 * most + packed(3 * most);
            }
            default:
                return 0;
        }
    }

    double ring() const {
        if (has_rules(request_, {Rules::all_blocks})) return 0;
        return has_rules(request_, {Rules::sum}) ? 1 : 2;
    }

    double butterfly() const {
        using enum Operation;
        if (operation_ == bcast || operation_ == reduce) return tree({Shape::binomial});
        const double steps = std::floor(portable_log2(ranks_));
        if (operation_ == allgather) return ranks_;
        return operation_ == barrier ? 0 : 2 * steps + 2;
    }

    double index() const {
        double steps = 0;
        for (double reached = 1; reached < ranks_; reached *= std::max(choice_.ports, 1) + 1)
            ++steps;
        return (1 + 3 * steps) * ranks_;
    }

    double ordered() const { return request_.commutative ? 3 : 4; }

private:
    static double count(const Group& group) { return static_cast<double>(group.ranks.size()); }
    // Of messages that hold several blocks.
    double packed(double blocks) const { return choice_.segments == 0 ? blocks : 0; }
    bool innermost() const { return choice_.native_inside(); }

    double tree_children(Form inner) const {
        // A star may take the tree's place (tree_planner.cpp).
        if (keeps_order(request_)) return ranks_;
        std::vector<Form> forms{choice_.straight() > 0 ? Form{} : choice_.top()};
        forms.insert(forms.end(), choice_.below().begin(), choice_.below().end());
        double children = most_children(top_, forms, inner, innermost(), {}, 1);
        // Some segments go along a star, others along the tree.
        if (choice_.straight() > 0) {
            forms.front() = choice_.top();
            children = std::max(children, most_children(top_, forms, inner, innermost(), {}, 1));
        }
        return children;
    }

    // The most ranks below and including one that is not the root.
    double most_below_another(Form inner) const {
        const auto is_star = [](Form form) { return form.shape == Shape::star; };
        const auto& below = choice_.below();
        if (!is_star(choice_.top()) || !is_star(inner) ||
            !std::all_of(below.begin(), below.end(), is_star))
            return ranks_ - 1;
        double most = 1;
        for (const Group& part : top_.parts) most = std::max(most, count(part));
        return most;
    }

    // Of a leader or another rank, in all turns' trees of its group together.
    double children_inside(Turns turns) const {
        const Form inner = innermost() ? choice_.top() : choice_.inner();
        double children = 0;
        for (const Group& part : top_.parts)
            children = std::max(children, most_children(part, {inner}, inner, innermost(), turns,
                                                        turns.of_one(part)));
        return children;
    }

    // Groups of contiguous ranks need no copies of what goes from leader to leader.
    double gather_by_leaders() const {
        bool near = true, alone = true;
        for (const Group& part : top_.parts) {
            const auto [least, most] = std::minmax_element(part.ranks.begin(), part.ranks.end());
            near = near && *most - *least + 1 == static_cast<Rank>(part.ranks.size());
            alone = alone && part.is_rank();
        }
        if (alone) return 0;
        return (children_inside({}) + 3 + (near ? 0 : groups_)) * ranks_;
    }

    // A leader has its group's sum, and one of each other group; split: those of its share, and of
    // what goes straight.
    double sums_of_leaders() const {
        const double turns = choice_.rotates() ? segments_ : 1;
        const Turns rotation{turns, choice_.rotate() == Rotate::all};
        double led = 0;
        for (const Group& part : top_.parts) led = std::max(led, rotation.of_one(part) / turns);
        double share = led;
        if (choice_.split()) {
            const double straight = std::max(1.0, std::round(segments_ * choice_.straight() / 100));
            share = std::ceil(segments_ / groups_) + (choice_.straight() > 0 ? straight : 0);
            share = std::min(share / segments_, led);
        }
        return 1 + share * (groups_ - 1) + children_inside(rotation) / turns;
    }

    // Each of a group's carriers has some of the other groups, or a share of one (extent.cpp).
    double carriers() const {
        double most = 0;
        for (const Group& own : top_.parts) {
            const double size = count(own);
            double duties = 0, targets = 0, shares = 0;
            for (const Group& other : top_.parts) {
                if (&other == &own) continue;
                const double pairs = std::min({1.0 * choice_.carriers(), size, count(other)});
                duties += pairs;
                targets = std::max(targets, std::ceil(count(other) / pairs));
                shares = std::max(shares, count(other) * std::ceil(size / pairs));
            }
            const double each = std::min(groups_ - 1, std::floor(duties / size) + 2);
            const double banks = each * (size * targets + shares);
            most = std::max(most, banks + packed(2 * banks + 3 * ranks_));
        }
        return most;
    }

    // The root keeps what it carries itself.
    double rooted_carriers() const { return choice_.carriers() == 1 ? 0 : ranks_ / 2 + 1; }

    // A leader holds every run's sum, those that it adds up for others, and what lies before its
    // own runs.
    double scans() const {
        std::vector<int> group(at(static_cast<int>(ranks_)), 0);
        for (std::size_t part = 0; part < top_.parts.size(); ++part)
            for (const Rank rank : top_.parts[part].ranks) group[at(rank)] = static_cast<int>(part);
        std::vector<double> own(at(static_cast<int>(groups_)), 0);
        double runs = 0;
        for (std::size_t rank = 0; rank < group.size(); ++rank)
            if (rank == 0 || group[rank] != group[rank - 1]) {
                ++runs;
                ++own[at(group[rank])];
            }
        const double turns = choice_.rotates() ? segments_ : 1;
        const Turns rotation{turns, choice_.rotate() == Rotate::all};
        double most = 0;
        for (std::size_t part = 0; part < top_.parts.size(); ++part)
            most = std::max(most, rotation.of_one(top_.parts[part]) / turns *
                                      (runs + own[part] * (1 + (groups_ - 1) / 2)));
        return 4 + most + (request_.commutative ? 0 : 1);
    }

    const Choice& choice_;
    const Request& request_;
    Operation operation_;
    const Group& top_;
    double ranks_, segments_, groups_;
};

}  // namespace

double scratch_of_tree(const Choice& choice, const Request& request) {
    return ScratchEstimate(choice, request).tree(choice.inner());
}
double scratch_of_exchange(const Choice& choice, const Request& request) {
    return ScratchEstimate(choice, request).exchange();
}
double scratch_of_ring(const Choice& choice, const Request& request) {
    return ScratchEstimate(choice, request).ring();
}
double scratch_of_butterfly(const Choice& choice, const Request& request) {
    return ScratchEstimate(choice, request).butterfly();
}
double scratch_of_index(const Choice& choice, const Request& request) {
    return ScratchEstimate(choice, request).index();
}
double scratch_of_ordered(const Choice& choice, const Request& request) {
    return ScratchEstimate(choice, request).ordered();
}

}  // namespace eco
