// SPDX-License-Identifier: BSD-3-Clause
// Collectives along one spanning tree (ECO §4 and §5): towards the leaves for broadcast and
// scatter, towards the root for reduce and gather, both for the rest. Segments flow through the
// tree like a pipeline, because each is a message of its own and waits for nothing else. With
// `rotate` each has a tree of its own, with other ranks to lead the groups: a slow link
// between sites is then crossed over many connections at once, none of which has to start slowly.
#include <algorithm>
#include <iterator>
#include <optional>

#include "eco/base/at.h"
#include "eco/base/check.h"
#include "eco/base/text.h"
#include "eco/planners/family.h"
#include "eco/planners/local_tree.h"
#include "eco/planners/native_part.h"
#include "eco/planners/planner.h"

namespace eco {

namespace {

class TreePlanner {
public:
    TreePlanner(const Choice& choice, const Request& request, Rank me)
        : choice_(choice),
          request_(request),
          me_(me),
          root_(traits(request.operation).rooted() ? request.root : request.hierarchy->top.first()),
          straight_(choice, request),
          builder_(request, segments_of(choice), choice.window, choice.ports),
          native_(choice, request, root_, me, builder_) {
        if (choice.native_inside())
            inner_leaders_ = innermost_leaders(request.hierarchy->top, root_);
        if (!keeps_subtrees()) {
            find_branches();
        } else {
            tree_ = whole_tree({});
            branches_.push_back(branch_of(tree_));
        }
    }

    Program run() {
        const OperationTraits& asked = traits(request_.operation);
        switch (asked.rules) {
            case Rules::tree:
                asked.reduces() ? up(parts(), output) : down(parts());
                break;
            case Rules::signal:
            case Rules::sum:
                if (native_.is_all()) {
                    native_.allreduce(parts());
                    break;
                }
                up(parts(), output);
                down(parts());
                break;
            case Rules::root_blocks:
                asked.ends == Ends::root ? gather() : scatter(input);
                break;
            case Rules::all_blocks:
                choice_.rotates() ? allgather_block_by_block() : allgather();
                break;
            case Rules::sum_blocks:
                if (choice_.rotates()) {
                    reduce_block_by_block();
                    break;
                }
                up(every_block(), scratch(1));
                scatter(scratch(1));
                break;
            case Rules::pairs:
            case Rules::prefix:
            case Rules::listed:
                ECO_CHECK(false);
        }
        return builder_.finish();
    }

private:
    bool is_root() const { return me_ == root_; }

    // Where this rank is in the tree of a chunk.
    struct Branch {
        Rank parent;  // -1: the root
        std::vector<Rank> children;
    };
    Branch branch_of(const Tree& tree) const {
        return {tree.parent[at(me_)], tree.children[at(me_)]};
    }

    bool in_parts() const { return traits(request_.operation).blocks == Blocks::parts; }
    // Blocks go the way of their ranks' subtrees, but not if each has a tree of its own.
    bool keeps_subtrees() const { return !in_parts() && !choice_.rotates(); }
    bool keeps_order() const {
        return traits(request_.operation).reduces() && !request_.commutative;
    }

    const Group& top() const {
        return choice_.native_inside() ? inner_leaders_ : request_.hierarchy->top;
    }
    Form inner() const { return choice_.native_inside() ? choice_.top() : choice_.inner(); }
    std::vector<Form> below() const {
        return choice_.native_inside() ? std::vector<Form>{} : choice_.below();
    }

    // An operator that does not commute needs every subtree to be a range of ranks, which a star
    // has.
    Tree whole_tree(LeaderRotation rotation, bool straight = false) const {
        const int ranks = request_.ranks();
        Tree tree = build_tree(top(), ranks, root_, straight ? Form{} : choice_.top(), inner(),
                               rotation, below());
        if (choice_.native_inside() || !keeps_order()) return tree;
        return holds_ranges(tree) ? tree : build_tree(flat_hierarchy(ranks), root_, {}, {});
    }
    static bool holds_ranges(const Tree& tree) {
        auto least = all_chunks(static_cast<int>(tree.parent.size())), most = least;
        std::vector<int> count(least.size(), 1);
        const auto order = tree.subtree(tree.root);
        for (auto rank = order.rbegin(); rank != order.rend(); ++rank) {
            const std::size_t here = at(*rank);
            if (most[here] - least[here] + 1 != count[here]) return false;
            if (*rank == tree.root) continue;
            const std::size_t above = at(tree.parent[here]);
            least[above] = std::min(least[above], least[here]);
            most[above] = std::max(most[above], most[here]);
            count[above] += count[here];
        }
        return true;
    }

    // One for all parts of the message, or one for each, or for each of some in turn.
    void find_branches() {
        if (!in_parts()) return;
        std::vector<LeaderRotation> rotations;
        const int segments = segments_of(choice_);
        if (choice_.rotates()) {
            const bool all = choice_.rotate() == Rotate::all;
            for (int turn = 0; turn < segments; ++turn)
                rotations.push_back(
                    {all || !straight_.holds(turn) ? turn : 0, segments, all, turn});
        } else {
            const int count =
                std::min(segments, distinct_trees(request_.hierarchy->top, choice_.top(),
                                                  choice_.inner(), choice_.below()));
            for (int chunk = 0; chunk < count; ++chunk) rotations.push_back({0, 1, true, chunk});
        }
        if (keeps_order()) {
            for (const LeaderRotation& rotation : rotations)
                branches_.push_back(
                    branch_of(whole_tree(rotation, straight_.holds(rotation.chunk))));
            return;
        }
        LocalTree tree(top(), request_.ranks(), me_, choice_.top(), inner(), below());
        std::optional<LocalTree> star = straight_star();
        for (const LeaderRotation& rotation : rotations) {
            LocalTree& own = straight_.holds(rotation.chunk) ? *star : tree;
            own.find(root_, rotation);
            branches_.push_back({own.parent(), own.children()});
        }
    }
    // The tree of what goes straight; none if nothing does.
    std::optional<LocalTree> straight_star() const {
        if (choice_.straight() == 0) return std::nullopt;
        return LocalTree(top(), request_.ranks(), me_, {}, inner(), below());
    }
    const Branch& branch(const std::vector<Chunk>& message) const {
        return branches_[at(message.front()) % branches_.size()];
    }
    const std::vector<Rank>& children() const { return branches_.front().children; }
    Rank parent() const { return branches_.front().parent; }

    std::vector<Chunk> parts() const { return all_chunks(segments_of(choice_)); }
    std::vector<Chunk> every_block() const {
        return all_chunks(request_.ranks() * segments_of(choice_));
    }
    std::vector<Chunk> blocks_below(Rank rank) const {
        return chunks_of(tree_.subtree(rank), segments_of(choice_));
    }
    std::vector<Chunk> blocks_not_below(Rank rank) const {
        const auto every = every_block(), below = blocks_below(rank);
        std::vector<Chunk> rest;
        std::set_difference(every.begin(), every.end(), below.begin(), below.end(),
                            std::back_inserter(rest));
        return rest;
    }
    std::vector<std::vector<Chunk>> messages_of(const std::vector<Chunk>& chunks) const {
        return choice_.straight() > 0 ? straight_.messages() : messages(chunks, choice_);
    }
    std::vector<Chunk> own_block() const { return chunks_of({me_}, segments_of(choice_)); }

    // Broadcast: from the root's input, or from what up() left in its output.
    void down(const std::vector<Chunk>& chunks) {
        const bool starts_here = is_root() && traits(request_.operation).begins == Begins::root;
        for (const auto& message : messages_of(chunks)) {
            if (native_.follows()) break;
            const Branch& here = branch(message);
            if (!is_root()) builder_.recv(here.parent, output, message);
            for (const Rank child : here.children)
                builder_.send(child, starts_here ? input : output, message);
        }
        native_.spread(chunks, starts_here ? input : output);
    }

    // Those nearest in rank order first, outwards from this rank, so that what is combined always
    // borders on what is there; near children send first anyway.
    std::vector<Rank> combining_order(const std::vector<Rank>& children) const {
        std::vector<Rank> order(children.rbegin(), children.rend());
        if (!request_.commutative)
            std::stable_sort(order.begin(), order.end(), [this](Rank a, Rank b) {
                return std::abs(a - me_) < std::abs(b - me_);
            });
        return order;
    }

    // Reduce: the root's result ends in `result`, other ranks' in scratch.
    void up(const std::vector<Chunk>& chunks, Buffer result) {
        const Buffer sum = is_root() ? result : scratch(0);
        std::vector<std::int32_t> combined;  // per message, the last task so far that took in some
        native_.collect(chunks, sum);
        for (const auto& message : messages_of(chunks)) {
            if (native_.follows()) break;
            const auto& [parent, children] = branch(message);
            combined.push_back(combined.empty() ? -1 : combined.back());
            const bool leaf = children.empty() && !is_root() && !native_.takes_part();
            if (!leaf && !native_.takes_part()) builder_.copy(input, sum, message);
            for (const Rank child : combining_order(children))
                builder_.reduce(child, sum, message, child < me_);
            if (!children.empty()) combined.back() = builder_.last_task();
            // Small sends end at once, so a rank would fill its link's queue with all of them, and
            // what it has to pass on for others would come behind.
            const std::size_t window = at(choice_.window);
            if (window > 0 && combined.size() > window && !is_root())
                if (const auto task = combined[combined.size() - 1 - window]; task >= 0)
                    builder_.wait_also_for(task);
            if (!is_root()) builder_.send(parent, leaf ? input : sum, message);
        }
    }

    void gather() {
        const Buffer here = is_root() ? output : scratch(0);
        const bool leaf = children().empty() && !is_root();
        if (!leaf) builder_.copy(input, here, own_block());
        for (auto child = children().rbegin(); child != children().rend(); ++child)
            for (const auto& message : messages(blocks_below(*child), choice_))
                builder_.recv(*child, here, message);
        if (is_root()) return;
        for (const auto& message : messages(blocks_below(me_), choice_))
            builder_.send(parent(), leaf ? input : here, message);
    }

    // from: where the root holds all blocks.
    void scatter(Buffer from) {
        const bool leaf = children().empty() && !is_root();
        const Buffer here = is_root() ? from : leaf ? output : scratch(2);
        if (!is_root())
            for (const auto& message : messages(blocks_below(me_), choice_))
                builder_.recv(parent(), here, message);
        for (const Rank child : children())
            for (const auto& message : messages(blocks_below(child), choice_))
                builder_.send(child, here, message);
        if (!leaf) builder_.copy(here, output, own_block());
    }

    void allgather() {
        builder_.copy(input, output, own_block());
        for (auto child = children().rbegin(); child != children().rend(); ++child)
            for (const auto& message : messages(blocks_below(*child), choice_))
                builder_.recv(*child, output, message);
        if (!is_root()) {
            for (const auto& message : messages(blocks_below(me_), choice_))
                builder_.send(parent(), output, message);
            for (const auto& message : messages(blocks_not_below(me_), choice_))
                builder_.recv(parent(), output, message);
        }
        for (const Rank child : children())
            for (const auto& message : messages(blocks_not_below(child), choice_))
                builder_.send(child, output, message);
    }

    // For the messages of every block: what(owner, its tree, message).
    template <typename What>
    void block_by_block(What&& what) {
        LocalTree relays(top(), request_.ranks(), me_, choice_.top(), inner(), below());
        std::optional<LocalTree> star = straight_star();
        std::vector<bool> straight(at(request_.ranks()), false);
        if (star) straight = straight_blocks(choice_, request_);
        for (const Rank owner : owners()) {
            LocalTree& tree = straight[at(owner)] ? *star : relays;
            tree.find(owner, {owner, request_.ranks(), choice_.rotate() == Rotate::all});
            for (const auto& message : messages(chunks_of({owner}, segments_of(choice_)), choice_))
                what(owner, tree, message);
        }
    }

    // Ring order; where blocks go straight from group to group, beginning with the next group's, so
    // that not all send to one at once. Both ends of a pair list its blocks alike: those between
    // two groups are of one of them, and stay together.
    std::vector<Rank> owners() const {
        std::vector<Rank> list = request_.hierarchy->ring;
        const Group& group = request_.hierarchy->top;
        const bool flat = std::all_of(group.parts.begin(), group.parts.end(),
                                      [](const Group& part) { return part.is_rank(); });
        if (choice_.native_inside() || group.is_rank() || (group.on_one_host && !flat)) return list;
        if ((flat ? inner() : choice_.top()) != Form{}) return list;
        const auto own = std::find_if(group.parts.begin(), group.parts.end(),
                                      [this](const Group& part) { return part.holds(me_); });
        const auto last = std::find(list.begin(), list.end(), own->ranks.back());
        std::rotate(list.begin(), last + 1, list.end());
        return list;
    }

    // Every block's own broadcast, all at once.
    void allgather_block_by_block() {
        builder_.copy(input, output, own_block());
        block_by_block([&](Rank owner, const LocalTree& tree, const std::vector<Chunk>& message) {
            if (owner != me_) builder_.recv(tree.parent(), output, message);
            for (const Rank child : tree.children()) builder_.send(child, output, message);
        });
    }

    // Every block's own reduce.
    void reduce_block_by_block() {
        block_by_block([&](Rank owner, const LocalTree& tree, const std::vector<Chunk>& message) {
            const auto& children = tree.children();
            const Buffer sum = owner == me_ ? output : scratch(0);
            const bool leaf = children.empty() && owner != me_;
            if (!leaf) builder_.copy(input, sum, message);
            for (auto child = children.rbegin(); child != children.rend(); ++child)
                builder_.reduce(*child, sum, message, *child < me_);
            if (owner != me_) builder_.send(tree.parent(), leaf ? input : sum, message);
        });
    }

    const Choice& choice_;
    const Request& request_;
    Rank me_;
    Rank root_;
    const StraightSegments straight_;
    Group inner_leaders_;           // of inner=native: one rank for each innermost group
    Tree tree_;                     // where keeps_subtrees()
    std::vector<Branch> branches_;  // by chunk, in turn
    Builder builder_;
    NativePart native_;
};

}  // namespace

Program plan_tree(const Choice& choice, const Request& request, Rank me) {
    return TreePlanner(choice, request, me).run();
}

static std::string top_text(const TreeParameters& tree) {
    std::string text = to_text(tree.top);
    for (const Form& form : tree.below) text += "/" + to_text(form);
    return text;
}

// From the widest level down: "star/postal3".
static void read_top(const std::string& text, TreeParameters& tree) {
    std::vector<Form> forms;
    for (const std::string& item : split(text, '/')) forms.push_back(parse_form(item));
    if (forms.empty() || text.ends_with('/')) forms = {parse_form("")};
    tree.top = forms.front();
    tree.below.assign(forms.begin() + 1, forms.end());
}

static void write_tree(const Choice& choice, const WriteParameter& write) {
    const auto& tree = std::get<TreeParameters>(choice.parameters);
    if (!is_flat(choice.on)) write("top", top_text(tree));
    write_inner(tree.inner, tree.native_inside, write);
    write_rotate(tree.rotate, write);
    if (tree.straight > 0) write("straight", std::to_string(tree.straight));
}

static bool read_tree(std::string_view key, const std::string& value, Choice& choice) {
    TreeParameters& tree = choice.tree();
    if (key == "top")
        read_top(value, tree);
    else if (key == "straight")
        tree.straight = read_count(key, value, 100);
    else
        return read_inner(key, value, tree.inner, tree.native_inside) ||
               read_rotate(key, value, tree.rotate);
    return true;
}

static bool knows_tree(const Choice& choice, const Request& request) {
    using enum Rules;
    // Its neighbours need not be neighbours by rank.
    if (choice.on == On::ring && keeps_order(request)) return false;
    if (choice.straight() > 0)
        return choice.rotates() && choice.top().shape == Shape::relay && !choice.native_inside() &&
               (has_rules(request, {tree, all_blocks}) ||
                (has_rules(request, {sum_blocks}) && !keeps_order(request)));
    if (!choice.rotates())
        return has_rules(request, {tree, sum, signal, root_blocks, all_blocks, sum_blocks});
    if (has_rules(request, {sum_blocks})) return !keeps_order(request);
    return has_rules(request, {tree, sum, all_blocks});
}

// Whether all elements of a message are combined along one tree.
static bool has_one_tree(const Choice& choice, const Request& request) {
    // The library may take another algorithm for a longer segment.
    if (choice.rotates() || choice.native_inside()) return false;
    if (traits(request.operation).blocks != Blocks::parts) return true;
    const Hierarchy seen = seen_by(choice, *request.hierarchy);
    return distinct_trees(seen.top, choice.top(), choice.inner(), choice.below()) == 1;
}

constinit const PlannerFamily TreeParameters::planner{
    .name = "tree",
    .write = write_tree,
    .read = read_tree,
    .keys = "top, inner, rotate=groups, rotate=all, straight",
    .knows = knows_tree,
    .plan = plan_tree,
    .combines_alike = has_one_tree,
    .extent = extent_of_tree,
    .messages = [](const Choice& choice,
                   const Request& request) { return messages_over_groups(choice, request, 0); },
    .scratch = scratch_of_tree,
};

}  // namespace eco
