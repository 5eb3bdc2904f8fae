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
    // Each call's messages have tags below this, counted from its first. No program that fits a
    // rank has more than half of them (planners/extent.h), so that the programs of unlike schedules
    // may begin at unlike places: a rank that runs another one than its peers is told by that.
    static constexpr int of_one_call = 1 << 15, of_one_program = of_one_call / 2,
                         places = of_one_program / 2;
    // Of what a rank says that has given up the call; no schedule's.
    static constexpr int of_end = of_one_call - 1;

    // The first tag of the next call. All ranks must ask in the same order of calls.
    int next();

    // Whether a message's tag tells which schedule its sender runs (job/mismatch.h). Not where a
    // library has so few tags that ranks would have to meet often.
    bool tell_schedules() { return calls() >= 256; }

    // Whether ranks should wait for each other before the next call: a rank that is far ahead of
    // another would use tags that the other one takes for those of its own call. Then
    // synchronized().
    bool must_synchronize() { return tell_schedules() && since_synchronized_ >= calls() / 2; }
    void synchronized() { since_synchronized_ = 0; }

    // The first tag of a persistent request, of tags that no other call takes; and whether it is
    // given for the first time.
    struct PersistentTag {
        int tag;
        bool is_new;
    };
    PersistentTag next_persistent();

    // How many calls may be under way at once: 1 to 32,767, as the library's largest tag allows.
    int calls();

private:
    int calls_ = 0, next_ = 0, next_persistent_ = 0, since_synchronized_ = 0;
};

}  // namespace eco
