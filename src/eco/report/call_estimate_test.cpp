// SPDX-License-Identifier: BSD-3-Clause
#include "eco/report/call_estimate.h"

#include <gtest/gtest.h>

#include "eco/base/error.h"
#include "eco/planners/choice.h"
#include "eco/planners/choice_text.h"

namespace eco {

namespace {

constexpr const char* library = "openmpi 5.0.11";
constexpr Seconds far = 0.02;

// Two sites of four hosts.
Profile two_sites() {
    Profile profile;
    profile.levels = {{0, 0, 0, 0, 1, 1, 1, 1}};
    profile.sizes = {16, 1024};
    for (int host = 0; host < 8; ++host) {
        profile.hosts.push_back("n" + std::to_string(host));
        profile.ring.push_back(host);
    }
    Model& model = profile.model.emplace();
    const std::size_t size = profile.hosts.size();
    model.fixed = model.per_byte = Table(size, std::vector<double>(size, 0));
    profile.minimum.assign(2, Matrix(static_cast<int>(size)));
    for (std::size_t a = 0; a < size; ++a) {
        model.send.push_back({1e-5, 1e-10});
        model.receive.push_back({1e-5, 1e-10});
        for (std::size_t b = 0; b < size; ++b) {
            if (a == b) continue;
            const bool near = a / 4 == b / 4;
            model.fixed[a][b] = near ? 1e-4 : far;
            model.per_byte[a][b] = near ? 8e-8 : 4e-7;
            for (std::size_t s = 0; s < profile.sizes.size(); ++s)
                profile.minimum[s].set(
                    static_cast<int>(a), static_cast<int>(b),
                    2e-5 + model.fixed[a][b] +
                        model.per_byte[a][b] * static_cast<double>(profile.sizes[s]));
        }
    }
    for (int site : {0, 1}) model.media.push_back({0, site, Medium::Kind::switched, 1.2e7, 2.4e6});
    return profile;
}

Tuned tuned(Bytes bytes, const char* choice, Seconds native, Seconds eco,
            const char* mpi = library) {
    Tuned entry;
    entry.mpi = mpi;
    entry.operation = "bcast";
    entry.layout = "near";
    entry.bytes = bytes;
    entry.choice = choice;
    entry.native = native;
    entry.eco = eco;
    return entry;
}

CallKind kind(Bytes bytes, const char* choice) {
    return {"bcast", bytes, bytes, true, false, choice, {0, 1, 2, 3, 4, 5, 6, 7}, {{0, 1}}};
}

LearnedClass learned(Seconds native, Seconds k2) {
    LearnedClass entry{library, "bcast", "near", false, 8, 1024, "k2", {}};
    entry.arms = {{"native", 5, native}, {"k2", 5, k2}};
    return entry;
}

Profile with(std::vector<Tuned> tuning) {
    Profile profile = two_sites();
    profile.tuning = std::move(tuning);
    return profile;
}

Seconds binomial(const Profile& profile, const CallKind& calls) {
    Choice choice = parse_choice("binomial");
    choice.on = On::ranks;
    return CallEstimator(profile, library).simulated(calls, choice).value();
}

}  // namespace

TEST(CallEstimate, ThisJobCountsBeforeTuningAndTuningBeforeEarlierJobs) {
    const Profile profile = with({tuned(1024, "k2", 0.06, 0.02)}), untuned = two_sites();
    const CallKind calls = kind(1024, "k2");
    const CallEstimate now =
        CallEstimator(profile, library, {learned(2, 1)}, {learned(4, 1)}).native(calls, 1);
    EXPECT_EQ(now.time.likely, 2);
    EXPECT_EQ(now.basis, Basis::timed_here);
    const CallEstimate timed =
        CallEstimator(profile, library, {}, {learned(4, 1)}).native(calls, 1);
    EXPECT_LT(timed.time.likely, 0.1);
    EXPECT_EQ(timed.basis, Basis::timed);
    const CallEstimate earlier =
        CallEstimator(untuned, library, {}, {learned(4, 1)}).native(calls, 10);
    EXPECT_EQ(earlier.time.likely, 40);
    EXPECT_EQ(earlier.basis, Basis::timed);
}

TEST(CallEstimate, AnotherClassesTimesDoNotCount) {
    const Profile profile = two_sites();
    CallKind calls = kind(2048, "k2");
    EXPECT_NE(CallEstimator(profile, library, {learned(2, 1)}).native(calls, 1).basis,
              Basis::timed_here);
}

// What was timed is the mean over all roots; a broadcast from rank 0 crosses once.
TEST(CallEstimate, OfARootThatIsQuickerThanOthers) {
    CallKind all = kind(16, "k2"), first = all;
    for (Rank root = 0; root < 8; ++root) all.roots[root] = 1;
    Profile profile = two_sites();
    const Seconds mean = binomial(profile, all), quick = binomial(profile, first);
    ASSERT_GT(mean, 1.5 * quick);
    profile.tuning = {tuned(16, "k2", mean, 0.02)};
    CallEstimator estimator(profile, library);
    EXPECT_NEAR(estimator.native(all).time.likely, mean, 1e-9);
    EXPECT_NEAR(estimator.native(first).time.likely, quick, 1e-9);
    EXPECT_LT(estimator.native(first).time.high, mean);
}

TEST(CallEstimate, BetweenTwoSizesAsTheScheduleDiffers) {
    Profile profile = two_sites();
    CallKind all = kind(16384, "k2");
    for (Rank root = 0; root < 8; ++root) all.roots[root] = 1;
    CallKind shorter = all, longer = all;
    shorter.bytes = 1024;
    longer.bytes = 131072;
    profile.tuning = {tuned(1024, "k2", binomial(profile, shorter), 0.02),
                      tuned(131072, "native", binomial(profile, longer), 0.2)};
    const CallEstimate found = CallEstimator(profile, library).native(all);
    EXPECT_NEAR(found.time.likely, binomial(profile, all), 0.01 * found.time.likely);
    EXPECT_EQ(found.basis, Basis::timed);
    EXPECT_LT(found.time.low, found.time.likely);
}

TEST(CallEstimate, OnOtherRanksThanTimed) {
    Profile profile = two_sites();
    CallKind all = kind(1024, "k2"), few = all;
    for (Rank root = 0; root < 8; ++root) all.roots[root] = 1;
    few.host_of = {0, 1, 2, 3};
    profile.tuning = {tuned(1024, "k2", binomial(profile, all), 0.02)};
    EXPECT_NEAR(CallEstimator(profile, library).native(few).time.likely, binomial(profile, few),
                1e-9);
}

TEST(CallEstimate, AShortCallThatRanQuickerThanItWasTimedMakesTheLibrarysQuickerToo) {
    const Profile profile = with({tuned(16, "k2", 0.06, 0.04)});
    CallEstimator estimator(profile, library);
    const Seconds before = estimator.native(kind(16, "k2")).time.likely,
                  expected = estimator.with_eco(kind(16, "k2")).time.likely;
    const TimeRange less = estimator.native(kind(16, "k2"), expected / 2).time;
    EXPECT_NEAR(less.likely, before / 2, 1e-9);
    EXPECT_LT(less.low, before / 2 / 1.2);
    EXPECT_EQ(estimator.native(kind(16, "k2"), 2 * expected).time.likely, before);
    EXPECT_EQ(estimator.native(kind(16, "k3"), expected / 2).time.likely, before);
    const Profile longer = with({tuned(16000, "k2", 0.06, 0.04)});
    CallEstimator of_longer(longer, library);
    EXPECT_EQ(of_longer.native(kind(16000, "k2"), 0.02).time.likely,
              of_longer.native(kind(16000, "k2")).time.likely);
}

TEST(CallEstimate, OfAnUnknownSizeTheRatioCounts) {
    const Profile profile = with({tuned(-1, "k2", 3, 2)});
    CallEstimator estimator(profile, library);
    EXPECT_EQ(estimator.native(kind(-1, "k2"), 10).time.likely, 15);
    EXPECT_EQ(estimator.with_eco(kind(-1, "k2"), 15).time.likely, 10);
    EXPECT_FALSE(estimator.native(kind(-1, "k3"), 10).known());
}

TEST(CallEstimate, WhatFollowsFromOtherCallsIsAPrediction) {
    Tuned entry = tuned(1024, "native", 0.04, 0.03);
    entry.predicted = true;
    EXPECT_EQ(CallEstimator(with({entry}), library).native(kind(1024, "k2")).basis, Basis::timed);
    entry.derived = true;
    EXPECT_EQ(CallEstimator(with({entry}), library).native(kind(1024, "k2")).basis,
              Basis::predicted);
}

// What was predicted for any library has no times of one.
TEST(CallEstimate, APredictedEntryIsNoTime) {
    const Profile profile = with({tuned(1024, "k2", 3, 2, any_library)});
    const CallEstimate found = CallEstimator(profile, library).native(kind(1024, "k2"));
    EXPECT_NE(found.basis, Basis::timed);
    EXPECT_LT(found.time.likely, 0.2);
}

// A prediction counts only as far as what ran took what was predicted of it.
TEST(CallEstimate, APredictionIsCheckedByWhatRan) {
    const Profile profile = two_sites();
    CallKind calls = kind(262144, "k2");
    CallEstimator estimator(profile, library);
    const Seconds own = estimator.simulated(calls, parse_choice("k2")).value();
    EXPECT_FALSE(estimator.native(calls, 3 * own).known());
    const CallEstimate found = estimator.native(calls, own);
    if (found.known()) {
        EXPECT_EQ(found.basis, Basis::predicted);
        EXPECT_GE(found.time.likely, estimator.baseline(calls).value());
    }
}

TEST(CallEstimate, EachBasisIsReadAsItIsWritten) {
    for (const Basis basis :
         {Basis::ran, Basis::timed_here, Basis::timed, Basis::predicted, Basis::unknown})
        EXPECT_EQ(parse_basis(to_text(basis)), basis);
    EXPECT_THROW(parse_basis("guessed"), Error);
}

}  // namespace eco
