// The widest groups exchange with each other, leader with leader, instead of all through one root,
// which ECO §7 names as the bottleneck. Inside a group a tree below its leader collects and
// spreads. One crossing of the widest level each way at once, where a tree needs two one after the
// other.
#include <algorithm>
#include <iterator>
#include <optional>

#include "eco/base/check.h"
#include "eco/plan/native_part.h"
#include "eco/plan/planner.h"

namespace eco {

namespace {

class ExchangePlanner {
public:
    ExchangePlanner(const Choice& choice, const Request& request, Rank me)
        : choice_(choice),
          request_(request),
          me_(me),
          segments_(segments_of(choice)),
          builder_(request, segments_, choice.window) {
        const Group& top = request.hierarchy->top;
        const bool is_one = top.is_rank() || (choice.native_inside && top.is_innermost());
        groups_ = is_one ? std::vector<Group>{top} : top.parts;
        while (!groups_[own_].holds(me)) ++own_;
        const bool all = choice.rotate == Choice::Rotate::all;
        const int turns = choice.rotates() ? segments_ : 1;
        for (int turn = 0; turn < turns; ++turn) {
            const Speaker speaker{turn, turns, all};
            leaders_.emplace_back();
            for (const Group& each : groups_) leaders_.back().push_back(speaker.of_group(each, -1));
            const Rank root = leaders_.back()[own_];
            trees_.push_back(choice.native_inside
                                 ? build_tree(innermost_speakers(group(), root), request.ranks(),
                                              root, choice.top, choice.top, speaker)
                                 : build_tree(group(), request.ranks(), root, choice.inner,
                                              choice.inner, speaker));
        }
        native_.emplace(choice, request, leader(own_), me, builder_);
    }

    Program run() {
        switch (base(request_.operation)) {
            case Operation::barrier:
            case Operation::allreduce:
                allreduce();
                break;
            case Operation::allgather:
                allgather();
                break;
            case Operation::reduce_scatter:
                reduce_scatter();
                break;
            case Operation::alltoall:
                alltoall();
                break;
            default:
                ECO_CHECK(false);
        }
        return builder_.finish();
    }

private:
    const Group& group() const { return groups_[own_]; }
    // Where the choice rotates, a piece of the message has leaders and a tree of its own.
    Rank leader(std::size_t group, Piece piece = 0) const {
        return leaders_[static_cast<std::size_t>(piece) % leaders_.size()][group];
    }
    bool leads(Piece piece = 0) const { return leader(own_, piece) == me_; }
    const Tree& tree(Piece piece = 0) const {
        return trees_[static_cast<std::size_t>(piece) % trees_.size()];
    }
    Rank parent(Piece piece = 0) const { return tree(piece).parent[static_cast<std::size_t>(me_)]; }
    const std::vector<Rank>& children(Piece piece = 0) const {
        return tree(piece).children[static_cast<std::size_t>(me_)];
    }
    std::vector<Piece> blocks(const std::vector<Rank>& ranks) const {
        return pieces_of(ranks, segments_);
    }
    // Each group's own successor first, so that not all leaders send to one at once.
    std::vector<std::size_t> other_groups() const {
        std::vector<std::size_t> others;
        for (std::size_t i = 1; i < groups_.size(); ++i)
            others.push_back((own_ + i) % groups_.size());
        return others;
    }

    // The group's sum in the leader's `sum`.
    void collect(const std::vector<Piece>& pieces, Place sum) {
        native_->collect(pieces, leads() ? sum : scratch(0));
        for (const auto& message : messages(pieces, choice_)) {
            if (native_->follows()) break;
            const Piece piece = message.front();
            const auto& below = children(piece);
            const bool leaf = below.empty() && !leads(piece) && !native_->takes_part();
            const Place here = leads(piece) ? sum : scratch(0);
            if (!leaf && !native_->takes_part()) builder_.copy(input, here, message);
            for (auto child = below.rbegin(); child != below.rend(); ++child)
                builder_.reduce(*child, here, message);
            if (!leads(piece)) builder_.send(parent(piece), leaf ? input : here, message);
        }
    }

    void spread(const std::vector<Piece>& pieces) {
        for (const auto& message : messages(pieces, choice_)) {
            if (native_->follows()) break;
            const Piece piece = message.front();
            if (!leads(piece)) builder_.recv(parent(piece), output, message);
            for (const Rank child : children(piece)) builder_.send(child, output, message);
        }
        native_->spread(pieces, output);
    }

    // Every leader adds the groups' sums up in the same order, so that all get the same bits.
    void allreduce() {
        const auto bank = [](std::size_t group) { return scratch(1 + static_cast<int>(group)); };
        const auto parts = all_pieces(segments_);
        if (native_->is_all()) return native_->allreduce(parts);
        collect(parts, bank(own_));
        if (choice_.split)
            allreduce_in_shares();
        else
            for (const auto& message : messages(parts, choice_)) {
                const Piece piece = message.front();
                if (!leads(piece)) continue;
                for (const auto other : other_groups()) {
                    builder_.send(leader(other, piece), bank(own_), message);
                    builder_.recv(leader(other, piece), bank(other), message);
                }
                builder_.copy(bank(0), output, message);
                for (std::size_t other = 1; other < groups_.size(); ++other)
                    builder_.combine(bank(other), output, message);
            }
        spread(parts);
    }

    // Piece p belongs to a leader of group p modulo groups, who alone adds it up: two crossings
    // one after the other, but 2 (g-1)/g of the message over each link instead of g-1 times.
    void allreduce_in_shares() {
        const auto bank = [](std::size_t group) { return scratch(1 + static_cast<int>(group)); };
        const auto share = [this](std::size_t group) {
            std::vector<Piece> pieces;
            for (auto piece = static_cast<Piece>(group); piece < segments_;
                 piece += static_cast<Piece>(groups_.size()))
                if (leads(piece)) pieces.push_back(piece);
            return pieces;
        };
        const auto own_share = share(own_);
        for (const auto other : other_groups())
            for (const auto& message : messages(share(other), choice_))
                builder_.send(leader(other, message.front()), bank(own_), message);
        for (const auto other : other_groups())
            for (const auto& message : messages(own_share, choice_))
                builder_.recv(leader(other, message.front()), bank(other), message);
        for (const auto& message : messages(own_share, choice_)) {
            builder_.copy(bank(0), output, message);
            for (std::size_t other = 1; other < groups_.size(); ++other)
                builder_.combine(bank(other), output, message);
            for (const auto other : other_groups())
                builder_.send(leader(other, message.front()), output, message);
        }
        for (const auto other : other_groups())
            for (const auto& message : messages(share(other), choice_))
                builder_.recv(leader(other, message.front()), output, message);
    }

    void allgather() {
        const auto own_group = blocks(group().ranks);
        builder_.copy(input, output, blocks({me_}));
        for (auto child = children().rbegin(); child != children().rend(); ++child)
            for (const auto& message : messages(blocks(tree().subtree(*child)), choice_))
                builder_.recv(*child, output, message);
        if (leads()) {
            for (const auto other : other_groups()) {
                for (const auto& message : messages(own_group, choice_))
                    builder_.send(leader(other), output, message);
                for (const auto& message : messages(blocks(groups_[other].ranks), choice_))
                    builder_.recv(leader(other), output, message);
            }
        } else {
            for (const auto& message : messages(blocks(tree().subtree(me_)), choice_))
                builder_.send(parent(), output, message);
            for (const auto& message : messages(missing(me_), choice_))
                builder_.recv(parent(), output, message);
        }
        for (const Rank child : children())
            for (const auto& message : messages(missing(child), choice_))
                builder_.send(child, output, message);
    }

    // What a rank of the own group lacks once its subtree has been collected.
    std::vector<Piece> missing(Rank rank) const {
        const auto every = all_pieces(request_.ranks() * segments_),
                   below = blocks(tree().subtree(rank));
        std::vector<Piece> rest;
        std::set_difference(every.begin(), every.end(), below.begin(), below.end(),
                            std::back_inserter(rest));
        return rest;
    }

    void reduce_scatter() {
        const int groups = static_cast<int>(groups_.size());
        const auto bank = [](std::size_t group) { return scratch(1 + static_cast<int>(group)); };
        const Place result = scratch(1 + groups);
        collect(all_pieces(request_.ranks() * segments_), bank(own_));
        if (!leads()) {
            for (const auto& message : messages(blocks({me_}), choice_))
                builder_.recv(leader(own_), output, message);
            return;
        }
        const auto members = blocks(group().ranks);
        for (const auto other : other_groups()) {
            for (const auto& message : messages(blocks(groups_[other].ranks), choice_))
                builder_.send(leader(other), bank(own_), message);
            for (const auto& message : messages(members, choice_))
                builder_.recv(leader(other), bank(other), message);
        }
        for (const auto& message : messages(members, choice_)) {
            builder_.copy(bank(0), result, message);
            for (std::size_t other = 1; other < groups_.size(); ++other)
                builder_.combine(bank(other), result, message);
        }
        for (const Rank member : group().ranks)
            if (member != me_)
                for (const auto& message : messages(blocks({member}), choice_))
                    builder_.send(member, result, message);
        builder_.copy(result, output, blocks({me_}));
    }

    // From each of `sources` to each of `targets`.
    std::vector<Piece> pairs(const std::vector<Rank>& sources,
                             const std::vector<Rank>& targets) const {
        std::vector<Rank> numbers;
        for (const Rank source : sources)
            for (const Rank target : targets) numbers.push_back(source * request_.ranks() + target);
        return pieces_of(std::move(numbers), segments_);
    }

    std::vector<Rank> outsiders() const {
        std::vector<Rank> ranks;
        for (Rank rank = 0; rank < request_.ranks(); ++rank)
            if (!group().holds(rank)) ranks.push_back(rank);
        return ranks;
    }

    void alltoall() {
        const auto& members = group().ranks;
        const auto outside = outsiders();
        builder_.copy(input, output, pairs({me_}, {me_}));
        if (leads()) {
            builder_.copy(input, scratch(0), pairs({me_}, outside));
            for (const Rank member : members)
                if (member != me_)
                    for (const auto& message : messages(pairs({member}, outside), choice_))
                        builder_.recv(member, scratch(0), message);
        } else {
            for (const auto& message : messages(pairs({me_}, outside), choice_))
                builder_.send(leader(own_), input, message);
        }
        const auto place = std::find(members.begin(), members.end(), me_) - members.begin();
        const auto size = static_cast<std::ptrdiff_t>(members.size());
        for (std::ptrdiff_t step = 1; step < size; ++step) {
            const Rank to = members[static_cast<std::size_t>((place + step) % size)];
            const Rank from = members[static_cast<std::size_t>((place - step + size) % size)];
            builder_.send(to, input, pairs({me_}, {to}));
            builder_.recv(from, output, pairs({from}, {me_}));
        }
        if (!leads()) {
            for (const auto& message : messages(pairs(outside, {me_}), choice_))
                builder_.recv(leader(own_), output, message);
            return;
        }
        for (const auto other : other_groups()) {
            for (const auto& message : messages(pairs(members, groups_[other].ranks), choice_))
                builder_.send(leader(other), scratch(0), message);
            for (const auto& message : messages(pairs(groups_[other].ranks, members), choice_))
                builder_.recv(leader(other), scratch(1), message);
        }
        for (const Rank member : members)
            if (member != me_)
                for (const auto& message : messages(pairs(outside, {member}), choice_))
                    builder_.send(member, scratch(1), message);
        builder_.copy(scratch(1), output, pairs(outside, {me_}));
    }

    const Choice& choice_;
    const Request& request_;
    Rank me_;
    int segments_;
    std::vector<Group> groups_;
    std::size_t own_ = 0;
    std::vector<std::vector<Rank>> leaders_;  // by turn and group
    std::vector<Tree> trees_;                 // of the own group, by turn
    Builder builder_;
    std::optional<NativePart> native_;
};

}  // namespace

Program plan_exchange(const Choice& choice, const Request& request, Rank me) {
    return ExchangePlanner(choice, request, me).run();
}

}  // namespace eco
