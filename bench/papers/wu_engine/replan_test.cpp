// SPDX-License-Identifier: BSD-3-Clause
#include "replan.h"

#include <gtest/gtest.h>

#include <random>

#include "check_schedule.h"
#include "drawn_for_test.h"
#include "eco/base/error.h"
#include "eco/multicast/best.h"
#include "eco/multicast/pattern_bound.h"

namespace eco::multicast {

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
