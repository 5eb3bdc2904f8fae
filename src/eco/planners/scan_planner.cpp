// SPDX-License-Identifier: BSD-3-Clause
// Scans by leaders. Contiguous ranks that share a widest group form a run; inside every run at once
// a prefix goes from rank to rank. The runs' sums go to their groups' leaders, and from each to all
// others that need them, at once: one crossing of the widest level, however the ranks are placed.
// Each leader adds up what lies before each of its group's runs, and hands that to the run. With
// `rotate` each segment has leaders of its own, and slow links are crossed over many connections.
#include <algorithm>

#include "eco/planners/planner.h"

namespace eco {

namespace {

std::size_t at(int index) { return static_cast<std::size_t>(index); }

struct Run {
    int group;
    Rank first, last;
};

class ScanPlanner {
public:
    ScanPlanner(const Choice& choice, const Request& request, Rank me)
        : choice_(choice),
          inclusive_(request.operation == Operation::scan),
          me_(me),
          builder_(request, segments_of(choice), choice.window) {
        const Group& top = request.hierarchy->top;
        std::vector<int> group(at(request.ranks()), 0);
        for (std::size_t g = 0; g < top.parts.size(); ++g)
            for (const Rank rank : top.parts[g].ranks) group[at(rank)] = static_cast<int>(g);
        const int turns = choice.rotates() ? segments_of(choice) : 1;
        for (int turn = 0; turn < turns; ++turn) {
            const LeaderRotation rotation{turn, turns, choice.rotate() == Rotate::all};
            std::vector<Rank>& leaders = all_leaders_.emplace_back();
            for (const Group& part : top.parts) leaders.push_back(rotation.of_group(part));
            if (top.is_rank()) leaders.push_back(me);
        }
        for (Rank rank = 0; rank < request.ranks(); ++rank)
            if (!runs_.empty() && runs_.back().group == group[at(rank)])
                runs_.back().last = rank;
            else
                runs_.push_back({group[at(rank)], rank, rank});
        while (runs_[own_].last < me) ++own_;
    }

    Program run() {
        for (const auto& part : messages(all_chunks(segments_of(choice_)), choice_)) {
            leaders_ = &all_leaders_[at(part.front()) % all_leaders_.size()];
            scan_run(part);
            if (me_ == leader()) lead(part);
            finish(part);
        }
        return builder_.finish();
    }

private:
    // Prefix of the run up to here with and without this rank; what lies before a run; its sum.
    static constexpr Buffer with = scratch(0), without = scratch(1), sum = scratch(2);
    static Buffer before(std::size_t run) { return scratch(3 + 2 * static_cast<int>(run)); }
    static Buffer sum_of(std::size_t run) { return scratch(4 + 2 * static_cast<int>(run)); }

    const Run& own_run() const { return runs_[own_]; }
    Rank leader() const { return (*leaders_)[at(own_run().group)]; }
    bool is_last(std::size_t run) const { return run + 1 == runs_.size(); }

    // Whether a leader needs what comes before a later run of its group.
    bool needs(int group, std::size_t sum) const {
        return std::any_of(runs_.begin() + static_cast<std::ptrdiff_t>(sum) + 1, runs_.end(),
                           [group](const Run& run) { return run.group == group; });
    }

    void scan_run(const std::vector<Chunk>& part) {
        builder_.copy(input, with, part);
        if (me_ > own_run().first) {
            builder_.recv(me_ - 1, without, part);
            builder_.combine(without, with, part, true);
        }
        if (me_ < own_run().last) builder_.send(me_ + 1, with, part);
        if (me_ == own_run().last && me_ != leader() && !is_last(own_))
            builder_.send(leader(), with, part);
    }

    void lead(const std::vector<Chunk>& part) {
        const int group = own_run().group;
        for (std::size_t run = 0; run + 1 < runs_.size(); ++run) {
            const Run& each = runs_[run];
            if (each.group != group) continue;
            if (each.last == me_)
                builder_.copy(with, sum_of(run), part);
            else
                builder_.recv(each.last, sum_of(run), part);
            for (std::size_t other = 0; other < leaders_->size(); ++other)
                if (static_cast<int>(other) != group && needs(static_cast<int>(other), run))
                    builder_.send((*leaders_)[other], sum_of(run), part);
        }
        for (std::size_t run = 0; run < runs_.size(); ++run)
            if (runs_[run].group != group && needs(group, run))
                builder_.recv((*leaders_)[at(runs_[run].group)], sum_of(run), part);
        for (std::size_t run = 0; run < runs_.size(); ++run) {
            const Run& each = runs_[run];
            if (each.group == group && run > 0) {
                builder_.copy(sum, before(run), part);
                for (Rank rank = each.first; rank <= each.last; ++rank)
                    if (rank != me_) builder_.send(rank, before(run), part);
            }
            if (!needs(group, run)) break;
            if (run == 0)
                builder_.copy(sum_of(run), sum, part);
            else
                builder_.combine(sum_of(run), sum, part);
        }
    }

    void finish(const std::vector<Chunk>& part) {
        const bool first = me_ == own_run().first;
        if (own_ == 0) {
            if (inclusive_)
                builder_.copy(with, output, part);
            else if (!first)
                builder_.copy(without, output, part);
            return;
        }
        if (me_ != leader()) builder_.recv(leader(), before(own_), part);
        builder_.copy(before(own_), output, part);
        if (inclusive_)
            builder_.combine(with, output, part);
        else if (!first)
            builder_.combine(without, output, part);
    }

    const Choice& choice_;
    bool inclusive_;
    Rank me_;
    std::vector<std::vector<Rank>> all_leaders_;  // per segment, or for all, by group
    const std::vector<Rank>* leaders_ = nullptr;  // of the segment at hand
    std::vector<Run> runs_;
    std::size_t own_ = 0;
    Builder builder_;
};

}  // namespace

Program plan_scan(const Choice& choice, const Request& request, Rank me) {
    return ScanPlanner(choice, request, me).run();
}

}  // namespace eco
