// SPDX-License-Identifier: BSD-3-Clause
#include "eco/survey/uplink_rates.h"

#include <gtest/gtest.h>

namespace eco {

namespace {

// Two clusters of three, inside at `rate` and across at another, both ways in a round each.
const std::vector<int> halves{0, 0, 0, 1, 1, 1};
StreamRounds inside(double rate = 1) {
    return {{{0, 1, 1}, {1, 2, rate}, {2, 0, rate}, {3, 4, 1}, {4, 5, rate}, {5, 3, rate}}};
}
std::vector<UplinkRound> across(double rate) {
    return {{{{0, 3, rate}, {1, 4, rate}, {2, 5, rate}}, {0}, {1}},
            {{{3, 0, rate}, {4, 1, rate}, {5, 2, rate}}, {1}, {0}}};
}

}  // namespace

TEST(UplinkRates, AreWhatAllStreamsAcrossCarriedTogether) {
    const UplinkRates found = uplink_rates(halves, {}, inside(), across(0.5));
    EXPECT_TRUE(found.is_sure());
    EXPECT_EQ(found.capacity.out, (std::vector<double>{1.5, 1.5}));
    EXPECT_EQ(found.capacity.in, (std::vector<double>{1.5, 1.5}));
    // Hardly slower is nothing that hosts share.
    EXPECT_FALSE(uplink_rates(halves, {}, inside(), across(0.9)).is_likely());
}

TEST(UplinkRates, OfRatesThatVaryAreLikelyAtMost) {
    std::vector<UplinkRound> varied = across(0.3);
    for (UplinkRound& round : varied) round.streams[1].rate = 1.1;
    const UplinkRates found = uplink_rates(halves, {}, inside(), varied);
    EXPECT_FALSE(found.is_sure());
    varied.push_back({{{0, 3, 0.3}, {1, 4, 0.3}, {2, 5, 0.3}}, {0}, {1}});
    EXPECT_GT(uplink_rates(halves, {}, inside(), varied).surest, found.surest);
}

TEST(UplinkRates, OfClustersThatTheirRoundTests) {
    std::vector<UplinkRound> rounds = across(0.5);
    rounds[1].out.clear();
    rounds[1].in.clear();
    const UplinkRates found = uplink_rates(halves, {}, inside(), rounds);
    EXPECT_EQ(found.capacity.out, (std::vector<double>{1.5, 0}));
    EXPECT_EQ(found.capacity.in, (std::vector<double>{0, 1.5}));
}

// The ends were seen to carry 1 in other rounds.
TEST(UplinkRates, TellWhereStreamsInsideAreSlow) {
    std::vector<StreamRate> seen;
    for (int v = 0; v < 6; ++v) seen.push_back({v, (v + 1) % 6, 1});
    const auto slow = [&](double rate) {
        return uplink_rates(halves, seen, inside(rate), across(0.3)).capacity.slow_inside;
    };
    EXPECT_EQ(slow(0.95), (std::vector<bool>{false, false}));
    EXPECT_EQ(slow(0.4), (std::vector<bool>{true, true}));
}

}  // namespace eco
