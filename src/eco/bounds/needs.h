// SPDX-License-Identifier: BSD-3-Clause
// What a set of ranks must get from the others and send to them, by the definition of the
// operation, whatever the schedule. Blocks are assumed to be of equal length. Used by the bound.
#pragma once

#include <vector>

#include "eco/schedule/collective.h"

namespace eco {

// What must come into a set of ranks, or leave it.
struct Need {
    bool any = false;
    Bytes bytes = 0;
};

struct Set {
    std::vector<Rank> ranks;
    bool holds_root = false;
    // Of its runs of contiguous ranks, those with ranks outside before them, and after them.
    Bytes runs_after_others = 0, runs_before_others = 0;
};

class Needs {
public:
    // bytes: of the message, or of one block where that is its size (all but reductions to blocks).
    Needs(Operation operation, int ranks, Rank root, Bytes bytes)

        : operation_(traits(base(operation))), ranks_(ranks), root_(root), bytes_(bytes) {}

    Set set(std::vector<Rank> ranks) const;
    Need into(const Set& set) const;
    Need out_of(const Set& set) const;

    // What must be moved in all between `parts` sets, for sums that all have in the end: each part
    // needs something of every other, in one direction per message, which takes 2(n-1) messages.
    bool all_need_all() const {
        return operation_.ends == Ends::all && (operation_.reduces() || is_signal());
    }
    Bytes bytes() const { return is_signal() ? 0 : bytes_; }

    bool from_root() const { return operation_.begins == Begins::root; }
    bool to_root() const { return operation_.ends == Ends::root; }
    bool in_rank_order() const {
        return operation_.ends == Ends::up_to_own || operation_.ends == Ends::before_own;
    }

    // Whether all outside a set need the same from it, and whether it needs of each the same bytes
    // added up: what leaves it early (comes late) may then serve all of them.
    bool same_for_all(const Set& giver) const {
        const bool of_root = from_root() && !is_in_blocks() && giver.holds_root;
        return all_need_all() || of_root ||
               (operation_.begins == Begins::own && operation_.ends == Ends::all);
    }
    bool sum_of_all(const Set& taker) const {
        return all_need_all() || (operation_.reduces() && to_root() && taker.holds_root);
    }

private:
    bool is_signal() const { return operation_.begins == Begins::arrival; }
    bool is_in_blocks() const { return operation_.blocks != Blocks::parts; }
    Bytes of_all(Bytes takers, Bytes givers, Bytes reduced) const;

    OperationTraits operation_;
    int ranks_;
    Rank root_;
    Bytes bytes_;
};

}  // namespace eco
