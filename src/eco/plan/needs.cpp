#include "eco/plan/needs.h"

#include <algorithm>

#include "eco/base/check.h"

namespace eco {

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
    switch (operation_) {
        case Operation::bcast:
            return {!set.holds_root, set.holds_root ? 0 : bytes_};
        case Operation::scatter:
            return {!set.holds_root, set.holds_root ? 0 : own * bytes_};
        case Operation::gather:
            return {set.holds_root, set.holds_root ? others * bytes_ : 0};
        case Operation::reduce:
            return {set.holds_root, set.holds_root ? bytes_ : 0};
        case Operation::scan:
        case Operation::exscan:
            return {set.has_earlier_outside, set.has_earlier_outside ? bytes_ : 0};
        default:
            return {true, of_all(own, others, own)};
    }
}

Need Needs::out_of(const Set& set) const {
    const Bytes own = static_cast<Bytes>(set.ranks.size()), others = ranks_ - own;
    if (own == 0 || others == 0) return {};
    switch (operation_) {
        case Operation::bcast:
            return {set.holds_root, set.holds_root ? bytes_ : 0};
        case Operation::scatter:
            return {set.holds_root, set.holds_root ? others * bytes_ : 0};
        case Operation::gather:
            return {!set.holds_root, set.holds_root ? 0 : own * bytes_};
        case Operation::reduce:
            return {!set.holds_root, set.holds_root ? 0 : bytes_};
        case Operation::scan:
        case Operation::exscan:
            return {set.has_later_outside, set.has_later_outside ? bytes_ : 0};
        default:
            return {true, of_all(others, own, others)};
    }
}

// Into `takers` ranks from `givers`; for reductions to blocks one block per taker is enough.
Bytes Needs::of_all(Bytes takers, Bytes givers, Bytes reduced) const {
    switch (operation_) {
        case Operation::barrier:
            return 0;
        case Operation::allreduce:
            return bytes_;
        case Operation::allgather:
            return givers * bytes_;
        case Operation::reduce_scatter:
            return reduced * (bytes_ / ranks_);
        case Operation::alltoall:
            return takers * givers * bytes_;
        default:
            ECO_CHECK(false);
            return 0;
    }
}

}  // namespace eco
