// SPDX-License-Identifier: BSD-3-Clause
// Collectives by IP multicast, where it reaches: a message crosses each link once
// however many ranks get it. Between groups that it does not join, ordinary messages.
// - broadcast: one multicast; or one in each group that has it, between the groups a star;
// - allgather: each rank in turn, so that no two collide on a shared medium;
// - allreduce: a reduction along a tree of the hierarchy, then the broadcast, segment by segment.
#include <algorithm>

#include "eco/planners/family.h"
#include "eco/planners/local_tree.h"
#include "eco/planners/planner.h"

namespace eco {

namespace {

// The network's; inside a host messages do as well.
bool is_reached(const Group& group) { return group.mcast_rate > 0 && !group.on_one_host; }

class McastPlanner {
public:
    McastPlanner(const Choice& choice, const Request& request, Rank me)
        : request_(request),
          top_(request.hierarchy->top),
          me_(me),
          segments_(segments_of(choice)),
          shape_(std::get<McastParameters>(choice.parameters)),
          builder_(request, segments_) {}

    Program run() {
        if (has_rules(request_, {Rules::all_blocks})) {
            allgather();
        } else if (has_rules(request_, {Rules::sum})) {
            LocalTree tree(top_, request_.ranks(), me_, shape_.top, shape_.inner);
            tree.find(top_.first());
            for (Chunk segment = 0; segment < segments_; ++segment) {
                reduce(tree, segment);
                broadcast(top_, top_.first(), output, segment);
            }
        } else {
            for (Chunk segment = 0; segment < segments_; ++segment)
                broadcast(top_, request_.root, me_ == request_.root ? input : output, segment);
        }
        return builder_.finish();
    }

private:
    // From the rank that has the segment to all others of a group.
    void broadcast(const Group& group, Rank from, Buffer memory, Chunk segment) {
        if (group.is_rank() || !group.holds(me_)) return;
        if (is_reached(group)) {
            if (me_ != from) return builder_.mcast_recv(from, memory, {&segment, 1});
            std::vector<Rank> others = group.ranks;
            std::erase(others, from);
            return builder_.mcast(others, memory, {&segment, 1});
        }
        const auto entry = [from](const Group& part) {
            return part.holds(from) ? from : part.first();
        };
        for (const Group& part : group.parts) {
            if (part.holds(from)) continue;
            if (me_ == from) builder_.send(part.first(), memory, {&segment, 1});
            if (me_ == part.first()) builder_.recv(from, memory, {&segment, 1});
        }
        for (const Group& part : group.parts) broadcast(part, entry(part), memory, segment);
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
        const auto& order = request_.hierarchy->ring;
        builder_.copy(input, output, chunks_of({me_}, segments_));
        for (const Rank rank : order) {
            const auto block = chunks_of({rank}, segments_);
            if (rank != me_) {
                builder_.mcast_recv(rank, output, block);
                continue;
            }
            std::vector<Rank> others = order;
            std::erase(others, me_);
            if (rank != order.front()) builder_.wait_also_for(builder_.last_task());
            builder_.mcast(others, output, block);
        }
    }

    const Request& request_;
    const Group& top_;
    const Rank me_;
    const int segments_;
    const McastParameters shape_;
    Builder builder_;
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
    if (has_rules(request, {Rules::all_blocks})) return is_reached(top);
    if (has_rules(request, {Rules::sum})) return has_mcast(top);
    return base(request.operation) == Operation::bcast && has_mcast(top);
}

Program plan_mcast(const Choice& choice, const Request& request, Rank me) {
    return McastPlanner(choice, request, me).run();
}

std::size_t widest(const Group& group) {
    std::size_t most = group.parts.size();
    for (const Group& part : group.parts) most = std::max(most, widest(part));
    return most;
}

Extent extent_of_mcast(const Choice& choice, const Request& request) {
    const double segments = segments_of(choice), ranks = request.ranks();
    if (has_rules(request, {Rules::all_blocks})) return {ranks + 1, (ranks + 1) * segments};
    // A rank may stand for its group at several levels.
    const double tasks = segments * (4 + 4 * static_cast<double>(widest(request.hierarchy->top)));
    return {tasks, tasks};
}

}  // namespace

extern const PlannerFamily mcast_family;
const PlannerFamily mcast_family{
    .name = "mcast",
    .parameters = McastParameters{},
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
};

}  // namespace eco
