// SPDX-License-Identifier: BSD-3-Clause
#include "eco/bounds/needs.h"

#include <algorithm>

#include "eco/base/check.h"

namespace eco {

static Need need(bool any, Bytes bytes) { return {any, any ? bytes : 0}; }

Set Needs::set(std::vector<Rank> ranks) const {
    Set set;
    std::sort(ranks.begin(), ranks.end());
    set.holds_root = std::binary_search(ranks.begin(), ranks.end(), root_);
    // Of 0 … n-1 only a set that begins at 0 without a gap has none before it outside.
    const int count = static_cast<int>(ranks.size());
    set.has_earlier_outside = count > 0 && ranks.back() != count - 1;
    set.has_later_outside = count > 0 && ranks.front() != ranks_ - count;
    set.ranks = std::move(ranks);
    return set;
}

Need Needs::into(const Set& set) const {
    const Bytes own = static_cast<Bytes>(set.ranks.size()), others = ranks_ - own;
    if (own == 0 || others == 0) return {};
    if (from_root()) return need(!set.holds_root, is_in_blocks() ? own * bytes_ : bytes_);
    if (to_root()) return need(set.holds_root, is_in_blocks() ? others * bytes_ : bytes_);
    if (in_rank_order()) return need(set.has_earlier_outside, bytes_);
    return {true, of_all(own, others, own)};
}

Need Needs::out_of(const Set& set) const {
    const Bytes own = static_cast<Bytes>(set.ranks.size()), others = ranks_ - own;
    if (own == 0 || others == 0) return {};
    if (from_root()) return need(set.holds_root, is_in_blocks() ? others * bytes_ : bytes_);
    if (to_root()) return need(!set.holds_root, is_in_blocks() ? own * bytes_ : bytes_);
    if (in_rank_order()) return need(set.has_later_outside, bytes_);
    return {true, of_all(others, own, others)};
}

// Into `takers` ranks from `givers`; for reductions to blocks one block per taker is enough.
Bytes Needs::of_all(Bytes takers, Bytes givers, Bytes reduced) const {
    switch (operation_.blocks) {
        case Blocks::parts:
            return bytes();
        case Blocks::per_rank:
            return operation_.reduces() ? reduced * (bytes_ / ranks_) : givers * bytes_;
        case Blocks::per_pair:
            return takers * givers * bytes_;
        case Blocks::per_multicast:
            break;
    }
    ECO_CHECK(false);
    return 0;
}

}  // namespace eco
