// SPDX-License-Identifier: BSD-3-Clause
// The paper's Figs. 1 and 2 (Wu, Yeh and Liu §4.4), with times: a send takes 2, a receive 1.
#include "eco/multicast/agenda.h"

#include <gtest/gtest.h>

#include "eco/multicast/optimum_for_test.h"

namespace eco::multicast {

class Preemption : public testing::Test {
protected:
    // Rank 0 has message 0 of its own for ranks 1 to 5; messages 1 and 2 come to it from rank 1.
    Preemption()
        : pattern_(hand_pattern(
              6, {2, 0}, {3, 0}, {1, 0},
              {{0, 1, {1, 2, 3, 4, 5}}, {1, 1, {0, 2, 3, 4, 5}}, {1, 1, {0, 2, 3, 4, 5}}})),
          times_(pattern_),
          agenda_(times_) {}

    Slot preempt(int k, Rank to) {
        const Slot slot = agenda_.preempting_slot(0, k);
        agenda_.add_send(0, to, k, slot);
        return slot;
    }

    Pattern pattern_;
    Times times_;
    Agenda agenda_;
};

// Fig. 1: a receive is issued at 0 and its message arrives at 5. Appended, a send would start at 6;
// two sends fit ahead of it, at 0 and at 2, and the receive still ends at 6.
TEST_F(Preemption, SendsGoAheadOfAReceiveThatWaits) {
    agenda_.add_receive(0, 1, 1, 5);
    EXPECT_EQ(agenda_.append_slot(0).start, 6);
    EXPECT_EQ(preempt(0, 2).start, 0);
    EXPECT_EQ(preempt(0, 3).start, 2);
    EXPECT_EQ(agenda_.receives(0)[0].end, 6);
    EXPECT_EQ(agenda_.available(0), 6);
}

// Fig. 2 (a): sends keep their order. The gap before the first receive has room for a send of 2,
// but a send stands behind it already.
TEST_F(Preemption, NoSendOvertakesAnEarlierOne) {
    agenda_.add_receive(0, 1, 1, 5);
    agenda_.add_send(0, 2, 0, agenda_.append_slot(0));  // 6 to 8
    agenda_.add_receive(0, 1, 2, 20);
    const Slot slot = preempt(0, 3);
    EXPECT_EQ(slot.before, 1);
    EXPECT_EQ(slot.start, 8);
}

// Fig. 2 (b): a message is passed on only after its receive, though there is room before it.
TEST_F(Preemption, NothingIsSentBeforeItIsReceived) {
    agenda_.add_receive(0, 1, 1, 5);
    agenda_.add_receive(0, 1, 2, 20);
    const Slot slot = preempt(1, 2);
    EXPECT_EQ(slot.before, 1);
    EXPECT_EQ(slot.start, 6);
}

// Fig. 2 (c): a send that would end after the message has arrived does not go ahead of its receive:
// from 4 to 6 is too late for 5, and a send of own message goes behind instead.
TEST_F(Preemption, NoReceiveIsDelayed) {
    agenda_.add_receive(0, 1, 1, 5);
    preempt(0, 2);
    preempt(0, 3);
    const Slot slot = preempt(0, 4);
    EXPECT_EQ(slot.before, 1);
    EXPECT_EQ(slot.start, 6);
    EXPECT_EQ(agenda_.receives(0)[0].end, 6);
}

// A send that ends just as the message arrives delays nothing.
TEST_F(Preemption, AGapIsFilledToTheEnd) {
    agenda_.add_receive(0, 1, 1, 2);
    EXPECT_EQ(preempt(0, 2).start, 0);
    EXPECT_EQ(preempt(0, 3).start, 3);
}

TEST(MessageSets, TheShortestInCommonBeyondOneWord) {
    MessageSets sets(2, 130);
    EXPECT_EQ(MessageSets::first_common(sets, 0, sets, 1), -1);
    sets.insert(0, 3);
    sets.insert(0, 129);
    sets.insert(1, 129);
    EXPECT_EQ(MessageSets::first_common(sets, 0, sets, 1), 129);
    sets.insert(1, 3);
    EXPECT_EQ(MessageSets::first_common(sets, 0, sets, 1), 3);
    sets.erase(0, 3);
    EXPECT_FALSE(sets.holds(0, 3));
    EXPECT_FALSE(sets.empty(0));
}

}  // namespace eco::multicast
