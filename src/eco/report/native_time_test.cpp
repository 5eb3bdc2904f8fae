// SPDX-License-Identifier: BSD-3-Clause
#include "eco/report/native_time.h"

#include <gtest/gtest.h>

#include "eco/base/error.h"

namespace eco {

namespace {

Tuned tuned(Bytes bytes, const char* choice, Seconds native, Seconds eco,
            const char* mpi = "openmpi 5.0.11") {
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
    return {"bcast", bytes, bytes, true, false, 8, 0, choice};
}

LearnedClass learned(Seconds native, Seconds k2) {
    LearnedClass entry{"openmpi 5.0.11", "bcast", "near", false, 8, 1024, "k2", {}};
    entry.arms = {{"native", 5, native}, {"k2", 5, k2}};
    return entry;
}

}  // namespace

TEST(NativeTime, WhatRanNativelyIsNoEstimate) {
    const NativeTime found = native_time(kind(1024, "native"), {learned(2, 1)}, {}, {});
    EXPECT_EQ(found.ratio, 1);
    EXPECT_EQ(found.basis, Basis::ran);
}

TEST(NativeTime, ThisJobCountsBeforeTuningAndTuningBeforeEarlierJobs) {
    const std::vector<Tuned> tuning = {tuned(1024, "k2", 3, 1)};
    const auto now = native_time(kind(1024, "k2"), {learned(2, 1)}, {learned(4, 1)}, tuning);
    EXPECT_EQ(now.ratio, 2);
    EXPECT_EQ(now.basis, Basis::job);
    const auto earlier = native_time(kind(1024, "k2"), {}, {learned(4, 1)}, tuning);
    EXPECT_EQ(earlier.ratio, 3);
    EXPECT_EQ(earlier.basis, Basis::earlier);
    EXPECT_EQ(native_time(kind(1024, "k2"), {}, {learned(4, 1)}, {}).ratio, 4);
}

TEST(NativeTime, AnotherChoicesTimesDoNotCount) {
    EXPECT_EQ(native_time(kind(1024, "k3"), {learned(2, 1)}, {}, {}).basis, Basis::none);
    EXPECT_EQ(native_time(kind(2048, "k2"), {learned(2, 1)}, {}, {}).basis, Basis::none);
}

TEST(NativeTime, BetweenTwoSizesInProportion) {
    const std::vector<Tuned> tuning = {tuned(100, "k2", 1, 1), tuned(10000, "k2", 3, 1)};
    EXPECT_NEAR(native_time(kind(1000, "k2"), {}, {}, tuning).ratio, 2, 1e-9);
    EXPECT_NEAR(native_time(kind(10, "k2"), {}, {}, tuning).ratio, 1, 1e-9);
    EXPECT_NEAR(native_time(kind(100000, "k2"), {}, {}, tuning).ratio, 3, 1e-9);
}

TEST(NativeTime, NativeIsNoSlowerWhereEcoIsSlow) {
    const std::vector<Tuned> tuning = {tuned(1000, "k2", 3, 1), tuned(3000, "native", 7, 9)};
    CallKind everywhere = kind(2000, "k2");
    everywhere.everywhere = 1;
    const NativeTime found = native_time(everywhere, {}, {}, tuning);
    EXPECT_NEAR(found.natively(100), 5, 1e-9);
    EXPECT_NEAR(found.with_eco(100), 5, 1e-9);
    everywhere.bytes = 6000;
    EXPECT_NEAR(native_time(everywhere, {}, {}, tuning).natively(100), 14, 1e-9);
    everywhere.bytes = 10;
    EXPECT_NEAR(native_time(everywhere, {}, {}, tuning).natively(100), 3, 1e-9);
}

TEST(NativeTime, OnOtherRanksThanTimedTheRatioCounts) {
    const std::vector<Tuned> tuning = {tuned(1024, "k2", 3, 1)};
    EXPECT_EQ(native_time(kind(1024, "k2"), {}, {}, tuning).natively(10), 30);
}

TEST(NativeTime, OfAnUnknownSizeTheRatioCounts) {
    const std::vector<Tuned> tuning = {tuned(-1, "k2", 3, 2)};
    CallKind everywhere = kind(-1, "k2");
    everywhere.everywhere = 1;
    const NativeTime found = native_time(everywhere, {}, {}, tuning);
    EXPECT_EQ(found.natively(10), 15);
    EXPECT_EQ(found.with_eco(15), 10);
}

TEST(NativeTime, WhatIsPartlyPredictedIsSaidToBe) {
    std::vector<Tuned> tuning = {tuned(1000, "k2", 3, 1), tuned(3000, "k2", 7, 2)};
    EXPECT_EQ(native_time(kind(2000, "k2"), {}, {}, tuning).basis, Basis::earlier);
    tuning.back().predicted = true;
    EXPECT_EQ(native_time(kind(2000, "k2"), {}, {}, tuning).basis, Basis::model);
    EXPECT_EQ(native_time(kind(1000, "k2"), {}, {}, tuning).basis, Basis::earlier);
}

TEST(NativeTime, TheModelIsTheLastResort) {
    const std::vector<Tuned> tuning = {tuned(1024, "k2", 3, 2, any_library)};
    const auto found = native_time(kind(1024, "k2"), {}, {}, tuning);
    EXPECT_EQ(found.ratio, 1.5);
    EXPECT_EQ(found.basis, Basis::model);
}

TEST(NativeTime, EachBasisIsReadAsItIsWritten) {
    for (const Basis basis : {Basis::ran, Basis::job, Basis::earlier, Basis::model, Basis::none})
        EXPECT_EQ(parse_basis(to_text(basis)), basis);
    EXPECT_THROW(parse_basis("guessed"), Error);
}

}  // namespace eco
