// SPDX-License-Identifier: BSD-3-Clause
// Tags of the messages on one of ECO's own communicators: calls that may be under way at once never
// share one.
#pragma once

#include "eco/mpi/native.h"

namespace eco {

// For what is no collective call of the program's.
inline constexpr int clocks_tag = 0, mcast_status_tag = 1, mcast_answer_tag = 2, self_check_tag = 3,
                     network_check_tag = 4;
inline constexpr int first_call_tag = 16;

class Tags {
public:
    // Each call's messages have tags below this, counted from its first; no program that fits a
    // rank has more (planners/extent.h).
    static constexpr int of_one_call = 1 << 14;

    // The first tag of the next call. All ranks must ask in the same order of calls.
    int next();

    // The same for what may be under way for good, of tags of its own; and whether it comes for the
    // first time.
    struct ForLong {
        int tag;
        bool is_new;
    };
    ForLong next_for_long();

    // How many calls may be under way at once: 1 to 65,535, as the library's largest tag allows.
    int calls();

private:
    int calls_ = 0, next_ = 0, next_for_long_ = 0;
};

}  // namespace eco
