// SPDX-License-Identifier: BSD-3-Clause
// Which choices are worth timing. What helps where:
// - trees: few crossings of slow links; segments let all levels work at once on long messages;
// - balanced: a bus carries crossings one after the other, so none may get many more;
// - exchange: one crossing of the widest level each way instead of two one after the other;
// - native inside: shared memory and the like, which messages cannot reach;
// - ring: every link carries each byte once, for long messages to and from all;
// - circulant: on one switch, the fewest rounds.
#include "eco/selection/candidates.h"

#include <algorithm>

#include "eco/planners/family.h"
#include "eco/selection/candidate_list.h"
#include "eco/selection/straight.h"

namespace eco {

// The same over rails, and what is made for several ports (Qian and Afsahi, §5).
static void add_rails(const Request& request, Bytes bytes, std::vector<Choice>& list) {
    using enum Operation;
    const int rails = request.hierarchy->rails;
    const auto operation = base(request.operation);
    std::vector<Choice> more = list;
    if (operation == gather || operation == scatter) {
        Choice ports = tree(Shape::star, Shape::ports, 0);
        ports.tree().inner.k = rails;
        ports.on = On::ranks;
        if (bytes >= 0 && bytes <= 4096) more.push_back(ports);
    }
    if (request.operation == alltoall && bytes <= 4096) {
        more.push_back(Choice(Family::index));
        more.back().ports = rails;
    }
    // Twice as many under way: where long ones stall on one rail or way, others fill it.
    for (const int window : {rails, 2 * rails})
        if (request.operation == alltoall && (window == rails || bytes >= huge)) {
            more.push_back(Choice(Family::direct));
            more.back().window = window;
        }
    std::erase_if(more, [&](const Choice& choice) {
        return choice.native_inside() || !supports(choice, request);
    });
    for (Choice& choice : more) {
        choice.rails = rails;
        list.push_back(choice);
    }
}

// By IP multicast; what is added up before, or passed on between areas, can be in segments.
static void add_mcasts(const Request& request, int fine, std::vector<Choice>& list) {
    list.push_back(Choice(Family::mcast, 1));
    const bool cut = has_rules(request, {Rules::sum}) || !is_reached(request.hierarchy->top);
    if (fine > 1 && cut && is_whole(request)) list.push_back(Choice(Family::mcast, fine));
}

// All at once, or each round's message after the one before.
void Candidates::add_circulants() {
    if (!one_switch_ || bytes_ < 0) return;
    list_.push_back(Choice(Family::circulant));
    list_.push_back(list_.back());
    list_.back().ports = 1;
}

void Candidates::add_carriers(int carriers, int segments) {
    list_.push_back(exchange());
    list_.back().exchange().carriers = carriers;
    list_.back().segments = segments;
}

// By relays, but straight what they would hold up.
void Candidates::add_straight(Shape inner, Rotate rotate, int segments, int window) {
    for (const int share : straight_shares(request_, bytes_)) {
        list_.push_back(tree(Shape::relay, inner, segments));
        list_.back().set_rotate(rotate);
        list_.back().window = window;
        list_.back().tree().straight = share;
    }
}

void Candidates::signals() {
    list_ = {exchange(), tree(Shape::star, Shape::star, 1)};
    if (inside_) list_.push_back(native_inside(exchange()));
}

void Candidates::root_blocks() {
    list_ = {tree(Shape::star, Shape::star, 0)};
    if (bytes_ < 0 || bytes_ >= 1024)
        list_.push_back(on(On::ranks, tree(Shape::star, Shape::star, 0)));
    const int most = widest(top_);
    if (!flat_ && bytes_ >= first_flight)
        add_carriers(most, std::max(std::min(most, fine_), chunks(first_flight)));
    // Two cost short blocks hardly anything, four are better for long ones.
    for (const int few : {2, 4})
        if (!flat_ && bytes_ < 0 && most >= few) add_carriers(few, few);
}

void Candidates::all_blocks() {
    list_ = {exchange()};
    add_circulants();
    // Large groups: no leader hands all blocks to each of its group.
    if (!flat_ && widest(top_) > 16) list_.push_back(exchange(0, Shape::binomial));
    if (bytes_ >= 256) {
        list_.push_back(Choice(Family::ring));
        list_.push_back(tree(Shape::balanced, Shape::star, 1));
        list_.push_back(tree(Shape::balanced, Shape::chain, fine_));
        list_.push_back(tree(Shape::balanced, Shape::star, 1));
        list_.back().set_rotate(Rotate::all);
        // Of several sites each sends its blocks once, half of them to be passed on.
        if (!flat_ && groups_ > 2) {
            list_.push_back(tree(Shape::relay, Shape::star, 1));
            list_.back().set_rotate(Rotate::all);
            add_straight(Shape::star, Rotate::all, 1, 0);
        }
    }
}

void Candidates::sum_blocks() {
    list_ = {exchange()};
    add_circulants();
    if (!flat_ && widest(top_) > 16) list_.push_back(exchange(0, Shape::binomial));
    if (bytes_ >= 256) list_.push_back(Choice(Family::ring));
    if (flat_ || bytes_ < first_flight) return;
    list_.push_back(tree(Shape::star, Shape::star, 0));
    list_.back().set_rotate(Rotate::all);
    if (groups_ < 3 || bytes_ < huge) return;
    list_.push_back(tree(Shape::relay, Shape::star, 0));
    list_.back().set_rotate(Rotate::all);
    add_straight(Shape::star, Rotate::all, 0, 0);
}

void Candidates::pairs() {
    if (request_.operation == Operation::alltoall && bytes_ <= 4096) list_.push_back(exchange());
    if (request_.operation == Operation::alltoall && !flat_)
        for (const int carriers : carrier_counts(top_)) {
            list_.push_back(exchange());
            list_.back().exchange().carriers = carriers;
        }
    list_.push_back(Choice(Family::direct));
    if (bytes_ < 0 || bytes_ > 1024) {
        list_.push_back(Choice(Family::direct));
        list_.back().window = 1;
    }
}

void Candidates::prefixes() {
    list_ = {Choice(Family::ordered, fine_)};
    if (!flat_) list_.push_back(on(On::ranks, Choice(Family::ordered, fine_)));
    if (!flat_) list_.push_back(exchange());
    if (!flat_ && fine_ > 1) list_.push_back(exchange(fine_));
    if (!flat_ && bytes_ >= first_flight) {
        list_.push_back(exchange(chunks(first_flight)));
        list_.back().set_rotate(Rotate::all);
    }
    // Each site passes on what has arrived while the next part is under way.
    if (!flat_ && bytes_ >= huge) {
        list_.push_back(Choice(Family::ordered, chunks(rendezvous * 11 / 8)));
        list_.back().window = 3;
    }
}

void Candidates::of_rules() {
    switch (traits(request_.operation).rules) {
        case Rules::tree:
            return trees();
        case Rules::sum:
            return sums();
        case Rules::signal:
            return signals();
        case Rules::root_blocks:
            return root_blocks();
        case Rules::all_blocks:
            return all_blocks();
        case Rules::sum_blocks:
            return sum_blocks();
        case Rules::pairs:
            return pairs();
        case Rules::prefix:
            return prefixes();
        case Rules::listed:
            return;
    }
}

void Candidates::add_if_new(const Choice& choice) {
    if (std::find(list_.begin(), list_.end(), choice) == list_.end()) list_.push_back(choice);
}

std::vector<Choice> Candidates::find() {
    of_rules();
    add_mcasts(request_, fine_, list_);
    if (const auto best = shaped(request_, bytes_)) add_if_new(*best);
    for (const Choice& choice : candidates_of_families(request_, bytes_)) add_if_new(choice);
    std::erase_if(list_, [&](const Choice& choice) { return !supports(choice, request_, bytes_); });
    if (list_.empty()) list_.push_back(tree(Shape::star, Shape::star, 0));
    if (!supports(list_.front(), request_, bytes_)) return {Choice{}};
    if (request_.hierarchy->rails > 1) add_rails(request_, bytes_, list_);
    return list_;
}

std::vector<Choice> candidates(const Request& request, Bytes bytes) {
    return Candidates(request, bytes).find();
}

}  // namespace eco
