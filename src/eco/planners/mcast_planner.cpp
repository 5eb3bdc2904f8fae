// SPDX-License-Identifier: BSD-3-Clause
// Collectives by IP multicast, where it reaches: a message crosses each link once however many
// ranks get it. Where it reaches parts, ordinary messages along a tree of these areas, and who
// gets one for an area multicasts it there.
// - broadcast: segment by segment, so that all areas work at once;
// - allgather: each rank in turn, so that no two collide on a shared medium; between areas each
//   block along a tree from its own rank, and in each area what comes from outside after the turns;
// - allreduce: a reduction along a tree of the hierarchy, then the broadcast, segment by segment.
#include <algorithm>
#include <map>

#include "eco/planners/family.h"
#include "eco/planners/local_tree.h"
#include "eco/planners/mcast_areas.h"
#include "eco/planners/most_children.h"
#include "eco/planners/planner.h"

namespace eco {

namespace {

class McastPlanner {
public:
    McastPlanner(const Choice& choice, const Request& request, Rank me)
        : choice_(choice),
          request_(request),
          top_(request.hierarchy->top),
          me_(me),
          segments_(segments_of(choice)),
          shape_(std::get<McastParameters>(choice.parameters)),
          between_(between_areas(top_)),
          area_(area_of(between_, me)),
          tree_(between_, request.ranks(), me, shape_.top, shape_.inner),
          builder_(request, segments_) {
        if (!area_) return;
        others_ = area_->ranks;
        std::erase(others_, me);
    }

    Program run() {
        if (has_rules(request_, {Rules::all_blocks})) {
            allgather();
        } else if (has_rules(request_, {Rules::sum})) {
            LocalTree sums(top_, request_.ranks(), me_, shape_.top, shape_.inner);
            sums.find(top_.first());
            tree_.find(top_.first());
            for (Chunk segment = 0; segment < segments_; ++segment) {
                reduce(sums, segment);
                broadcast(top_.first(), output, segment);
            }
        } else {
            tree_.find(request_.root);
            for (Chunk segment = 0; segment < segments_; ++segment)
                broadcast(request_.root, me_ == request_.root ? input : output, segment);
        }
        return builder_.finish();
    }

private:
    // Who multicasts in this rank's area what a rank has.
    Rank entry(Rank from) const { return area_->holds(from) ? from : area_->first(); }

    // To the areas below, those that are far first, then in the own one.
    void broadcast(Rank root, Buffer memory, Chunk segment) {
        if (tree_.parent() >= 0) builder_.recv(tree_.parent(), memory, {&segment, 1});
        for (const Rank child : tree_.children()) builder_.send(child, memory, {&segment, 1});
        if (!area_) return;
        if (me_ == entry(root))
            builder_.mcast(others_, memory, {&segment, 1});
        else
            builder_.mcast_recv(entry(root), memory, {&segment, 1});
    }

    // To the first rank of all, those that send late last.
    void reduce(const LocalTree& tree, Chunk segment) {
        builder_.copy(input, output, {&segment, 1});
        const auto& children = tree.children();
        for (auto child = children.rbegin(); child != children.rend(); ++child)
            builder_.reduce(*child, output, {&segment, 1});
        if (tree.parent() >= 0) builder_.send(tree.parent(), output, {&segment, 1});
    }

    void allgather() {
        builder_.copy(input, output, chunks_of({me_}, segments_));
        for (const Rank owner : request_.hierarchy->ring) {
            pass_on(owner);
            if (area_ && area_->holds(owner)) take_turn(owner);
        }
        if (area_) bring_in();
    }

    // Between areas. A long message leaves when it is this rank's turn, and hinders no other.
    void pass_on(Rank owner) {
        tree_.find(owner);
        for (const auto& message : messages_of(owner)) {
            if (tree_.parent() >= 0) {
                builder_.recv(tree_.parent(), output, message);
                arrivals_[owner].push_back(builder_.last_task());
            }
            for (const Rank child : tree_.children()) {
                if (owner == me_ && turn_ >= 0) builder_.pace_by(turn_);
                builder_.send(child, output, message);
            }
        }
    }

    void take_turn(Rank owner) {
        const auto block = chunks_of({owner}, segments_);
        if (owner == me_) {
            if (turn_ >= 0) builder_.wait_also_for(turn_);
            builder_.mcast(others_, output, block);
            turn_ = -1;  // what follows it needs not wait until all have it
        } else {
            builder_.mcast_recv(owner, output, block);
            turn_ = builder_.last_task();
        }
    }

    // What has come from outside, in one order: receivers take a later one as a sign that an
    // earlier one is lost.
    void bring_in() {
        std::int32_t before = -1;
        for (const Rank owner : ranks_outside(between_, *area_)) {
            std::size_t number = 0;
            for (const auto& message : messages_of(owner)) {
                if (me_ != area_->first()) {
                    builder_.mcast_recv(area_->first(), output, message);
                    continue;
                }
                if (turn_ >= 0) builder_.wait_also_for(turn_);
                if (before >= 0) builder_.wait_also_for(before);
                builder_.mcast(others_, output, message);
                before = arrivals_.at(owner)[number++];
            }
        }
    }

    std::vector<std::vector<Chunk>> messages_of(Rank owner) const {
        return messages(chunks_of({owner}, segments_), choice_);
    }

    const Choice& choice_;
    const Request& request_;
    const Group& top_;
    const Rank me_;
    const int segments_;
    const McastParameters shape_;
    const Group between_;
    const Group* const area_;
    LocalTree tree_;  // between areas
    Builder builder_;
    std::vector<Rank> others_;                            // in the area
    std::int32_t turn_ = -1;                              // allgather: the one before the next
    std::map<Rank, std::vector<std::int32_t>> arrivals_;  // tasks, by owner
};

void write_shape(const Choice& choice, const WriteParameter& write) {
    const auto& shape = std::get<McastParameters>(choice.parameters);
    if (shape.top != Form{}) write("top", to_text(shape.top));
    if (shape.inner != Form{}) write("inner", to_text(shape.inner));
}

bool read_shape(std::string_view key, const std::string& value, Choice& choice) {
    auto& shape = std::get<McastParameters>(choice.parameters);
    if (key != "top" && key != "inner") return false;
    (key == "top" ? shape.top : shape.inner) = parse_form(value);
    return true;
}

bool knows_mcast(const Choice& choice, const Request& request) {
    const Group& top = request.hierarchy->top;
    if (choice.rails > 0 || keeps_order(request) || top.is_rank()) return false;
    return has_mcast(top) && (has_rules(request, {Rules::all_blocks, Rules::sum}) ||
                              base(request.operation) == Operation::bcast);
}

Program plan_mcast(const Choice& choice, const Request& request, Rank me) {
    return McastPlanner(choice, request, me).run();
}

std::size_t widest(const Group& group) {
    std::size_t most = group.parts.size();
    for (const Group& part : group.parts) most = std::max(most, widest(part));
    return most;
}

// The most children that a rank has in a tree, of which it is the root or not.
double most_children_between(const Group& group, Form top, Form inner, bool is_root) {
    if (group.is_rank()) return 0;
    const Form form = has_groups(group) ? top : inner;
    std::vector<int> below(group.parts.size(), 0);
    if (form.shape == Shape::balanced)
        below.assign(below.size(), static_cast<int>(below.size()) - 1);
    else
        for (const int above : parents(form, std::vector<Weight>(below.size())))
            if (above >= 0) ++below[static_cast<std::size_t>(above)];
    double inside = 0;
    for (const Group& part : group.parts)
        inside = std::max(inside, most_children_between(part, top, inner, true));
    return inside + *std::max_element(below.begin() + (is_root ? 0 : 1), below.end());
}

Extent extent_of_mcast(const Choice& choice, const Request& request) {
    const double segments = segments_of(choice), ranks = request.ranks();
    const Group& top = request.hierarchy->top;
    if (has_rules(request, {Rules::all_blocks})) {
        if (is_reached(top)) return {ranks + 1, (ranks + 1) * segments};
        const auto& shape = std::get<McastParameters>(choice.parameters);
        // Of each block: it comes, it is passed on, it is multicast; and the rank's own to others.
        const double each =
            2 + most_children_between(between_areas(top), shape.top, shape.inner, false);
        const double own = most_children_between(between_areas(top), shape.top, shape.inner, true);
        const double chunks = (ranks * each + own + 1) * segments;
        return {chunks, chunks};
    }
    // A rank may stand for its group at several levels.
    const double tasks = segments * (4 + 4 * static_cast<double>(widest(top)));
    return {tasks, tasks};
}

double scratch_of_mcast(const Choice& choice, const Request& request) {
    if (!has_rules(request, {Rules::sum})) return 0;
    const auto& shape = std::get<McastParameters>(choice.parameters);
    return most_children(request.hierarchy->top, {shape.top}, shape.inner, false, {}, 1);
}

}  // namespace

constinit const PlannerFamily McastParameters::planner{
    .name = "mcast",
    .write = write_shape,
    .read = read_shape,
    .keys = "top, inner",
    .knows = knows_mcast,
    .plan = plan_mcast,
    .extent = extent_of_mcast,
    .messages =
        [](const Choice& choice, const Request& request) {
            const double ranks = request.ranks();
            return ranks * (has_rules(request, {Rules::all_blocks}) ? ranks : segments_of(choice));
        },
    .scratch = scratch_of_mcast,
};

}  // namespace eco
