// SPDX-License-Identifier: BSD-3-Clause
#include "eco/mpi/tags.h"

#include <algorithm>

namespace eco {

int Tags::calls() {
    if (calls_ > 0) return calls_;
    int* largest = nullptr;
    int found = 0;
    constexpr int least_allowed = 32767;  // by the standard
    const int code = native().Comm_get_attr(native().comm_world, MPI_TAG_UB, &largest, &found);
    const int most = code == MPI_SUCCESS && found ? *largest : least_allowed;
    return calls_ = std::max(1, (most - first_call_tag) / of_one_call / 2);
}

int Tags::next() {
    const int call = next_;
    ++since_synchronized_;
    next_ = (next_ + 1) % calls();
    return first_call_tag + call * of_one_call;
}

Tags::PersistentTag Tags::next_persistent() {
    const int all = calls(), call = next_persistent_++;
    if (next_persistent_ == 2 * all) next_persistent_ = all;
    return {first_call_tag + (all + call % all) * of_one_call, call < all};
}

}  // namespace eco
