// Collectives along one spanning tree (ECO §4 and §5): towards the leaves for broadcast and
// scatter, towards the root for reduce and gather, both for the rest. Segments flow through the
// tree like a pipeline, because each is a message of its own and waits for nothing else. With
// `rotate` each has a tree of its own, with other ranks to speak for the groups: a slow link
// between sites is then crossed over many connections at once, none of which has to start slowly.
#include <algorithm>
#include <iterator>

#include "eco/base/check.h"
#include "eco/plan/native_part.h"
#include "eco/plan/planner.h"

namespace eco {

namespace {

class TreePlanner {
public:
    TreePlanner(const Choice& choice, const Request& request, Rank me)
        : choice_(choice),
          request_(request),
          me_(me),
          trees_(trees(choice, request)),
          tree_(trees_.front()),
          children_(tree_.children[at(me)]),
          parent_(tree_.parent[at(me)]),
          builder_(request, segments_of(choice), choice.window, choice.ports),
          native_(choice, request, tree_.root, me, builder_) {}

    Program run() {
        switch (base(request_.operation)) {
            case Operation::bcast:
                down(parts());
                break;
            case Operation::reduce:
                up(parts(), output);
                break;
            case Operation::barrier:
            case Operation::allreduce:
                if (native_.is_all()) {
                    native_.allreduce(parts());
                    break;
                }
                up(parts(), output);
                down(parts());
                break;
            case Operation::gather:
                gather();
                break;
            case Operation::scatter:
                scatter(input);
                break;
            case Operation::allgather:
                choice_.rotates() ? allgather_block_by_block() : allgather();
                break;
            case Operation::reduce_scatter:
                if (choice_.rotates()) {
                    reduce_block_by_block();
                    break;
                }
                up(every_block(), scratch(1));
                scatter(scratch(1));
                break;
            default:
                ECO_CHECK(false);
        }
        return builder_.finish();
    }

private:
    static std::size_t at(Rank rank) { return static_cast<std::size_t>(rank); }
    bool is_root() const { return me_ == tree_.root; }

    // An operator that does not commute needs every subtree to be a range of ranks, which a star
    // has.
    static Tree ordered_tree(const Choice& choice, const Request& request, Speaker speaker) {
        const bool rooted = traits(request.operation).rooted;
        const Rank root = rooted ? request.root : request.hierarchy->top.first();
        if (choice.native_inside)
            return build_tree(innermost_speakers(request.hierarchy->top, root), request.ranks(),
                              root, choice.top, choice.top, speaker);
        Tree tree =
            build_tree(*request.hierarchy, root, choice.top, choice.inner, speaker, choice.below);
        if (!traits(request.operation).reduces || request.commutative) return tree;
        for (Rank rank = 0; rank < request.ranks(); ++rank) {
            const auto below = tree.subtree(rank);
            const auto [least, most] = std::minmax_element(below.begin(), below.end());
            if (*most - *least + 1 != static_cast<int>(below.size()))
                return build_tree(flat_hierarchy(request.ranks()), root, {}, {});
        }
        return tree;
    }

    // One for all parts of the message, or one for each, or for each of some in turn.
    static std::vector<Tree> trees(const Choice& choice, const Request& request) {
        std::vector<Tree> trees;
        const bool parts = traits(request.operation).blocks == Blocks::parts;
        const int segments = parts ? segments_of(choice) : 1;
        if (choice.rotates() && parts) {
            const bool all = choice.rotate == Choice::Rotate::all;
            for (int turn = 0; turn < segments; ++turn)
                trees.push_back(ordered_tree(choice, request, {turn, segments, all, turn}));
            return trees;
        }
        const int count = std::min(segments, distinct_trees(request.hierarchy->top, choice.top,
                                                            choice.inner, choice.below));
        for (int piece = 0; piece < count; ++piece)
            trees.push_back(ordered_tree(choice, request, {0, 1, true, piece}));
        return trees;
    }
    const Tree& tree_of(const std::vector<Piece>& message) const {
        return trees_[at(message.front()) % trees_.size()];
    }

    std::vector<Piece> parts() const { return all_pieces(segments_of(choice_)); }
    std::vector<Piece> every_block() const {
        return all_pieces(request_.ranks() * segments_of(choice_));
    }
    std::vector<Piece> blocks_below(Rank rank) const {
        return pieces_of(tree_.subtree(rank), segments_of(choice_));
    }
    std::vector<Piece> blocks_not_below(Rank rank) const {
        const auto every = every_block(), below = blocks_below(rank);
        std::vector<Piece> rest;
        std::set_difference(every.begin(), every.end(), below.begin(), below.end(),
                            std::back_inserter(rest));
        return rest;
    }
    std::vector<Piece> own_block() const { return pieces_of({me_}, segments_of(choice_)); }

    // Broadcast: from the root's input, or from what up() left in its output.
    void down(const std::vector<Piece>& pieces) {
        const bool starts_here = is_root() && base(request_.operation) == Operation::bcast;
        for (const auto& message : messages(pieces, choice_)) {
            if (native_.follows()) break;
            const Tree& tree = tree_of(message);
            if (!is_root()) builder_.recv(tree.parent[at(me_)], output, message);
            for (const Rank child : tree.children[at(me_)])
                builder_.send(child, starts_here ? input : output, message);
        }
        native_.spread(pieces, starts_here ? input : output);
    }

    // Those nearest in rank order first, outwards from this rank, so that what is combined always
    // borders on what is there; near children send first anyway.
    std::vector<Rank> combining_order(const Tree& tree) const {
        const auto& children = tree.children[at(me_)];
        std::vector<Rank> order(children.rbegin(), children.rend());
        if (!request_.commutative)
            std::stable_sort(order.begin(), order.end(), [this](Rank a, Rank b) {
                return std::abs(a - me_) < std::abs(b - me_);
            });
        return order;
    }

    // Reduce: the root's result ends in `result`, other ranks' in scratch.
    void up(const std::vector<Piece>& pieces, Place result) {
        const Place sum = is_root() ? result : scratch(0);
        std::vector<std::int32_t> combined;  // per message, the last task so far that took in some
        native_.collect(pieces, sum);
        for (const auto& message : messages(pieces, choice_)) {
            if (native_.follows()) break;
            const Tree& tree = tree_of(message);
            combined.push_back(combined.empty() ? -1 : combined.back());
            const bool leaf = tree.children[at(me_)].empty() && !is_root() && !native_.takes_part();
            if (!leaf && !native_.takes_part()) builder_.copy(input, sum, message);
            for (const Rank child : combining_order(tree))
                builder_.reduce(child, sum, message, child < me_);
            if (!tree.children[at(me_)].empty()) combined.back() = builder_.last_task();
            // Small sends end at once, so a rank would fill its link's queue with all of them, and
            // what it has to pass on for others would come behind.
            const std::size_t window = at(choice_.window);
            if (window > 0 && combined.size() > window && !is_root())
                if (const auto task = combined[combined.size() - 1 - window]; task >= 0)
                    builder_.wait_also_for(task);
            if (!is_root()) builder_.send(tree.parent[at(me_)], leaf ? input : sum, message);
        }
    }

    void gather() {
        const Place here = is_root() ? output : scratch(0);
        const bool leaf = children_.empty() && !is_root();
        if (!leaf) builder_.copy(input, here, own_block());
        for (auto child = children_.rbegin(); child != children_.rend(); ++child)
            for (const auto& message : messages(blocks_below(*child), choice_))
                builder_.recv(*child, here, message);
        if (is_root()) return;
        for (const auto& message : messages(blocks_below(me_), choice_))
            builder_.send(parent_, leaf ? input : here, message);
    }

    // from: where the root holds all blocks.
    void scatter(Place from) {
        const bool leaf = children_.empty() && !is_root();
        const Place here = is_root() ? from : leaf ? output : scratch(2);
        if (!is_root())
            for (const auto& message : messages(blocks_below(me_), choice_))
                builder_.recv(parent_, here, message);
        for (const Rank child : children_)
            for (const auto& message : messages(blocks_below(child), choice_))
                builder_.send(child, here, message);
        if (!leaf) builder_.copy(here, output, own_block());
    }

    void allgather() {
        builder_.copy(input, output, own_block());
        for (auto child = children_.rbegin(); child != children_.rend(); ++child)
            for (const auto& message : messages(blocks_below(*child), choice_))
                builder_.recv(*child, output, message);
        if (!is_root()) {
            for (const auto& message : messages(blocks_below(me_), choice_))
                builder_.send(parent_, output, message);
            for (const auto& message : messages(blocks_not_below(me_), choice_))
                builder_.recv(parent_, output, message);
        }
        for (const Rank child : children_)
            for (const auto& message : messages(blocks_not_below(child), choice_))
                builder_.send(child, output, message);
    }

    // For the messages of every block: what(owner, its tree, message).
    template <typename What>
    void block_by_block(What&& what) {
        TreeOfOne tree(request_.ranks(), me_);
        for (const Rank owner : request_.hierarchy->ring) {
            tree.find(request_.hierarchy->top, owner, choice_.top, choice_.inner,
                      {owner, request_.ranks(), choice_.rotate == Choice::Rotate::all},
                      choice_.below);
            for (const auto& message : messages(pieces_of({owner}, segments_of(choice_)), choice_))
                what(owner, tree, message);
        }
    }

    // Every block's own broadcast, all at once.
    void allgather_block_by_block() {
        builder_.copy(input, output, own_block());
        block_by_block([&](Rank owner, const TreeOfOne& tree, const std::vector<Piece>& message) {
            if (owner != me_) builder_.recv(tree.parent(), output, message);
            for (const Rank child : tree.children()) builder_.send(child, output, message);
        });
    }

    // Every block's own reduce.
    void reduce_block_by_block() {
        block_by_block([&](Rank owner, const TreeOfOne& tree, const std::vector<Piece>& message) {
            const auto& children = tree.children();
            const Place sum = owner == me_ ? output : scratch(0);
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
    std::vector<Tree> trees_;
    const Tree& tree_;  // of what does not rotate
    const std::vector<Rank>& children_;
    Rank parent_;
    Builder builder_;
    NativePart native_;
};

}  // namespace

Program plan_tree(const Choice& choice, const Request& request, Rank me) {
    return TreePlanner(choice, request, me).run();
}

}  // namespace eco
