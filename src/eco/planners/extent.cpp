// SPDX-License-Identifier: BSD-3-Clause
#include "eco/planners/extent.h"

#include <algorithm>
#include <cmath>

#include "eco/base/at.h"
#include "eco/base/log2.h"
#include "eco/planners/most_children.h"

namespace eco {

namespace {

int levels(const Group& group) {
    int below = 0;
    for (const Group& part : group.parts) below = std::max(below, levels(part));
    return group.is_rank() ? 0 : below + 1;
}

class Estimate {
public:
    Estimate(const Choice& choice, const Request& request)
        : choice_(choice),
          operation_(base(request.operation)),
          top_(request.hierarchy->top),
          ranks_(request.ranks()),
          segments_(segments_of(choice)),
          groups_(std::max<double>(1, static_cast<double>(top_.parts.size()))) {
        for (const Group& part : top_.parts) size_ = std::max(size_, count(part));
    }

    Extent exchange() const {
        if (operation_ == Operation::scan || operation_ == Operation::exscan) return scan();
        if (choice_.carriers() == 0) return leaders();
        return operation_ == Operation::alltoall ? carriers() : rooted_carriers();
    }
    Extent ring() const { return same(5 * ranks_ * segments_); }
    Extent direct() const { return {2 * ranks_, 2 * ranks_ * segments_}; }
    Extent tree(Form inner) const {
        using enum Operation;
        std::vector<Form> forms{choice_.straight() > 0 ? Form{} : choice_.top()};
        forms.insert(forms.end(), choice_.below().begin(), choice_.below().end());
        const double children = most_children(top_, forms, inner, innermost(), {}, 1);
        if (operation_ == gather || operation_ == scatter)
            return blocks(children + 3, 2 * ranks_ + 1);
        const double rest = (children + 2) * ranks_ + 2;
        if (operation_ != allgather && operation_ != reduce_scatter)
            return same(segments_ * (2 * children + 5));
        // Of each group another rank has the children in another block's tree.
        if (choice_.rotate() == Rotate::all)
            return same(2 * segments_ * ((levels(top_) + 2) * ranks_ + children));
        if (choice_.rotates()) return same(segments_ * (rest + ranks_));
        return operation_ == allgather ? blocks(2 * children + 3, rest)
                                       : blocks(2 * children + 6, rest + 2 * ranks_);
    }

    Extent butterfly() const {
        using enum Operation;
        if (operation_ == bcast || operation_ == reduce) return tree({Shape::binomial});
        const double steps = portable_log2(ranks_);
        if (operation_ == allgather) return {2 * steps + 5, 4 * ranks_};
        return same(3 * steps + 6);
    }

    Extent index() const {
        const double digits = std::max(choice_.ports, 1);
        const double steps = std::ceil(portable_log2(ranks_ + 1) / portable_log2(digits + 1)) + 1;
        return {4 * digits * steps + 1, (4 * steps * ranks_ + 1) * segments_};
    }

    Extent ordered() const { return same(segments_ * (8 + longest_run())); }

private:
    static double count(const Group& group) { return static_cast<double>(group.ranks.size()); }
    static Extent same(double tasks) { return {tasks, tasks}; }
    // Blocks that take the same way, in one message or in one each.
    Extent blocks(double messages, double number) const {
        const double chunks = number * segments_;
        return {choice_.segments == 0 ? messages : chunks + messages, chunks};
    }
    bool innermost() const { return choice_.native_inside(); }

    Extent leaders() const {
        using enum Operation;
        const Form inner = innermost() ? choice_.top() : choice_.inner();
        const bool sums = operation_ == barrier || operation_ == allreduce;
        const Turns turns{sums ? segments_ : 1, choice_.rotate() == Rotate::all};
        double children = 0, led = 0;
        for (const Group& part : top_.parts) {
            const double here = turns.of_one(part);
            led = std::max(led, here);
            children =
                std::max(children, most_children(part, {inner}, inner, innermost(), turns, here));
        }
        if (sums) return same(6 * segments_ + 2 * children + 3 * led * groups_);
        if (operation_ == allgather)
            return blocks(2 * children + 2 * groups_ + 3,
                          (2 + children) * ranks_ + size_ * groups_ + 1);
        if (operation_ == reduce_scatter)
            return blocks(2 * children + 3 * groups_ + size_ + 4,
                          (3 + children) * ranks_ + 2 * (groups_ + 1) * size_);
        double most = 0;
        for (const Group& part : top_.parts)
            most = std::max(most, 4 * count(part) * (ranks_ - count(part)) + 3 * count(part));
        return blocks(4 * size_ + 2 * groups_ + 2, most + 1);
    }

    // Each of a group's carriers has some of the other groups, or a share of one.
    Extent carriers() const {
        Extent most;
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
            const Extent here =
                blocks(6 * size + 4 * each + each * size + 2 * groups_,
                       each * (2 * (size + 1) * targets + 2 * shares) + 2 * ranks_ + 2 * size);
            most = {std::max(most.tasks, here.tasks), std::max(most.chunks, here.chunks)};
        }
        return most;
    }

    Extent rooted_carriers() const { return same((2 * segments_ + 1) * ranks_ + 1 + segments_); }

    // The widest group of each rank, as scans see them.
    std::vector<int> group_of() const {
        std::vector<int> group(static_cast<std::size_t>(ranks_), 0);
        for (std::size_t part = 0; part < top_.parts.size(); ++part)
            for (const Rank rank : top_.parts[part].ranks) group[at(rank)] = static_cast<int>(part);
        return group;
    }

    double longest_run() const {
        const auto group = group_of();
        int longest = 1, here = 1;
        for (std::size_t rank = 1; rank < group.size(); ++rank) {
            here = group[rank] == group[rank - 1] ? here + 1 : 1;
            longest = std::max(longest, here);
        }
        return longest;
    }

    // A leader takes in every run's sum, adds up its own for all other leaders, and hands them on.
    Extent scan() const {
        const auto group = group_of();
        std::vector<double> own(at(static_cast<int>(groups_)), 0);
        double runs = 0;
        for (std::size_t rank = 0; rank < group.size(); ++rank)
            if (rank == 0 || group[rank] != group[rank - 1]) {
                ++runs;
                ++own[at(group[rank])];
            }
        const Turns turns{segments_, choice_.rotate() == Rotate::all};
        double most = 0;
        for (std::size_t part = 0; part < top_.parts.size(); ++part)
            most = std::max(
                most, turns.of_one(top_.parts[part]) *
                          (2 * runs + own[part] * (2 * groups_ + 1) + count(top_.parts[part])));
        return same(8 * segments_ + most);
    }

    const Choice& choice_;
    Operation operation_;
    const Group& top_;
    double ranks_, segments_, groups_, size_ = 1;
};

}  // namespace

Extent extent_of_tree(const Choice& choice, const Request& request) {
    return Estimate(choice, request).tree(choice.inner());
}
Extent extent_of_exchange(const Choice& choice, const Request& request) {
    return Estimate(choice, request).exchange();
}
Extent extent_of_ring(const Choice& choice, const Request& request) {
    return Estimate(choice, request).ring();
}
Extent extent_of_butterfly(const Choice& choice, const Request& request) {
    return Estimate(choice, request).butterfly();
}
Extent extent_of_direct(const Choice& choice, const Request& request) {
    return Estimate(choice, request).direct();
}
Extent extent_of_index(const Choice& choice, const Request& request) {
    return Estimate(choice, request).index();
}
Extent extent_of_ordered(const Choice& choice, const Request& request) {
    return Estimate(choice, request).ordered();
}

}  // namespace eco
