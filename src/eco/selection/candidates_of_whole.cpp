// SPDX-License-Identifier: BSD-3-Clause
// The candidates of operations that move or add up whole messages: broadcast, reduce, allreduce.
#include "eco/selection/candidate_list.h"
#include "eco/selection/straight.h"

namespace eco {

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
        list_.push_back(on(On::ring, tree({}, Shape::chain, fine_)));
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

}  // namespace eco
