// SPDX-License-Identifier: BSD-3-Clause
#include "eco/multicast/best.h"

#include <gtest/gtest.h>

#include <random>

#include "eco/base/error.h"
#include "eco/multicast/drawn_for_test.h"
#include "eco/multicast/heuristics.h"
#include "eco/multicast/optimum_for_test.h"
#include "eco/multicast/pattern_bound.h"

namespace eco::multicast {

TEST(Best, NeverWorseThanWorkRacingPreemptive) {
    for (const auto& [ranks, sources] : {std::pair{4, 4}, {9, 2}, {16, 16}, {24, 7}})
        for (std::uint64_t seed = 0; seed < 30; ++seed) {
            const Pattern pattern = drawn(seed, ranks, sources);
            EXPECT_LE(best(pattern).completion, work_racing_preemptive(pattern).completion);
        }
}

// The target of the paper's experiments: 1.4 times the bound on the mean.
TEST(Best, NearTheBoundOnTheMean) {
    for (const int sources : {1, 8, 64})
        for (const Lengths lengths : {Lengths::small, Lengths::large, Lengths::mixed}) {
            double sum = 0;
            for (std::uint64_t seed = 0; seed < 4; ++seed) {
                Draw how;
                how.sources = sources;
                how.lengths = lengths;
                how.bits_per_second = seed % 2 == 0 ? 1e9 : 155e6;
                const Pattern pattern = draw(how, seed);
                sum += best(pattern).completion / bound(pattern).least;
            }
            EXPECT_LE(sum / 4, 1.35) << sources << " sources";
        }
}

// Ranks alike (send, transfer and receive 1), all to all: three receives and a send each, the first
// arrival at 2. All work shared out is 3 + 3 a rank, less than which no schedule takes.
TEST(Best, FindsTheOptimumOfFourRanksAlike) {
    const Pattern pattern =
        hand_pattern(4, {1, 0}, {1, 0}, {1, 0},
                     {{0, 1, {1, 2, 3}}, {1, 1, {0, 2, 3}}, {2, 1, {0, 1, 3}}, {3, 1, {0, 1, 2}}});
    EXPECT_NEAR(bound(pattern).work, 6, 1e-3);
    EXPECT_DOUBLE_EQ(best(pattern).completion, 6);
}

// The last of eight receivers needs 10 ms where the others need 0.1: served first it ends at 11.1.
TEST(Best, ServesASlowReceiverFirst) {
    Pattern pattern =
        hand_pattern(9, {1e-3, 0}, {1e-4, 0}, {1e-4, 0}, {{0, 1, {1, 2, 3, 4, 5, 6, 7, 8}}});
    pattern.model.receive[8] = {1e-2, 0};
    EXPECT_NEAR(best(pattern).completion, 11.1e-3, 1e-9);
}

namespace {

// Some sources, destinations and ranks less, as `kind` says.
Pattern thinned(Pattern pattern, int kind, std::mt19937& dice) {
    auto& messages = pattern.messages;
    const auto some = [&](std::size_t below) { return dice() % below; };
    if (kind == 0 && messages.size() > 1)
        messages.erase(messages.begin() + static_cast<std::ptrdiff_t>(some(messages.size())));
    if (kind == 1)
        for (int n = 0; n < 3; ++n) {
            auto& to = messages[some(messages.size())].destinations;
            if (!to.empty()) to.erase(to.begin() + static_cast<std::ptrdiff_t>(some(to.size())));
        }
    if (kind == 2) {
        const auto gone = static_cast<Rank>(some(static_cast<std::size_t>(pattern.ranks())));
        for (Message& message : messages) std::erase(message.destinations, gone);
        std::erase_if(messages, [&](const Message& message) { return message.source == gone; });
    }
    return pattern;
}

}  // namespace

TEST(Replan, RightWhateverComesOrGoes) {
    for (const auto& [ranks, sources] : {std::pair{2, 2}, {5, 1}, {8, 8}, {20, 9}, {70, 70}})
        for (std::uint64_t seed = 0; seed < 24; ++seed) {
            if (ranks == 70 && seed > 3) break;
            std::mt19937 dice(static_cast<unsigned>(seed));
            const Pattern more = drawn(seed, ranks, sources);
            const Pattern less = thinned(more, static_cast<int>(seed % 3), dice);
            const Pattern other = thinned(more, static_cast<int>(seed / 3 % 3), dice);
            for (const auto& [was, now] :
                 {std::pair{&more, &less}, {&less, &more}, {&less, &other}, {&more, &more}}) {
                const Schedule schedule = replan(*now, *was, best(*was));
                EXPECT_EQ(verify(*now, schedule), "") << "seed " << seed;
                EXPECT_GE(schedule.completion, bound(*now).least * (1 - 1e-9));
            }
        }
}

TEST(Replan, FromNothingAndToNothing) {
    const Pattern pattern = drawn(3, 12, 5);
    const Pattern none{pattern.model, {}};
    const Schedule from_nothing = replan(pattern, none, best(none));
    EXPECT_EQ(verify(pattern, from_nothing), "");
    EXPECT_EQ(verify(none, replan(none, pattern, best(pattern))), "");
}

TEST(Replan, AboutAsGoodAsPlanningAnew) {
    double sum = 0;
    int count = 0;
    for (std::uint64_t seed = 0; seed < 18; ++seed) {
        std::mt19937 dice(static_cast<unsigned>(seed));
        const Pattern more = drawn(seed, 32, 32);
        const Pattern less = thinned(more, static_cast<int>(seed % 3), dice);
        for (const auto& [was, now] : {std::pair{&more, &less}, {&less, &more}}) {
            sum += replan(*now, *was, best(*was)).completion / best(*now).completion;
            ++count;
        }
    }
    EXPECT_LE(sum / count, 1.05);
}

TEST(Replan, OtherRanksAreRefused) {
    const Pattern pattern = drawn(1, 5, 5), larger = drawn(1, 6, 6);
    EXPECT_THROW(replan(larger, pattern, best(pattern)), Error);
    EXPECT_THROW(replan(pattern, pattern, best(larger)), Error);
}

}  // namespace eco::multicast
