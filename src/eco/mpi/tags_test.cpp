// SPDX-License-Identifier: BSD-3-Clause
#include "eco/mpi/tags.h"

#include <gtest/gtest.h>

#include <set>

namespace eco {

TEST(Tags, AskRanksToMeetBeforeOneIsSoFarAheadThatItsTagsAreAnothersAgain) {
    Tags tags;
    ASSERT_TRUE(tags.tell_schedules());
    std::set<int> used;
    int calls = 0;
    // A rank waits in a call after a meeting; another may be there, and as far again.
    for (int meetings = 0; meetings < 2; ++meetings) {
        for (; !tags.must_synchronize(); ++calls)
            EXPECT_TRUE(used.insert(tags.next()).second) << calls;
        tags.synchronized();
    }
    EXPECT_GE(calls, tags.calls() / 2);
    EXPECT_LE(calls, tags.calls());
}

TEST(Tags, PlacesAndProgramsFitIntoACall) {
    EXPECT_LE(Tags::places + Tags::of_one_program, Tags::of_end);
}

}  // namespace eco
