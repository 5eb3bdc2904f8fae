// SPDX-License-Identifier: BSD-3-Clause
#include "eco/measure/shared_hosts.h"

#include <gtest/gtest.h>

namespace eco {

namespace {

const std::string library = "openmpi 5.0.11";

Tuned predicted(const char* operation, Bytes bytes, int ranks_per_host, Seconds baseline,
                Seconds eco) {
    return {.mpi = any_library,
            .operation = operation,
            .layout = "near",
            .bytes = bytes,
            .choice = "ring:on=levels",
            .native = baseline,
            .eco = eco,
            .noise = 0.2,
            .ranks_per_host = ranks_per_host,
            .predicted = true};
}

Tuned of_library(const char* operation, Bytes bytes, Seconds native) {
    return {.mpi = library,
            .operation = operation,
            .layout = "near",
            .bytes = bytes,
            .choice = "native",
            .native = native,
            .eco = native};
}

PredictionErrors exact() {
    PredictionError error{.bias = 1, .margin = 1.1, .clear_gain = 1.2, .samples = 9};
    return {error, error, error, error, error};
}

// The only entry that follows.
Tuned follows_from(const std::vector<Tuned>& tuning) {
    const auto found = choices_on_shared_hosts(tuning, library, exact());
    EXPECT_EQ(found.size(), 1);
    return found.at(0);
}

}  // namespace

// Two racks of four hosts, Open MPI, seconds: its allgather took 269 ms where a ring takes 82, and
// with two ranks on each host 588 where a ring takes 182.
TEST(SharedHosts, ALibraryThatIsFarFromItsBaselineIsSoWithSeveralRanks) {
    const Tuned found = follows_from({predicted("allgather", 65536, 1, 0.0443, 0.0443),
                                      of_library("allgather", 131072, 0.269),
                                      predicted("allgather", 65536, 2, 0.0886, 0.0856)});
    EXPECT_EQ(found.mpi, library);
    EXPECT_EQ(found.bytes, 65536);
    EXPECT_EQ(found.ranks_per_host, 2);
    EXPECT_EQ(found.choice, "ring:on=levels");
    EXPECT_NEAR(found.native, 0.269, 0.001);
    EXPECT_TRUE(found.predicted && found.derived);
}

TEST(SharedHosts, ALibraryAtItsBaselineStays) {
    const Tuned found = follows_from({predicted("reduce_scatter", 1048576, 1, 0.0887, 0.0887),
                                      of_library("reduce_scatter", 1048576, 0.0875),
                                      predicted("reduce_scatter", 1048576, 2, 0.0887, 0.0887)});
    EXPECT_EQ(found.choice, "native");
}

// One rank of each host takes part in what goes between hosts: no more than with one rank on each,
// whatever a baseline takes that knows no hosts. A reduce of 16,000 B took the library 3.5 ms, and
// ECO, which was predicted at 2.7, 4.7.
TEST(SharedHosts, SharedMemoryIsCountedInTheLibrarysFavour) {
    const Tuned found = follows_from({predicted("reduce", 16384, 1, 0.0039, 0.0022),
                                      of_library("reduce", 16384, 0.0039),
                                      predicted("reduce", 16384, 2, 0.0047, 0.0027)});
    EXPECT_DOUBLE_EQ(found.native, 0.0039);
    EXPECT_EQ(found.choice, "native");
}

// Not lifted to its baseline: it may know a better way for blocks.
TEST(SharedHosts, ALibraryThatIsQuickerThanItsBaselineIsSoWithSeveralRanks) {
    const Tuned found = follows_from({predicted("allgather", 16384, 1, 0.02, 0.01),
                                      of_library("allgather", 16384, 0.006),
                                      predicted("allgather", 16384, 2, 0.04, 0.02)});
    EXPECT_NEAR(found.native, 0.012, 1e-9);
    EXPECT_EQ(found.choice, "native");
}

TEST(SharedHosts, WithoutKnownErrorsOrReadableEntriesNothingIsSaid) {
    std::vector<Tuned> tuning{predicted("allgather", 16384, 1, 0.02, 0.01),
                              of_library("allgather", 16384, 0.06),
                              predicted("allgather", 16384, 2, 0.04, 0.01)};
    EXPECT_EQ(choices_on_shared_hosts(tuning, library, exact()).size(), 1);
    EXPECT_EQ(choices_on_shared_hosts(tuning, library, {}).size(), 0);
    tuning.back().choice = "of:another=version";
    EXPECT_EQ(choices_on_shared_hosts(tuning, library, exact()).size(), 0);
}

TEST(SharedHosts, ScatteredRanksTakeTheLibraryNoLess) {
    auto several = predicted("allreduce", 131072, 2, 0.03, 0.01);
    several.layout = "scattered";
    const Tuned found = follows_from({predicted("allreduce", 131072, 1, 0.03, 0.01),
                                      of_library("allreduce", 131072, 0.04), several});
    EXPECT_EQ(found.layout, "scattered");
    EXPECT_NEAR(found.native, 0.04, 1e-9);
    EXPECT_EQ(found.choice, "ring:on=levels");
}

TEST(SharedHosts, NothingIsSaidOfWhatWasNotTimed) {
    const Tuned one = predicted("allgather", 65536, 1, 0.04, 0.04),
                several = predicted("allgather", 65536, 2, 0.09, 0.09);
    Tuned derived = of_library("allgather", 65536, 0.2), other = derived, shared = derived;
    derived.derived = true;
    other.mpi = "mpich 5.0.1";
    shared.ranks_per_host = 2;
    const auto count = [&](std::vector<Tuned> more) {
        more.insert(more.end(), {one, several});
        return choices_on_shared_hosts(more, library, exact()).size();
    };
    EXPECT_EQ(count({}), 0);
    EXPECT_EQ(count({derived}), 0);
    EXPECT_EQ(count({other}), 0);
    EXPECT_EQ(count({of_library("allgather", 1048576, 2.0)}), 0);
    EXPECT_EQ(count({of_library("allgather", 131072, 0.3)}), 1);
    EXPECT_EQ(count({of_library("allgather", 131072, 0.3), shared}), 0);
}

}  // namespace eco
