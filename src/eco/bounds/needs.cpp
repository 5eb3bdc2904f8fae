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
    Bytes runs = 0;
    for (std::size_t i = 0; i < ranks.size(); ++i)
        runs += i == 0 || ranks[i] != ranks[i - 1] + 1 ? 1 : 0;
    if (runs > 0) {
        set.runs_after_others = runs - (ranks.front() == 0 ? 1 : 0);
        set.runs_before_others = runs - (ranks.back() == ranks_ - 1 ? 1 : 0);
    }
    set.ranks = std::move(ranks);
    return set;
}

// Of a scan each run of the set needs another sum of those outside: what lies between two runs
// differs for every input. The same of those outside gives what must leave the set.
Need Needs::into(const Set& set) const {
    const Bytes own = static_cast<Bytes>(set.ranks.size()), others = ranks_ - own;
    if (own == 0 || others == 0) return {};
    if (from_root()) return need(!set.holds_root, is_in_blocks() ? own * bytes_ : bytes_);
    if (to_root()) return need(set.holds_root, is_in_blocks() ? others * bytes_ : bytes_);
    if (in_rank_order()) return need(set.runs_after_others > 0, set.runs_after_others * bytes_);
    return {true, of_all(own, others, own)};
}

Need Needs::out_of(const Set& set) const {
    const Bytes own = static_cast<Bytes>(set.ranks.size()), others = ranks_ - own;
    if (own == 0 || others == 0) return {};
    if (from_root()) return need(set.holds_root, is_in_blocks() ? others * bytes_ : bytes_);
    if (to_root()) return need(!set.holds_root, is_in_blocks() ? own * bytes_ : bytes_);
    if (in_rank_order()) return need(set.runs_before_others > 0, set.runs_before_others * bytes_);
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
