// SPDX-License-Identifier: BSD-3-Clause
#include "eco/survey/kept.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "eco/base/error.h"

namespace eco {

using nlohmann::json;

namespace {

Profile of(std::vector<std::string> hosts) {
    Profile profile;
    profile.mpi_family = "openmpi";
    profile.mpi_version = "Open MPI v5";
    profile.hosts = std::move(hosts);
    profile.sizes = {1, 1024};
    profile.partition_bytes = 1024;
    profile.tolerance = 0.2;
    return profile;
}

Kept three() {
    Kept kept = kept_of(of({"a", "b", "c"}));
    Timings timings(3);
    timings.add({1, 0}, {3, 1, 2});
    timings.add({0, 1}, {5, 4});
    timings.add({1, 2}, {7});
    for (const auto& entry : timings.entries()) kept.pairs[1].push_back(kept_pair(entry));
    kept.pairs[0].push_back({0, 2, 1, 1.5, 2, 1});
    return kept;
}

std::string complaint(const char* pointer, const json& value) {
    json root = kept_json(three());
    root[json::json_pointer(pointer)] = value;
    try {
        read_kept(root.dump());
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), Code::bad_input);
        return error.what();
    }
    return "";
}

}  // namespace

TEST(Kept, IsReadAsItWasWritten) {
    const Kept kept = three(), again = read_kept(kept_json(kept).dump());
    EXPECT_EQ(again.mpi, "openmpi Open MPI v5");
    EXPECT_EQ(again.hosts, kept.hosts);
    EXPECT_EQ(again.pairs, kept.pairs);
    EXPECT_EQ(again.pairs[1].front(), (KeptPair{0, 1, 1, 3, 5, 2}));
}

TEST(Kept, GoesOnByNameWithoutHostsThatTakeNoPart) {
    std::vector<Timings> timings(2, Timings(3));
    timings[0].add({0, 2}, {9});  // known otherwise: it stays
    const auto taken = take_up(three(), of({"b", "d", "a"}), timings);
    EXPECT_EQ(taken, (std::vector<HostPair>{{0, 2}}));
    EXPECT_EQ(timings[0].entries().size(), 1U);
    ASSERT_EQ(timings[1].entries().size(), 1U);
    const auto& entry = timings[1].entries().front();
    EXPECT_EQ(entry.least(), 1);
    EXPECT_EQ(entry.spread(), 2);
    EXPECT_EQ(entry.samples.size(), 5U);
    EXPECT_EQ(entry.visits, 2);
}

TEST(Kept, WhatWasMeasuredInAnotherWayIsNotTakenUp) {
    const auto refused = [](auto change) {
        Profile profile = of({"a", "b", "c"});
        change(profile);
        std::vector<Timings> timings(profile.sizes.size(), Timings(3));
        EXPECT_THROW(take_up(three(), profile, timings), Error);
    };
    refused([](Profile& profile) { profile.mpi_family = "mpich"; });
    refused([](Profile& profile) { profile.sizes = {1, 1024, 4096}; });
    refused([](Profile& profile) { profile.partition_bytes = 1; });
    refused([](Profile& profile) { profile.tolerance = 0.3; });
}

TEST(Kept, WhatIsNotSoundIsRefused) {
    EXPECT_EQ(complaint("/pairs/0/2", 0.5), "");
    for (const char* text : {"", "{", "[1]", "{}", "7", "{\"eco_partial\": 2}"})
        EXPECT_THROW(read_kept(text), Error) << text;
    const auto refused = [](const char* pointer, const json& value, const std::string& why) {
        EXPECT_NE(complaint(pointer, value).find("the partial measurement: " + why),
                  std::string::npos)
            << complaint(pointer, value);
    };
    refused("/eco_partial", 2, "is of another version");
    refused("/hosts/1", "a", "a host is named twice");
    refused("/hosts", 3, "hosts has the wrong type");
    refused("/pairs", json::array(), "pairs needs one list per size");
    refused("/pairs/0", 1, "pairs has the wrong type");
    refused("/pairs/0", {0, 1, 1.0}, "pairs has an incomplete pair");
    refused("/pairs/0/1", 3, "pairs names hosts 0 and 3, which are not a pair");
    refused("/pairs/0/0", 2, "pairs names hosts 2 and 2, which are not a pair");
    refused("/pairs/0/2", -1, "pairs gives -1 between hosts 0 and 2");
    refused("/pairs/0/3", 0.5, "pairs gives 1 between hosts 0 and 2");
    refused("/pairs/0/4", 0, "pairs has a pair that was never timed");
    refused("/pairs/0/5", 0, "pairs has a pair that was never timed");
    refused("/pairs/0/5", 1.5, "pairs has the wrong type");
    refused("/pairs/1", {0, 1, 1.0, 1.0, 1, 1, 0, 1, 1.0, 1.0, 1, 1},
            "pairs names two hosts twice");
}

}  // namespace eco
