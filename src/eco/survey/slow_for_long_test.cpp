// SPDX-License-Identifier: BSD-3-Clause
#include "eco/survey/slow_for_long.h"

#include <gtest/gtest.h>

#include <set>

#include "eco/base/at.h"

namespace eco {

namespace {

// Hosts on one switch, whose NICs take so long for a byte; each message 500 us. 100 us apart in
// subnets of their own if so many are in each.
Profile of_nics(const std::vector<double>& per_byte, int each = 0, Seconds apart = 100e-6) {
    Profile profile;
    const int hosts = static_cast<int>(per_byte.size());
    profile.sizes = {1, 1024, 16384};
    profile.partition_bytes = 1024;
    profile.tolerance = 0.2;
    for (const Bytes bytes : profile.sizes) {
        Matrix& cost = profile.minimum.emplace_back(hosts);
        profile.spread.emplace_back(hosts);
        for (int a = 0; a < hosts; ++a)
            for (int b = a + 1; b < hosts; ++b)
                cost.set(
                    a, b,
                    500e-6 + (each > 0 && a / each != b / each ? apart : 0) +
                        static_cast<double>(bytes) * std::max(per_byte[at(a)], per_byte[at(b)]));
    }
    for (int host = 0; host < hosts; ++host) profile.hosts.push_back("n" + std::to_string(host));
    derive_topology(profile, profile.repeats);
    return profile;
}

constexpr double fast = 80e-9, fifth = 400e-9;

std::vector<int> slow(const Profile& profile, const std::optional<Surveyed>& surveyed = {}) {
    std::vector<int> found;
    for (const Odd& odd : slow_for_long(profile, surveyed)) {
        EXPECT_EQ(odd.what, "slow");
        found.push_back(odd.hosts.front());
    }
    return found;
}

Surveyed with(const std::vector<HostPair>& pairs) { return {4, 0, {pairs, pairs, pairs}}; }

}  // namespace

TEST(SlowForLong, AHostWhoseNicHasALowerRate) {
    // At 1 KiB little more than the tolerance: in a subnet with the others.
    const auto profile = of_nics({fast, fast, 160e-9, fast});
    ASSERT_EQ(profile.levels.back(), (std::vector<int>{0, 0, 0, 0}));
    const auto found = slow_for_long(profile, {});
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].hosts, std::vector<int>{2});
    EXPECT_NEAR(found[0].factor, (500e-6 + 16384 * 160e-9) / (500e-6 + 16384 * fast), 1e-6);
}

TEST(SlowForLong, AlsoAloneInItsSubnetForItsRate) {
    const auto profile = of_nics({fast, fast, fifth, fast});
    ASSERT_EQ(profile.levels.back(), (std::vector<int>{0, 0, 1, 0}));
    EXPECT_EQ(slow(profile), std::vector<int>{2});
}

TEST(SlowForLong, NotOneThatIsFarAway) {
    // Also over a slower link.
    EXPECT_TRUE(slow(of_nics({fast, fast, fast, fifth}, 3, 10e-3)).empty());
    EXPECT_TRUE(slow(of_nics({fast, fast, fast, fast}, 3, 10e-3)).empty());
}

TEST(SlowForLong, IsTimedAgainWithTheNearestOfItsSubnet) {
    auto profile = of_nics({fast, fast, 160e-9, fast});
    profile.minimum[2].set(1, 2, 0.9 * profile.minimum[2](1, 2));
    EXPECT_EQ(pairs_of_slow(profile, {}), (std::vector<HostPair>{{1, 2}}));
}

TEST(SlowForLong, TwoAreNeitherNorIsAHalf) {
    EXPECT_TRUE(slow(of_nics({fast, 120e-9})).empty());
    EXPECT_TRUE(slow(of_nics({fast, 130e-9, fast, 130e-9})).empty());
}

TEST(SlowForLong, NothingWithoutLongMessages) {
    auto profile = of_nics({fast, fast, 160e-9, fast});
    profile.sizes.back() = 2048;
    EXPECT_TRUE(slow(profile).empty());
    EXPECT_TRUE(long_pairs(profile, std::vector<Timings>(3, Timings(4))).empty());
}

TEST(SlowForLong, OfFewPairsOthersTellWhich) {
    const auto profile = of_nics({fast, fast, fast, 160e-9, fast, fast});
    std::vector<HostPair> pairs{{0, 1}, {2, 3}, {4, 5}};
    EXPECT_TRUE(slow(profile, with(pairs)).empty());
    std::vector<Timings> timings(3, Timings(6));
    for (const auto& [a, b] : pairs)
        for (std::size_t size = 0; size < 3; ++size)
            timings[size].add({a, b}, {profile.minimum[size](a, b)});
    const auto more =
        pairs_to_tell_apart(long_pairs(profile, timings), timings[1], profile.levels.back());
    EXPECT_EQ(more, (std::vector<HostPair>{{0, 2}, {0, 3}}));
    pairs.insert(pairs.end(), more.begin(), more.end());
    EXPECT_EQ(slow(profile, with(pairs)), std::vector<int>{3});
}

TEST(SlowForLong, OfFewPairsALoneHostIsComparedWithItsNearestSubnet) {
    Timings nearest(5);
    nearest.add({0, 4}, {3});
    nearest.add({2, 4}, {2});
    const std::vector<LongPair> timed{{0, 1, 1}, {2, 3, 1}};
    EXPECT_EQ(pairs_to_tell_apart(timed, nearest, {0, 0, 1, 1, 2}),
              (std::vector<HostPair>{{2, 4}}));
}

TEST(SlowForLong, PairsThatTakeLongerAreTriedBothWays) {
    // Less than what makes a host slow.
    const auto profile = of_nics({fast, fast, 110e-9, fast});
    EXPECT_TRUE(slow(profile).empty());
    EXPECT_EQ(pairs_to_try_both_ways(profile, {}), (std::vector<HostPair>{{0, 2}}));
    EXPECT_TRUE(pairs_to_try_both_ways(of_nics({fast, fast, fast}), {}).empty());
}

TEST(SlowForLong, ALinkSaysMoreThanItsHost) {
    const Odd host{{2}, "slow", 3}, other{{3}, "slow", 2}, link{{2, 0}, "asymmetric", 5};
    const auto found = all_odd({other}, {host, other}, {link}, {0, 0, 0, 0});
    ASSERT_EQ(found.size(), 2U);
    EXPECT_EQ(found[0].hosts, other.hosts);
    EXPECT_EQ(found[1].hosts, link.hosts);
    EXPECT_EQ(all_odd({}, {host}, {link}, {0, 0, 1, 1}).size(), 2U);
}

}  // namespace eco
