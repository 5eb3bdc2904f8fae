#include "eco/plan/verify.h"

#include <gtest/gtest.h>

namespace eco {

// One schedule that is wrong in each way that verify must see.
class Rejects : public testing::Test {
protected:
    std::string verdict(Operation operation, const std::function<void(Builder&, Rank)>& write,
                        int ranks = 2) {
        hierarchy_ = flat_hierarchy(ranks);
        const Request request{operation, &hierarchy_, 0, commutative_};
        return verify(request, [&](Rank me) {
            Builder builder(request, 1);
            write(builder, me);
            return builder.finish();
        });
    }
    static constexpr Piece whole_[1] = {0};
    Hierarchy hierarchy_;
    bool commutative_ = true;
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
    const Piece own[1] = {1}, other[1] = {0};
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
                          const Piece mine[1] = {me}, theirs[1] = {1 - me};
                          b.send(1 - me, input, mine);
                          b.recv(1 - me, input, theirs);
                      }),
              "");
}

}  // namespace eco
