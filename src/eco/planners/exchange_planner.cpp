// SPDX-License-Identifier: BSD-3-Clause
// The widest groups exchange with each other, leader with leader, instead of all through one root,
// which ECO §7 names as the bottleneck. Inside a group a tree below its leader collects and
// spreads. One crossing of the widest level each way at once, where a tree needs two one after the
// other.
#include <algorithm>
#include <iterator>
#include <optional>

#include "eco/base/check.h"
#include "eco/planners/family.h"
#include "eco/planners/local_tree.h"
#include "eco/planners/native_part.h"
#include "eco/planners/planner.h"

namespace eco {

namespace {

class ExchangePlanner {
public:
    ExchangePlanner(const Choice& choice, const Request& request, Rank me)
        : choice_(choice),
          request_(request),
          me_(me),
          segments_(segments_of(choice)),
          straight_(choice, request),
          builder_(request, segments_, choice.window) {
        const Group& top = request.hierarchy->top;
        const bool is_one = top.is_rank() || (choice.native_inside() && top.is_innermost());
        groups_ = is_one ? std::vector<Group>{top} : top.parts;
        while (!groups_[own_].holds(me)) ++own_;
        const int turns = choice.rotates() ? segments_ : 1;
        for (int turn = 0; turn < turns; ++turn) {
            const LeaderRotation rotation{turn, turns, choice.rotate() == Rotate::all};
            leaders_.emplace_back();
            for (const Group& each : groups_) leaders_.back().push_back(rotation.of_group(each));
        }
        find_trees();
        native_.emplace(choice, request, leader(own_), me, builder_);
    }

    Program run() {
        switch (traits(request_.operation).rules) {
            case Rules::signal:
            case Rules::sum:
                allreduce();
                break;
            case Rules::all_blocks:
                allgather();
                break;
            case Rules::sum_blocks:
                reduce_scatter();
                break;
            case Rules::pairs:
                alltoall();
                break;
            case Rules::tree:
            case Rules::root_blocks:
            case Rules::prefix:
            case Rules::listed:
                ECO_CHECK(false);
        }
        return builder_.finish();
    }

private:
    const Group& group() const { return groups_[own_]; }
    // If the choice rotates, a chunk of the message has leaders and a tree of its own.
    Rank leader(std::size_t group, Chunk chunk = 0) const {
        return leaders_[static_cast<std::size_t>(chunk) % leaders_.size()][group];
    }
    bool leads(Chunk chunk = 0) const { return leader(own_, chunk) == me_; }
    Rank parent(Chunk chunk = 0) const {
        return parents_[static_cast<std::size_t>(chunk) % parents_.size()];
    }
    const std::vector<Rank>& children(Chunk chunk = 0) const {
        return children_[static_cast<std::size_t>(chunk) % children_.size()];
    }

    // Of the own group, by turn: this rank's edges, and all of the first where blocks go that way.
    void find_trees() {
        const bool native = choice_.native_inside();
        const Group& inside =
            native ? inner_leaders_ = innermost_leaders(group(), leader(own_)) : group();
        const Form form = native ? choice_.top() : choice_.inner();
        LocalTree tree(inside, request_.ranks(), me_, form, form);
        for (int turn = 0, turns = static_cast<int>(leaders_.size()); turn < turns; ++turn) {
            tree.find(leader(own_, turn), {turn, turns, choice_.rotate() == Rotate::all});
            parents_.push_back(tree.parent());
            children_.push_back(tree.children());
        }
        if (base(request_.operation) == Operation::allgather)
            tree_ = build_tree(inside, request_.ranks(), leader(own_), form, form);
    }
    std::vector<Chunk> blocks(const std::vector<Rank>& ranks) const {
        return chunks_of(ranks, segments_);
    }
    // Each group's own successor first, so that not all leaders send to one at once.
    std::vector<std::size_t> other_groups() const {
        std::vector<std::size_t> others;
        for (std::size_t i = 1; i < groups_.size(); ++i)
            others.push_back((own_ + i) % groups_.size());
        return others;
    }

    // Of the leaders: what the group with this number has added up.
    static Buffer bank(std::size_t group) { return scratch(1 + static_cast<int>(group)); }

    // The group's sum in the leader's `sum`; from chunk `first` on, then those before it: what is
    // ready first leaves first, and not all leaders are to send to one at once.
    void collect(const std::vector<Chunk>& chunks, Buffer sum, Chunk first = 0) {
        native_->collect(chunks, leads() ? sum : scratch(0));
        auto list = messages(chunks, choice_);
        std::rotate(list.begin(),
                    std::find_if(list.begin(), list.end(),
                                 [=](const auto& message) { return message.front() >= first; }),
                    list.end());
        for (const auto& message : list) {
            if (native_->follows()) break;
            const Chunk chunk = message.front();
            const auto& below = children(chunk);
            const bool leaf = below.empty() && !leads(chunk) && !native_->takes_part();
            const Buffer here = leads(chunk) ? sum : scratch(0);
            if (!leaf && !native_->takes_part()) builder_.copy(input, here, message);
            for (auto child = below.rbegin(); child != below.rend(); ++child)
                builder_.reduce(*child, here, message);
            if (!leads(chunk)) builder_.send(parent(chunk), leaf ? input : here, message);
        }
    }

    void spread(const std::vector<Chunk>& chunks) {
        for (const auto& message : messages(chunks, choice_)) {
            if (native_->follows()) break;
            const Chunk chunk = message.front();
            if (!leads(chunk)) builder_.recv(parent(chunk), output, message);
            for (const Rank child : children(chunk)) builder_.send(child, output, message);
        }
        native_->spread(chunks, output);
    }

    // Every leader adds the groups' sums up in the same order, so that all get the same bits.
    void allreduce() {
        const auto parts = all_chunks(segments_);
        if (native_->is_all()) return native_->allreduce(parts);
        collect(parts, bank(own_));
        choice_.split() ? allreduce_in_shares() : exchange_whole(messages(parts, choice_));
        spread(parts);
    }

    void exchange_whole(const std::vector<std::vector<Chunk>>& list) {
        for (const auto& message : list) {
            const Chunk chunk = message.front();
            if (!leads(chunk)) continue;
            for (const auto other : other_groups()) {
                builder_.send(leader(other, chunk), bank(own_), message);
                builder_.recv(leader(other, chunk), bank(other), message);
            }
            builder_.copy(bank(0), output, message);
            for (std::size_t other = 1; other < groups_.size(); ++other)
                builder_.combine(bank(other), output, message);
        }
    }

    // Chunk p belongs to a leader of group p modulo groups, who alone adds it up: two crossings
    // one after the other, but 2 (g-1)/g of the message over each link instead of g-1 times.
    void allreduce_in_shares() {
        const auto share = [this](std::size_t group) {
            std::vector<Chunk> chunks;
            for (auto chunk = static_cast<Chunk>(group); chunk < segments_;
                 chunk += static_cast<Chunk>(groups_.size()))
                if (leads(chunk) && !straight_.holds(chunk)) chunks.push_back(chunk);
            return chunks;
        };
        const auto own_share = share(own_);
        for (const auto other : other_groups())
            for (const auto& message : messages(share(other), choice_))
                builder_.send(leader(other, message.front()), bank(own_), message);
        for (const auto other : other_groups())
            for (const auto& message : messages(own_share, choice_))
                builder_.recv(leader(other, message.front()), bank(other), message);
        exchange_whole(straight_.own_messages());
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
            for (const auto& message : messages(blocks(tree_.subtree(*child)), choice_))
                builder_.recv(*child, output, message);
        if (leads()) {
            for (const auto other : other_groups()) {
                for (const auto& message : messages(own_group, choice_))
                    builder_.send(leader(other), output, message);
                for (const auto& message : messages(blocks(groups_[other].ranks), choice_))
                    builder_.recv(leader(other), output, message);
            }
        } else {
            for (const auto& message : messages(blocks(tree_.subtree(me_)), choice_))
                builder_.send(parent(), output, message);
            for (const auto& message : messages(missing(me_), choice_))
                builder_.recv(parent(), output, message);
        }
        for (const Rank child : children())
            for (const auto& message : messages(missing(child), choice_))
                builder_.send(child, output, message);
    }

    // What a rank of the own group lacks once its subtree has been collected.
    std::vector<Chunk> missing(Rank rank) const {
        const auto every = all_chunks(request_.ranks() * segments_),
                   below = blocks(tree_.subtree(rank));
        std::vector<Chunk> rest;
        std::set_difference(every.begin(), every.end(), below.begin(), below.end(),
                            std::back_inserter(rest));
        return rest;
    }

    void reduce_scatter() {
        const int groups = static_cast<int>(groups_.size());
        const Buffer result = scratch(1 + groups);
        const Rank next = groups_[(own_ + 1) % groups_.size()].first();
        collect(all_chunks(request_.ranks() * segments_), bank(own_), next * segments_);
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
    std::vector<Chunk> pairs(const std::vector<Rank>& sources,
                             const std::vector<Rank>& targets) const {
        std::vector<Rank> numbers;
        for (const Rank source : sources)
            for (const Rank target : targets) numbers.push_back(source * request_.ranks() + target);
        return chunks_of(std::move(numbers), segments_);
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
    const StraightSegments straight_;
    std::vector<Group> groups_;
    std::size_t own_ = 0;
    std::vector<std::vector<Rank>> leaders_;  // by turn and group
    Group inner_leaders_;        // inner=native: one rank for each innermost group of the own group
    std::vector<Rank> parents_;  // this rank's, by turn
    std::vector<std::vector<Rank>> children_;  // the same
    Tree tree_;                                // of an allgather
    Builder builder_;
    std::optional<NativePart> native_;
};

}  // namespace

Program plan_exchange(const Choice& choice, const Request& request, Rank me) {
    return ExchangePlanner(choice, request, me).run();
}

static void write_exchange(const Choice& choice, const WriteParameter& write) {
    const auto& exchange = std::get<ExchangeParameters>(choice.parameters);
    if (exchange.native_inside && exchange.top != Form{}) write("top", to_text(exchange.top));
    write_inner(exchange.inner, exchange.native_inside, write);
    if (exchange.split) write("split", "1");
    if (exchange.carriers != 0) write("carriers", std::to_string(exchange.carriers));
    write_rotate(exchange.rotate, write);
    if (exchange.straight > 0) write("straight", std::to_string(exchange.straight));
}

static bool read_exchange(std::string_view key, const std::string& value, Choice& choice) {
    ExchangeParameters& exchange = choice.exchange();
    if (key == "top")
        exchange.top = parse_form(value);
    else if (key == "split")
        exchange.split = read_count(key, value, 1) == 1;
    else if (key == "carriers")
        exchange.carriers = read_count(key, value, 4096);
    else if (key == "straight")
        exchange.straight = read_count(key, value, 100);
    else
        return read_inner(key, value, exchange.inner, exchange.native_inside) ||
               read_rotate(key, value, exchange.rotate);
    return true;
}

static bool knows_exchange(const Choice& choice, const Request& request) {
    using enum Rules;
    const auto& exchange = std::get<ExchangeParameters>(choice.parameters);
    // Blocks whose sizes only their two ends know cannot be put together on the way.
    const bool alltoall = request.operation == Operation::alltoall;
    if (exchange.straight > 0 &&
        (!exchange.split || exchange.native_inside || request.operation != Operation::allreduce))
        return false;
    if (has_rules(request, {prefix})) return !exchange.split && exchange.carriers == 0;
    if (exchange.carriers > 0)
        return !choice.rotates() && !exchange.split &&
               (alltoall || has_rules(request, {root_blocks}));
    if (keeps_order(request)) return false;
    if (choice.rotates()) return has_rules(request, {sum});
    return alltoall || has_rules(request, {signal, all_blocks, sum, sum_blocks});
}

static Program plan_any(const Choice& choice, const Request& request, Rank me) {
    if (has_rules(request, {Rules::prefix})) return plan_scan(choice, request, me);
    if (choice.carriers() == 0) return plan_exchange(choice, request, me);
    return traits(request.operation).rooted() ? plan_rooted_carriers(choice, request, me)
                                              : plan_carriers(choice, request, me);
}

static double messages_sent(const Choice& choice, const Request& request) {
    if (choice.carriers() > 0 && traits(request.operation).rooted())
        return 2.0 * request.ranks() * segments_of(choice);
    const auto groups = static_cast<double>(request.hierarchy->top.parts.size());
    return messages_over_groups(choice, request, groups * groups);
}

constinit const PlannerFamily ExchangeParameters::planner{
    .name = "exchange",
    .write = write_exchange,
    .read = read_exchange,
    .keys = "top, inner, split=1, carriers, rotate=groups, rotate=all, straight",
    .knows = knows_exchange,
    .plan = plan_any,
    // Shares of the message, or a leader for each segment.
    .combines_alike =
        [](const Choice& choice, const Request&) {
            return !choice.split() && !choice.rotates() && !choice.native_inside();
        },
    .extent = extent_of_exchange,
    .messages = messages_sent,
    .scratch = scratch_of_exchange,
};

}  // namespace eco
