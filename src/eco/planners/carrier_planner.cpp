// SPDX-License-Identifier: BSD-3-Clause
// All-to-all between groups in few large messages, spread over the ranks at both ends: what one
// group has for another goes to some of its ranks, the carriers; each crosses with all that is for
// a share of the other group's ranks to a carrier there, which deals it out. With one carrier each
// pair of groups has one message; with more a long message crosses over several connections, and no
// rank handles all of it.
#include <algorithm>

#include "eco/base/at.h"
#include "eco/base/check.h"
#include "eco/planners/planner.h"

namespace eco {

namespace {

class CarrierPlanner {
public:
    CarrierPlanner(const Choice& choice, const Request& request, Rank me)
        : choice_(choice),
          request_(request),
          me_(me),
          groups_(request.hierarchy->top.is_rank() ? std::vector<Group>{request.hierarchy->top}
                                                   : request.hierarchy->top.parts),
          builder_(request, segments_of(choice), choice.window) {
        while (!groups_[at(own_)].holds(me)) ++own_;
        const auto& ranks = members(own_);
        place_ = static_cast<int>(std::find(ranks.begin(), ranks.end(), me) - ranks.begin());
        duties_ = duties();
    }

    Program run() {
        builder_.copy(input, output, pairs({me_}, {me_}));
        bring();
        send_across();
        exchange_inside();
        receive_across();
        deal();
        return builder_.finish();
    }

private:
    // What one carrier of `group` has to do with `other`: to send it what is for `targets` of
    // other, to receive and deal out what is for `shares` of its own group.
    struct Duty {
        int other;
        Rank carrier, partner;
        std::vector<Rank> shares, targets;
    };

    const std::vector<Rank>& members(int group) const { return groups_[at(group)].ranks; }
    int size(int group) const { return static_cast<int>(members(group).size()); }

    // Places in `group` of the carriers towards `other`, ascending; each pair's elsewhere.
    std::vector<int> carriers(int group, int other) const {
        const int groups = static_cast<int>(groups_.size());
        const int turn = (other - group + groups) % groups - 1, others = groups - 1;
        const int count = std::min({choice_.carriers(), size(group), size(other)});
        std::vector<int> places;
        for (int i = 0; i < count; ++i)
            places.push_back((i * others + turn) * size(group) / (count * others));
        return places;
    }
    // For whom the i-th of them receives: itself and those up to the next.
    std::vector<Rank> share(int group, const std::vector<int>& places, std::size_t i) const {
        std::vector<Rank> ranks;
        const int next = i + 1 < places.size() ? places[i + 1] : places[0] + size(group);
        for (int place = places[i]; place < next; ++place)
            ranks.push_back(members(group)[at(place % size(group))]);
        return ranks;
    }
    // Of all ranks of the own group, other groups in the same order for all.
    std::vector<Duty> duties() const {
        std::vector<Duty> found;
        const int groups = static_cast<int>(groups_.size());
        for (int step = 1; step < groups; ++step) {
            const int other = (own_ + step) % groups;
            const auto here = carriers(own_, other), there = carriers(other, own_);
            ECO_CHECK(here.size() == there.size());
            for (std::size_t i = 0; i < here.size(); ++i)
                found.push_back({other, members(own_)[at(here[i])], members(other)[at(there[i])],
                                 share(own_, here, i), share(other, there, i)});
        }
        return found;
    }

    std::vector<Chunk> pairs(const std::vector<Rank>& sources,
                             const std::vector<Rank>& targets) const {
        std::vector<Rank> numbers;
        for (const Rank source : sources)
            for (const Rank target : targets) numbers.push_back(source * request_.ranks() + target);
        return chunks_of(std::move(numbers), segments_of(choice_));
    }
    std::vector<std::vector<Chunk>> in_messages(const std::vector<Chunk>& chunks) const {
        return messages(chunks, choice_);
    }
    // All whom a carrier's messages are for.
    std::vector<Rank> targets_of(Rank carrier) const {
        std::vector<Rank> targets;
        for (const Duty& duty : duties_)
            if (duty.carrier == carrier)
                targets.insert(targets.end(), duty.targets.begin(), duty.targets.end());
        return targets;
    }
    Rank neighbour(int step) const {
        return members(own_)[at((place_ + step + size(own_)) % size(own_))];
    }

    // To the carriers, and as one of them from all others.
    void bring() {
        const auto mine = targets_of(me_);
        builder_.copy(input, scratch(0), pairs({me_}, mine));
        for (int step = 1; step < size(own_); ++step) {
            for (const auto& message : in_messages(pairs({me_}, targets_of(neighbour(step)))))
                builder_.send(neighbour(step), input, message);
            for (const auto& message : in_messages(pairs({neighbour(-step)}, mine)))
                builder_.recv(neighbour(-step), scratch(0), message);
        }
    }

    void send_across() {
        for (const Duty& duty : duties_)
            if (duty.carrier == me_)
                for (const auto& message : in_messages(pairs(members(own_), duty.targets)))
                    builder_.send(duty.partner, scratch(0), message);
    }

    void exchange_inside() {
        for (int step = 1; step < size(own_); ++step) {
            const Rank to = neighbour(step), from = neighbour(-step);
            for (const auto& message : in_messages(pairs({me_}, {to})))
                builder_.send(to, input, message);
            for (const auto& message : in_messages(pairs({from}, {me_})))
                builder_.recv(from, output, message);
        }
    }

    void receive_across() {
        for (const Duty& duty : duties_) {
            if (duty.carrier != me_) continue;
            const bool all_mine = duty.shares.size() == 1;
            for (const auto& message : in_messages(pairs(members(duty.other), duty.shares)))
                builder_.recv(duty.partner, all_mine ? output : scratch(1), message);
        }
    }

    // From the carriers to those for whom it is.
    void deal() {
        for (const Duty& duty : duties_) {
            if (duty.shares.size() == 1) continue;
            const bool is_mine =
                std::find(duty.shares.begin(), duty.shares.end(), me_) != duty.shares.end();
            const auto mine = pairs(members(duty.other), {me_});
            if (duty.carrier != me_) {
                if (!is_mine) continue;
                for (const auto& message : in_messages(mine))
                    builder_.recv(duty.carrier, output, message);
                continue;
            }
            for (const Rank rank : duty.shares)
                if (rank != me_)
                    for (const auto& message : in_messages(pairs(members(duty.other), {rank})))
                        builder_.send(rank, scratch(1), message);
            builder_.copy(scratch(1), output, mine);
        }
    }

    const Choice& choice_;
    const Request& request_;
    Rank me_;
    std::vector<Group> groups_;
    int own_ = 0, place_ = 0;  // the own group, and this rank's place in it
    Builder builder_;
    std::vector<Duty> duties_;
};

}  // namespace

Program plan_carriers(const Choice& choice, const Request& request, Rank me) {
    return CarrierPlanner(choice, request, me).run();
}

}  // namespace eco
