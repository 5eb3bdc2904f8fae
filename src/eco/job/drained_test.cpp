// SPDX-License-Identifier: BSD-3-Clause
#include "eco/job/left_over.h"

#include <gtest/gtest.h>

namespace eco {

namespace {

// The program has freed it; its call ends in another thread after so many questions.
struct Freed {
    int questions_until_over;
    bool outlives() const { return true; }
    bool is_left_over() { return questions_until_over-- <= 0; }
};

struct Used {
    bool freed = false;
    bool outlives() const { return freed; }
    bool is_left_over() const { return false; }
};

}  // namespace

TEST(LeftOver, NoneIsLostWhoseCallEndsMeanwhile) {
    for (int questions = 0; questions < 4; ++questions) {
        Freed freed{questions};
        std::vector<Freed*> all{&freed};
        bool some_outlive = true;
        std::vector<Freed*> over;
        for (int looks = 0; looks < 5 && some_outlive; ++looks) {
            const auto left = take_left_over(all);
            over.insert(over.end(), left.over.begin(), left.over.end());
            some_outlive = left.some_outlive;
            ASSERT_EQ(all.size() + over.size(), 1U) << questions << " questions";
        }
        EXPECT_EQ(over, std::vector<Freed*>{&freed}) << questions << " questions";
    }
}

TEST(LeftOver, LeavesWhatIsInUse) {
    Used used, freed{true};
    std::vector<Used*> all{&used};
    auto left = take_left_over(all);
    EXPECT_TRUE(left.over.empty());
    EXPECT_FALSE(left.some_outlive);
    all.push_back(&freed);
    left = take_left_over(all);
    EXPECT_TRUE(left.over.empty());
    EXPECT_TRUE(left.some_outlive);
    EXPECT_EQ(all, (std::vector<Used*>{&used, &freed}));
}

}  // namespace eco
