// SPDX-License-Identifier: BSD-3-Clause
#include "eco/job/drained.h"

#include <gtest/gtest.h>

namespace eco {

namespace {

// The program has freed it; its call ends in another thread after so many questions.
struct Freed {
    int questions_until_over;
    bool is_freed() const { return true; }
    bool is_drained() { return questions_until_over-- <= 0; }
};

struct Used {
    bool freed = false;
    bool is_freed() const { return freed; }
    bool is_drained() const { return false; }
};

}  // namespace

TEST(Drained, NoneIsLostWhoseCallEndsMeanwhile) {
    for (int questions = 0; questions < 4; ++questions) {
        Freed freed{questions};
        std::vector<Freed*> all{&freed};
        bool some_draining = true;
        std::vector<Freed*> over;
        for (int looks = 0; looks < 5 && some_draining; ++looks) {
            const auto left = take_drained(all);
            over.insert(over.end(), left.over.begin(), left.over.end());
            some_draining = left.some_draining;
            ASSERT_EQ(all.size() + over.size(), 1U) << questions << " questions";
        }
        EXPECT_EQ(over, std::vector<Freed*>{&freed}) << questions << " questions";
    }
}

TEST(Drained, LeavesWhatIsInUse) {
    Used used, freed{true};
    std::vector<Used*> all{&used};
    auto left = take_drained(all);
    EXPECT_TRUE(left.over.empty());
    EXPECT_FALSE(left.some_draining);
    all.push_back(&freed);
    left = take_drained(all);
    EXPECT_TRUE(left.over.empty());
    EXPECT_TRUE(left.some_draining);
    EXPECT_EQ(all, (std::vector<Used*>{&used, &freed}));
}

}  // namespace eco
