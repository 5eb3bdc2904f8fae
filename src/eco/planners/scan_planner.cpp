// SPDX-License-Identifier: BSD-3-Clause
// Scans by leaders. Contiguous ranks that share a widest group form a run; inside every run at once
// a prefix goes from rank to rank. The runs' sums go to their groups' leaders, and from each to all
// others that need them, at once: one crossing of the widest level, however the ranks are placed.
// What lies between two runs of the other group is added up first, so that it crosses as one, if
// the operator commutes. Each leader adds up what lies before each of its group's runs, and hands
// that to the run. With `rotate` each segment has leaders of its own, and slow links are crossed
// over many connections.
#include <algorithm>
#include <utility>
#include <vector>

#include "eco/base/at.h"
#include "eco/planners/planner.h"

namespace eco {

namespace {

struct GroupRun {
    int group;
    Rank first, last;
};

// Runs of one group whose sum crosses to another group as one message.
struct Piece {
    int group;
    std::vector<std::size_t> runs;
};

class ScanPlanner {
public:
    ScanPlanner(const Choice& choice, const Request& request, Rank me)
        : choice_(choice),
          inclusive_(request.operation == Operation::scan),
          merges_(request.commutative),
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
    static Buffer sum_of(std::size_t run) { return scratch(4 + static_cast<int>(run)); }
    // Of a leader, by their number; scratch(3) is what lies before another rank's run.
    Buffer further(int number) const {
        return scratch(4 + static_cast<int>(runs_.size()) + number);
    }

    const GroupRun& own_run() const { return runs_[own_]; }
    Rank leader() const { return (*leaders_)[at(own_run().group)]; }
    bool is_last(std::size_t run) const { return run + 1 == runs_.size(); }

    // What a group needs from the others before each of its runs and after the one before.
    std::vector<std::vector<Piece>> pieces_for(int group) const {
        std::vector<std::vector<Piece>> all;
        std::vector<Piece> pieces;
        for (std::size_t run = 0; run < runs_.size(); ++run) {
            const int here = runs_[run].group;
            if (here == group) {
                all.push_back(std::exchange(pieces, {}));
                continue;
            }
            const auto same = std::find_if(pieces.begin(), pieces.end(), [&](const Piece& piece) {
                return merges_ && piece.group == here;
            });
            if (same == pieces.end())
                pieces.push_back({here, {run}});
            else
                same->runs.push_back(run);
        }
        return all;
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
        used_ = 0;
        for (std::size_t run = 0; run + 1 < runs_.size(); ++run) {
            if (runs_[run].group != group) continue;
            if (runs_[run].last == me_)
                builder_.copy(with, sum_of(run), part);
            else
                builder_.recv(runs_[run].last, sum_of(run), part);
        }
        for (std::size_t other = 0; other < leaders_->size(); ++other) {
            if (static_cast<int>(other) == group) continue;
            for (const auto& pieces : pieces_for(static_cast<int>(other)))
                for (const Piece& piece : pieces)
                    if (piece.group == group)
                        builder_.send((*leaders_)[other], sum_of(piece, part), part);
        }
        hand_out(part);
    }

    Buffer sum_of(const Piece& piece, const std::vector<Chunk>& part) {
        if (piece.runs.size() == 1) return sum_of(piece.runs.front());
        const Buffer all = further(used_++);
        builder_.copy(sum_of(piece.runs.front()), all, part);
        for (std::size_t i = 1; i < piece.runs.size(); ++i)
            builder_.combine(sum_of(piece.runs[i]), all, part);
        return all;
    }

    void hand_out(const std::vector<Chunk>& part) {
        bool any = false;
        const auto add = [&](Buffer more) {
            any ? builder_.combine(more, sum, part) : builder_.copy(more, sum, part);
            any = true;
        };
        const int group = own_run().group;
        auto pieces = pieces_for(group);
        std::size_t next = 0;
        for (std::size_t run = 0; next < pieces.size(); ++run) {
            if (runs_[run].group != group) continue;
            for (const Piece& piece : pieces[next++]) {
                const Buffer here = further(used_++);
                builder_.recv((*leaders_)[at(piece.group)], here, part);
                add(here);
            }
            if (any) {
                const Buffer before = further(used_++);
                builder_.copy(sum, before, part);
                if (run == own_) before_ = before;
                for (Rank rank = runs_[run].first; rank <= runs_[run].last; ++rank)
                    if (rank != me_) builder_.send(rank, before, part);
            }
            if (next < pieces.size()) add(sum_of(run));
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
        if (me_ != leader()) {
            before_ = scratch(3);
            builder_.recv(leader(), before_, part);
        }
        builder_.copy(before_, output, part);
        if (inclusive_)
            builder_.combine(with, output, part);
        else if (!first)
            builder_.combine(without, output, part);
    }

    const Choice& choice_;
    bool inclusive_, merges_;
    Rank me_;
    std::vector<std::vector<Rank>> all_leaders_;  // per segment, or for all, by group
    const std::vector<Rank>* leaders_ = nullptr;  // of the segment at hand
    std::vector<GroupRun> runs_;
    std::size_t own_ = 0;
    Buffer before_ = -1;  // what lies before the own run
    int used_ = 0;        // further buffers of the segment at hand
    Builder builder_;
};

}  // namespace

Program plan_scan(const Choice& choice, const Request& request, Rank me) {
    return ScanPlanner(choice, request, me).run();
}

}  // namespace eco
