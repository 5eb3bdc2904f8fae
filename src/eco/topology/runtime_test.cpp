// SPDX-License-Identifier: BSD-3-Clause
#include "eco/topology/runtime.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <tuple>

#include "eco/topology/build_hierarchy.h"
#include "eco/topology/build_network.h"

namespace eco {

namespace {

constexpr double slow_rate = 1e6, fast_rate = 1.25e7;

// Sites of subnets of hosts; what a message takes grows with how far the two are apart.
Profile grid(int sites, int subnets, int hosts) {
    Profile profile;
    profile.levels.resize(2);
    const int all = sites * subnets * hosts;
    for (int host = 0; host < all; ++host) {
        profile.hosts.push_back("n" + std::to_string(host));
        profile.levels[0].push_back(host / (subnets * hosts));
        profile.levels[1].push_back(host / hosts);
        profile.ring.push_back(all - 1 - host);
    }
    const auto size = static_cast<std::size_t>(all);
    Model& model = profile.model.emplace();
    model.shared_gap = 1e-4;
    model.fixed = model.per_byte = Table(size, std::vector<double>(size, 0));
    for (std::size_t a = 0; a < size; ++a) {
        model.send.push_back({1e-5 + 1e-7 * static_cast<double>(a), 1e-10});
        model.receive.push_back({2e-5, 2e-10});
        for (std::size_t b = 0; b < size; ++b) {
            if (a == b) continue;
            const bool near = profile.levels[1][a] == profile.levels[1][b],
                       site = profile.levels[0][a] == profile.levels[0][b];
            model.fixed[a][b] = near ? 1e-4 : site ? 1e-3 : 1e-2;
            model.per_byte[a][b] = near ? 8e-8 : 8e-7;
        }
    }
    for (int subnet = 0; subnet < sites * subnets; ++subnet)
        model.media.push_back({1, subnet, subnet % 2 ? Medium::Kind::switched : Medium::Kind::bus,
                               subnet ? fast_rate : slow_rate, 1e6});
    return profile;
}

Profile sent(const Profile& profile) {
    return parse_runtime(nlohmann::json::from_cbor(nlohmann::json::to_cbor(runtime_json(profile))));
}

std::size_t length(const Profile& profile) {
    return nlohmann::json::to_cbor(runtime_json(profile)).size();
}

void add_tuning(Profile& profile, bool predicted) {
    for (const char* operation : {"bcast", "allgather", "reduce_scatter_block"})
        for (const char* layout : {"near", "scattered"})
            for (const Bytes bytes : {16, 1024, 16384, 131072, 1048576})
                profile.tuning.push_back(
                    {predicted ? any_library : "openmpi 5.0.11", operation, layout, bytes,
                     "tree:top=balanced,inner=chain,segments=" + std::to_string(bytes % 7),
                     0.123456789, 0.0123456789, 0, 1, predicted});
}

void expect_same(const Group& a, const Group& b) {
    EXPECT_EQ(a.ranks, b.ranks);
    EXPECT_EQ(a.on_one_host, b.on_one_host);
    EXPECT_DOUBLE_EQ(a.crossing, b.crossing);
    EXPECT_EQ(a.shared, b.shared);
    EXPECT_EQ(a.inter_cluster_cost.has_value(), b.inter_cluster_cost.has_value());
    if (a.inter_cluster_cost && b.inter_cluster_cost) {
        EXPECT_NEAR(a.inter_cluster_cost->whole.fixed, b.inter_cluster_cost->whole.fixed, 1e-9);
    }
    ASSERT_EQ(a.parts.size(), b.parts.size());
    for (std::size_t i = 0; i < a.parts.size(); ++i) expect_same(a.parts[i], b.parts[i]);
}

}  // namespace

TEST(Runtime, TellsWhatTheProfileDoes) {
    Profile profile = grid(2, 2, 3);
    add_tuning(profile, false);
    profile.tuning.push_back({any_library, "bcast", "near", 16, "k2", 0.2, 0.1, 0, 4, true});
    profile.tuning.push_back(
        {"openmpi 5.0.11", "bcast", "near", 16, "k2", 0.2, 0.1, 0, 4, true, true});
    const Profile runtime = sent(profile);
    EXPECT_EQ(runtime.levels, profile.levels);
    EXPECT_EQ(runtime.ring, profile.ring);
    EXPECT_EQ(runtime.model->media, profile.model->media);
    EXPECT_NEAR(runtime.model->shared_gap, 1e-4, 1e-10);
    ASSERT_EQ(runtime.tuning.size(), profile.tuning.size());
    for (std::size_t i = 0; i < runtime.tuning.size(); ++i) {
        const Tuned &is = runtime.tuning[i], &was = profile.tuning[i];
        EXPECT_EQ(std::tie(is.mpi, is.operation, is.layout, is.bytes, is.choice, is.predicted,
                           is.derived, is.ranks_per_host),
                  std::tie(was.mpi, was.operation, was.layout, was.bytes, was.choice, was.predicted,
                           was.derived, was.ranks_per_host));
        EXPECT_NEAR(is.native / is.eco, was.native / was.eco, 1e-3);
    }
}

TEST(Runtime, TellsHowFramesArePassedOn) {
    Profile profile = grid(2, 2, 2);
    for (const Forwarding forwarding : {Forwarding::store, Forwarding::cut_through}) {
        profile.forwarding = forwarding;
        const Profile told = sent(profile);
        EXPECT_EQ(find_forwarding(told), forwarding);
        EXPECT_EQ(build_network(told).forwarding, forwarding);
    }
}

TEST(Runtime, EntriesAreShort) {
    Profile profile = grid(1, 2, 4);
    const std::size_t without = length(profile);
    add_tuning(profile, true);
    EXPECT_LT(length(profile) - without, 20 * profile.tuning.size());
}

TEST(Runtime, NetworkHoldsNoFiguresPerPairOfHosts) {
    const Profile profile = grid(2, 8, 16);
    const Profile runtime = sent(profile);
    EXPECT_LE(runtime.model->fixed.size(), 16U);
    const Network whole = build_network(profile), part = build_network(runtime);
    EXPECT_LE(part.fixed.size(), 16U);
    EXPECT_LE(part.cap.size(), 16U);
    for (const auto& [a, b] : {std::pair(0, 1), {0, 17}, {20, 200}, {255, 0}, {31, 30}})
        for (const Bytes bytes : {1, 16384})
            EXPECT_NEAR(part.alone(a, b, bytes) / whole.alone(a, b, bytes), 1, 0.02)
                << a << " to " << b;
}

TEST(Runtime, TooManyClustersForTables) {
    Profile profile = grid(2, 50, 2);
    EXPECT_EQ(sent(profile).model->fixed.size(), 2U);  // sites
    profile.levels.erase(profile.levels.begin());
    for (Medium& medium : profile.model->media) medium.level = 0;
    const Profile runtime = sent(profile);
    EXPECT_FALSE(runtime.model->knows_transfers());
    EXPECT_EQ(runtime.model->media, profile.model->media);
}

TEST(Runtime, PartForAJobKeepsItsHierarchy) {
    const Profile profile = grid(3, 3, 4);
    // Two hosts of one subnet, one of the next, one of another site; a rank nobody knows of.
    const std::vector<int> before{13, 14, 17, 30};
    for (std::vector<int> host_of : {before, std::vector<int>{13, 13, 17, 30}, {13, 14}, {30, 2}}) {
        const Hierarchy was = build_hierarchy(profile, host_of);
        const Profile part = sent(part_for_job(profile, host_of));
        EXPECT_LT(part.hosts.size(), 12U);
        const Hierarchy is = build_hierarchy(part, host_of);
        EXPECT_EQ(is.ring, was.ring);
        EXPECT_EQ(is.one_subnet, was.one_subnet);
        EXPECT_EQ(is.structure, was.structure);
        EXPECT_NE(is.structure, "");
        EXPECT_EQ(layout_name(is), std::string(layout_name(was)));
        expect_same(is.top, was.top);
        const Network network = build_network(part);
        EXPECT_GT(network.alone(host_of.front(), host_of.back(), 1000), 0);
    }
}

TEST(Runtime, PartForAJobOnAllHostsIsTheWhole) {
    const Profile profile = grid(2, 2, 2);
    std::vector<int> host_of{7, 6, 5, 4, 3, 2, 1, 0, -1};
    const Profile part = part_for_job(profile, host_of);
    EXPECT_EQ(part.levels, profile.levels);
    EXPECT_EQ(part.ring, profile.ring);
    EXPECT_EQ(host_of, (std::vector<int>{7, 6, 5, 4, 3, 2, 1, 0, -1}));
}

TEST(Runtime, OneSubnetOfSeveralStaysOne) {
    const Profile profile = grid(2, 1, 4);
    std::vector<int> host_of{5, 6};
    const Profile part = part_for_job(profile, host_of);
    const auto& widest = part.levels.front();
    EXPECT_TRUE(
        std::any_of(widest.begin(), widest.end(), [&](int id) { return id != widest.front(); }));
}

TEST(Runtime, TuningForRanksThatShareHostsGoesWhereNoneDo) {
    Profile profile = grid(1, 2, 2);
    add_tuning(profile, false);
    const auto own = profile.tuning.size();
    profile.tuning.push_back({"openmpi 5.0.11", "bcast", "near", 16, "k2", 2, 1, 0, 4, false});
    std::vector<int> alone{0, 1, 2}, shared{0, 0, 1};
    EXPECT_EQ(part_for_job(profile, alone).tuning.size(), own);
    EXPECT_EQ(part_for_job(profile, shared).tuning.size(), own + 1);
    // With nothing for them, that there is tuning must still be seen.
    profile.tuning = {profile.tuning.back()};
    EXPECT_EQ(part_for_job(profile, alone).tuning.size(), 1U);
}

TEST(Runtime, PredictionsBesideTimedOnesGo) {
    Profile profile = grid(1, 2, 2);
    add_tuning(profile, false);
    const auto timed = profile.tuning.size();
    add_tuning(profile, true);
    profile.tuning.push_back({any_library, "bcast", "near", 4096, "k2", 2, 1, 0, 1, true});
    std::vector<int> host_of{0, 1, 2, 3};
    EXPECT_EQ(part_for_job(profile, host_of).tuning.size(), timed + 1);
    // Timed for one layout only: the other's prediction is all there is.
    std::erase_if(profile.tuning, [](const Tuned& tuned) {
        return !tuned.predicted && tuned.layout == "near" && tuned.bytes == 16;
    });
    EXPECT_EQ(part_for_job(profile, host_of).tuning.size(), timed - 3 + 1 + 6);
}

TEST(Runtime, AThousandHostsAreShort) {
    Profile profile = grid(4, 8, 32);
    add_tuning(profile, true);
    std::vector<int> host_of;
    for (int host = 0; host < 1024; ++host) host_of.push_back(host);
    EXPECT_LT(length(part_for_job(profile, host_of)), 50'000U);
    host_of.resize(8);
    EXPECT_LT(length(part_for_job(profile, host_of)), 2'000U);
}

}  // namespace eco
