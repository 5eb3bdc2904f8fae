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
#include "eco/planners/planner.h"
#include "eco/selection/groups.h"
#include "eco/selection/segment_length.h"
#include "eco/selection/shape.h"
#include "eco/selection/straight.h"

namespace eco {

static Choice tree(Shape top, Shape inner, int segments) {
    return {TreeParameters{.top = {top}, .inner = {inner}}, segments};
}

static Choice exchange(int segments = 0, Shape inner = Shape::star) {
    return {ExchangeParameters{.inner = {inner}}, segments};
}

static Choice native_inside(Choice choice) {
    choice.set_native_inside();
    return choice;
}

static Choice on(On what, Choice choice) {
    choice.on = what;
    return choice;
}

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

namespace {

// The candidates of one call; a member for each of the rules that operations follow.
class Candidates {
public:
    Candidates(const Request& request, Bytes bytes)
        : request_(request),
          bytes_(bytes),
          top_(request.hierarchy->top),
          groups_(top_.parts.size()),
          flat_(groups_ == top_.ranks.size()),
          inside_(has_groups_inside(top_)),
          one_switch_(flat_ && groups_ > 2 && !(top_.medium_known && top_.shared)),
          fine_(chunks(two_frames)),
          coarse_(chunks(six_frames)),
          large_(std::min(16, chunks(large_segment))) {}

    std::vector<Choice> find();

private:
    int chunks(Bytes each) const {
        return static_cast<int>(
            std::clamp<Bytes>((bytes_ + each - 1) / each, 1, most_segments(request_)));
    }
    void add_circulants();
    void add_carriers(int carriers, int segments);
    void add_straight(Shape inner, Rotate rotate, int segments, int window);
    void trees();
    void trees_of_switches();
    void trees_of_sites();
    void trees_inside();
    void sums();
    void sums_in_segments();
    void signals();
    void root_blocks();
    void all_blocks();
    void sum_blocks();
    void pairs();
    void prefixes();
    void add_if_new(const Choice& choice);
    void of_rules();

    const Request& request_;
    const Bytes bytes_;
    const Group& top_;
    const std::size_t groups_;
    const bool flat_, inside_, one_switch_;
    const int fine_, coarse_, large_;  // segments
    std::vector<Choice> list_;
};

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

void Candidates::trees() {
    list_ = {tree(Shape::balanced, Shape::star, fine_), tree(Shape::star, Shape::star, 1)};
    if (fine_ > 1) list_.push_back(tree(Shape::balanced, Shape::chain, fine_));
    if (coarse_ > 1 && coarse_ != fine_) {
        list_.push_back(tree(Shape::balanced, Shape::star, coarse_));
        list_.push_back(tree(Shape::balanced, Shape::chain, coarse_));
    }
    if (bytes_ >= huge) {
        list_.push_back(tree(Shape::chain, Shape::chain, large_));
        list_.back().window = 2;
        list_.push_back(tree(Shape::star, Shape::binomial, large_));
        list_.back().window = 2;
    }
    if (!flat_ && bytes_ >= first_flight) {
        // Over all ranks: a root's own link, where it is slow, carries the message once.
        list_.push_back(on(On::ranks, tree({}, Shape::chain, fine_)));
        list_.push_back(tree(Shape::star, Shape::star, chunks(first_flight)));
        list_.back().set_rotate(Rotate::all);
        // A chain inside: no rank's own link carries the message many times.
        if (bytes_ >= huge) {
            list_.push_back(tree(Shape::star, Shape::chain, chunks(first_flight)));
            list_.back().set_rotate(Rotate::all);
        }
        if (groups_ > 2) {
            list_.push_back(tree(Shape::relay, Shape::star, fine_));
            list_.back().set_rotate(Rotate::all);
            if (request_.operation == Operation::reduce) list_.back().window = 6;
            add_straight(Shape::binomial, Rotate::groups, fine_, list_.back().window);
        }
    }
    // Long enough that each half of the chunks goes out by way of another group, and that a
    // library does not send a chunk off before the one ahead of it is there.
    if (bytes_ >= huge && groups_ > 2) {
        list_.push_back(tree(Shape::relay, Shape::binomial, chunks(rendezvous)));
        list_.back().set_rotate(Rotate::groups);
        list_.back().window = 2;
        if (!flat_) list_.push_back(list_.back());  // straight: those under way at the end
        if (!flat_) list_.back().tree().straight = 200 / list_.back().segments;
    }
    trees_of_switches();
    trees_of_sites();
    trees_inside();
}

// Cut up between the hosts of one switch.
void Candidates::trees_of_switches() {
    if (const Group* group = widest_switch(top_); group && bytes_ >= taken_apart) {
        const Bytes length = even_length(*group, bytes_);
        for (const Bytes each : {length, 4 * length})
            if (chunks(each) > 1 && (each == length || chunks(each) < chunks(length)))
                list_.push_back(tree(Shape::balanced, Shape::disjoint, chunks(each)));
    }
    if (one_switch_ && bytes_ >= 0)
        list_.push_back(Choice(Family::circulant, chunks(even_length(top_, bytes_))));
}

void Candidates::trees_of_sites() {
    // Sites that each have a link of their own: a chain sends every byte once over each.
    if (fine_ > 1 && groups_ > 2) list_.push_back(tree(Shape::chain, Shape::chain, fine_));
    list_.push_back(tree(Shape::star, Shape::binomial, 1));
    // A root on a slow medium need not send to each of the wider groups itself.
    if (has_levels(*request_.hierarchy))
        for (const int segments : {1, fine_}) {
            if (segments > 1)
                list_.push_back(on(On::groups, tree(Shape::balanced, Shape::chain, segments)));
            list_.push_back(on(On::groups, tree(Shape::balanced, Shape::star, segments)));
        }
}

void Candidates::trees_inside() {
    if (inside_) list_.push_back(native_inside(tree(Shape::balanced, {}, 1)));
    if (inside_ && groups_ > 2) list_.push_back(native_inside(tree(Shape::binomial, {}, 1)));
    if (inside_ && fine_ > 1 && groups_ > 2)
        list_.push_back(native_inside(tree(Shape::balanced, {}, fine_)));
}

void Candidates::sums() {
    list_ = {exchange(), tree(Shape::balanced, Shape::star, fine_)};
    // Large groups: no leader takes in all messages of its group.
    if (!flat_) list_.push_back(exchange(0, Shape::binomial));
    if (inside_) list_.push_back(native_inside(exchange()));
    if (bytes_ >= 1024) list_.push_back(Choice(Family::ring));
    add_circulants();
    if (fine_ > 1) sums_in_segments();
}

void Candidates::sums_in_segments() {
    list_.push_back(tree(Shape::balanced, Shape::chain, fine_));
    if (has_levels(*request_.hierarchy)) list_.push_back(on(On::groups, list_.back()));
    // A chain inside: no leader's own link carries more than the message.
    if (!flat_) list_.push_back(exchange(fine_));
    if (!flat_) list_.push_back(exchange(fine_, Shape::chain));
    if (!flat_ && bytes_ >= huge) {
        list_.push_back(exchange(large_, Shape::chain));
        list_.back().window = 2;
        list_.push_back(exchange(large_, Shape::binomial));
        list_.back().window = 2;
        list_.push_back(list_.back());
        list_.back().exchange().split = true;
    }
    if (!flat_ && groups_ > 2) {
        list_.push_back(exchange(fine_));
        list_.back().exchange().split = true;
        for (const int share : straight_shares(request_, bytes_)) {
            list_.push_back(exchange(fine_, Shape::binomial));
            list_.back().exchange().split = true;
            list_.back().exchange().straight = share;
        }
    }
    if (!flat_ && bytes_ >= first_flight) {
        list_.push_back(exchange(chunks(first_flight)));
        list_.back().set_rotate(Rotate::all);
        list_.push_back(list_.back());
        list_.back().exchange().split = true;
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
        case Rules::families:
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
    std::erase_if(list_, [&](const Choice& choice) { return !supports(choice, request_); });
    if (list_.empty()) list_.push_back(tree(Shape::star, Shape::star, 0));
    if (!supports(list_.front(), request_)) return {Choice{}};
    if (request_.hierarchy->rails > 1) add_rails(request_, bytes_, list_);
    return list_;
}

}  // namespace

std::vector<Choice> candidates(const Request& request, Bytes bytes) {
    return Candidates(request, bytes).find();
}

}  // namespace eco
