// SPDX-License-Identifier: BSD-3-Clause
#include "eco/schedule/verify.h"

#include <gtest/gtest.h>

namespace eco {

// One schedule that is wrong in each way that verify must see.
class Rejects : public testing::Test {
protected:
    std::string verdict(Operation operation, const std::function<void(Builder&, Rank)>& write,
                        int ranks = 2) {
        hierarchy_ = flat_hierarchy(ranks);
        hierarchy_.top.mcast_rate = reached_ ? 1e6 : 0;
        const Request request{operation, &hierarchy_, 0, commutative_};
        return verify(request, [&](Rank me) {
            Builder builder(request, 1);
            write(builder, me);
            return builder.finish();
        });
    }
    static constexpr Chunk whole_[1] = {0};
    Hierarchy hierarchy_;
    bool commutative_ = true, reached_ = false;
};

TEST_F(Rejects, NothingOfARightBroadcast) {
    EXPECT_EQ(verdict(Operation::bcast,
                      [](Builder& b, Rank me) {
                          if (me == 0)
                              b.send(1, input, whole_);
                          else
                              b.recv(0, output, whole_);
                      }),
              "");
}

TEST_F(Rejects, AMessageThatNobodySends) {
    EXPECT_NE(verdict(Operation::bcast,
                      [](Builder& b, Rank me) {
                          if (me == 1) b.recv(0, output, whole_);
                      })
                  .find("never sent"),
              std::string::npos);
}

TEST_F(Rejects, AMessageThatNobodyReceives) {
    EXPECT_NE(verdict(Operation::barrier,
                      [](Builder& b, Rank me) {
                          if (me == 0) b.send(1, input, whole_);
                      })
                  .find("never received"),
              std::string::npos);
}

TEST_F(Rejects, AMulticastThatDoesNotReachItsReceivers) {
    const auto multicast = [](Builder& b, Rank me) {
        const Rank others[] = {1, 2};
        if (me == 0)
            b.mcast(others, input, whole_);
        else
            b.mcast_recv(0, output, whole_);
    };
    EXPECT_NE(verdict(Operation::bcast, multicast, 3).find("does not reach"), std::string::npos);
    reached_ = true;
    EXPECT_EQ(verdict(Operation::bcast, multicast, 3), "");
}

TEST_F(Rejects, AMulticastThatAReceiverDoesNotTake) {
    reached_ = true;
    const auto taken_by = [](bool all, bool right) {
        return [all, right](Builder& b, Rank me) {
            const Rank others[] = {1, 2};
            if (me == 0) b.mcast(std::span(others, all ? 2 : 1), input, whole_);
            if (me == 1 || (me == 2 && right)) b.mcast_recv(0, output, whole_);
        };
    };
    EXPECT_EQ(verdict(Operation::bcast, taken_by(true, true), 3), "");
    EXPECT_NE(verdict(Operation::bcast, taken_by(true, false), 3).find("never receives"),
              std::string::npos);
    EXPECT_NE(verdict(Operation::bcast, taken_by(false, true), 3).find("never sent to it"),
              std::string::npos);
}

TEST_F(Rejects, ARankThatGetsNothing) {
    EXPECT_NE(verdict(Operation::bcast, [](Builder&, Rank) {}).find("never gets"),
              std::string::npos);
}

TEST_F(Rejects, AContributionCountedTwice) {
    const auto wrong = verdict(Operation::allreduce, [](Builder& b, Rank me) {
        b.copy(input, output, whole_);
        b.send(1 - me, input, whole_);
        b.reduce(1 - me, output, whole_);
        b.combine(input, output, whole_);
    });
    EXPECT_FALSE(wrong.empty());
}

TEST_F(Rejects, TheWrongOrderOfAnOperatorThatDoesNotCommute) {
    commutative_ = false;
    const auto reduce = [](bool earlier) {
        return [earlier](Builder& b, Rank me) {
            if (me == 1) {
                b.send(0, input, whole_);
                return;
            }
            b.copy(input, output, whole_);
            b.reduce(1, output, whole_, earlier);
        };
    };
    EXPECT_EQ(verdict(Operation::reduce, reduce(false)), "");
    EXPECT_NE(verdict(Operation::reduce, reduce(true)), "");
}

// A butterfly of two: `sum` is what a rank combines what comes from its partner with.
static void exchange_sums(Builder& b, Rank partner, Buffer from, Buffer to, bool partner_first) {
    const Chunk whole[1] = {0};
    b.send(partner, from, whole);
    if (partner_first) {
        b.copy(from, to, whole);
        b.reduce(partner, to, whole, true);
    } else {
        b.recv(partner, to, whole);
        b.combine(from, to, whole, true);
    }
}

// MPI 4.1, 6.9.6: the larger of 0 and -0, or of two NaN, depends on which one stands first.
TEST_F(Rejects, PartnersThatEachPutTheirOwnOperandFirst) {
    const auto butterfly = [this](bool swapped) {
        return verdict(Operation::allreduce, [swapped](Builder& b, Rank me) {
            b.copy(input, scratch(0), whole_);
            exchange_sums(b, 1 - me, scratch(0), output, swapped || me == 1);
        });
    };
    for (const bool commutative : {true, false}) {
        commutative_ = commutative;
        EXPECT_EQ(butterfly(false), "");
    }
    commutative_ = true;
    EXPECT_NE(butterfly(true).find("different ways: (1 0) and (0 1)"), std::string::npos)
        << butterfly(true);
}

// The same operands in the same order, but a + (b + c) has other bits than (a + b) + c.
TEST_F(Rejects, RanksThatCombineInOtherPairs) {
    const auto sums = [this](bool all_alike) {
        return verdict(
            Operation::allreduce,
            [all_alike](Builder& b, Rank me) {
                b.copy(input, scratch(me), whole_);
                for (Rank other = 0; other < 3; ++other)
                    if (other != me) b.send(other, scratch(me), whole_);
                for (Rank other = 0; other < 3; ++other)
                    if (other != me) b.recv(other, scratch(other), whole_);
                b.copy(scratch(2), output, whole_);
                if (me == 0 || all_alike) {
                    b.combine(scratch(1), output, whole_, true);
                    b.combine(scratch(0), output, whole_, true);
                } else {
                    b.combine(scratch(0), scratch(1), whole_, true);
                    b.combine(scratch(1), output, whole_, true);
                }
            },
            3);
    };
    EXPECT_EQ(sums(true), "");
    EXPECT_NE(sums(false).find("different ways: (0 (1 2)) and ((0 1) 2)"), std::string::npos)
        << sums(false);
}

TEST_F(Rejects, ADeadlock) {
    // Each receives before it sends.
    EXPECT_NE(verdict(Operation::allreduce,
                      [](Builder& b, Rank me) {
                          b.recv(1 - me, scratch(0), whole_);
                          b.wait_also_for(0);
                          b.send(1 - me, input, whole_);
                      })
                  .find("deadlock"),
              std::string::npos);
}

TEST_F(Rejects, ADeadlockOfLongMessages) {
    const auto sums = [this](bool paced) {
        return verdict(Operation::allreduce, [&](Builder& b, Rank me) {
            b.recv(1 - me, scratch(0), whole_);
            paced ? b.pace_by(0) : b.wait_also_for(0);
            b.send(1 - me, input, whole_);
        });
    };
    EXPECT_NE(sums(true).find("deadlock"), std::string::npos);
    EXPECT_NE(sums(false).find("deadlock"), std::string::npos);
    EXPECT_NE(verdict(Operation::allreduce,
                      [this](Builder& b, Rank me) {
                          b.pace_by(5);
                          b.send(1 - me, input, whole_);
                          b.recv(1 - me, scratch(0), whole_);
                      })
                  .find("paced by a later one"),
              std::string::npos);
}

TEST_F(Rejects, ARaceForMemory) {
    const Hierarchy hierarchy = flat_hierarchy(2);
    const Request request{Operation::bcast, &hierarchy, 0, true};
    const auto wrong = verify(request, [&](Rank me) {
        Builder builder(request, 1);
        for (int i = 0; i < 2; ++i)
            if (me == 0)
                builder.send(1, input, whole_);
            else
                builder.recv(0, output, whole_);
        Program program = builder.finish();
        for (Task& task : program.tasks) task.first_wait = task.end_wait = 0;
        return program;
    });
    EXPECT_NE(wrong.find("race"), std::string::npos);
}

TEST_F(Rejects, PiecesThatTheEndsDisagreeOn) {
    hierarchy_ = flat_hierarchy(2);
    const Request request{Operation::gather, &hierarchy_, 0, true};
    const Chunk own[1] = {1}, other[1] = {0};
    const auto wrong = verify(request, [&](Rank me) {
        Builder builder(request, 1);
        if (me == 1)
            builder.send(0, input, own);
        else
            builder.recv(1, output, other);
        return builder.finish();
    });
    EXPECT_NE(wrong.find("disagree"), std::string::npos);
}

TEST_F(Rejects, WritingIntoTheInput) {
    EXPECT_NE(verdict(Operation::allgather,
                      [](Builder& b, Rank me) {
                          const Chunk mine[1] = {me}, theirs[1] = {1 - me};
                          b.send(1 - me, input, mine);
                          b.recv(1 - me, input, theirs);
                      }),
              "");
}

// All ranks are one group, of which the library does all.
class RejectsNative : public Rejects {
protected:
    // part: by rank. root: of each task, by rank.
    std::string verdict_of(Operation operation, const std::function<Operation(Rank)>& part,
                           const std::function<Rank(Rank)>& root) {
        return verdict(operation, [&](Builder& b, Rank me) {
            const bool is_root = me == root(me);
            const bool gives = part(me) != Operation::bcast || is_root;
            const bool gets = part(me) == Operation::bcast    ? !is_root
                              : part(me) == Operation::reduce ? is_root
                                                              : true;
            b.native(part(me), root(me), gives ? input : -1, gets ? output : -1, whole_);
        });
    }
    static std::function<Operation(Rank)> all(Operation operation) {
        return [operation](Rank) { return operation; };
    }
    static Rank zero(Rank) { return 0; }
};

TEST_F(RejectsNative, NothingOfRightOnes) {
    for (const Operation each :
         {Operation::bcast, Operation::reduce, Operation::allreduce, Operation::barrier})
        EXPECT_EQ(verdict_of(each, all(each), zero), "") << traits(each).name;
}

TEST_F(RejectsNative, AnotherCollective) {
    EXPECT_NE(verdict_of(Operation::allreduce, all(Operation::reduce), zero), "");
    EXPECT_NE(verdict_of(Operation::bcast, all(Operation::reduce), zero), "");
    EXPECT_NE(verdict_of(Operation::scatter, all(Operation::scatter), zero), "");
    // Where there is something to move a barrier is no part.
    EXPECT_NE(verdict_of(Operation::allreduce, all(Operation::barrier), zero), "");
    EXPECT_NE(verdict_of(
                  Operation::allreduce,
                  [](Rank me) { return me == 0 ? Operation::allreduce : Operation::reduce; }, zero)
                  .find("disagree"),
              std::string::npos);
}

TEST_F(RejectsNative, AnotherRoot) {
    EXPECT_NE(verdict_of(Operation::bcast, all(Operation::bcast), [](Rank) { return 1; }), "");
    EXPECT_NE(verdict_of(Operation::bcast, all(Operation::bcast), [](Rank me) { return me; })
                  .find("disagree"),
              std::string::npos);
    EXPECT_NE(verdict_of(Operation::bcast, all(Operation::bcast), [](Rank) { return 7; })
                  .find("root of a native task"),
              std::string::npos);
}

TEST_F(RejectsNative, OneThatOthersDoNotTakePartIn) {
    EXPECT_NE(verdict(Operation::barrier,
                      [](Builder& b, Rank me) {
                          if (me == 0) b.native(Operation::barrier, 0, input, output, whole_);
                      })
                  .find("how many native"),
              std::string::npos);
    const Hierarchy apart = parse_hierarchy("0 (1 2)");
    const Request request{Operation::allreduce, &apart, 0, true};
    EXPECT_NE(verify(request,
                     [&](Rank me) {
                         Builder b(request, 1);
                         b.native(Operation::allreduce, me == 2 ? 1 : me, input, output, whole_);
                         return b.finish();
                     })
                  .find("no group"),
              std::string::npos);
}

TEST_F(RejectsNative, AContributionCountedTwice) {
    EXPECT_NE(verdict(Operation::allreduce,
                      [](Builder& b, Rank me) {
                          b.native(Operation::allreduce, 0, input, output, whole_);
                          b.native(Operation::reduce, 0, output, me == 0 ? scratch(0) : -1, whole_);
                          b.native(Operation::bcast, 0, me == 0 ? scratch(0) : -1,
                                   me == 0 ? -1 : output, whole_);
                      }),
              "");
}

TEST_F(RejectsNative, OneThatGivesOrGetsTooMuch) {
    EXPECT_NE(verdict(Operation::bcast,
                      [](Builder& b, Rank me) {
                          b.native(Operation::bcast, 0, input, me == 0 ? -1 : output, whole_);
                      })
                  .find("too much"),
              std::string::npos);
}

TEST_F(RejectsNative, ADeadlock) {
    // Each waits in the group before it sends what the other waits for.
    EXPECT_NE(verdict(Operation::allreduce,
                      [](Builder& b, Rank me) {
                          if (me == 0) b.recv(1, scratch(0), whole_);
                          b.native(Operation::allreduce, 0, input, output, whole_);
                          if (me == 1) b.send(0, input, whole_);
                      })
                  .find("deadlock"),
              std::string::npos);
}

TEST_F(RejectsNative, OneThatBlocksWhileOthersAreUnderWay) {
    hierarchy_ = flat_hierarchy(2);
    const Request request{Operation::allreduce, &hierarchy_, 0, true};
    const auto wrong = verify(request, [&](Rank me) {
        Builder b(request, 1);
        if (me == 0)
            b.send(1, input, whole_);
        else
            b.recv(0, scratch(0), whole_);
        b.native(Operation::allreduce, 0, input, output, whole_);
        Program program = b.finish();
        program.tasks[1].first_wait = program.tasks[1].end_wait;
        return program;
    });
    EXPECT_NE(wrong.find("at once"), std::string::npos);
}

}  // namespace eco
