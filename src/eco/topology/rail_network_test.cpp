// SPDX-License-Identifier: BSD-3-Clause
#include "eco/topology/rail_network.h"

#include <gtest/gtest.h>

#include "eco/topology/build_network.h"
#include "eco/topology/profile.h"

namespace eco {

// Rates between all hosts that have the rail, 0 µs.
static MeasuredRail rail(const std::string& network, double rate, const std::vector<bool>& has) {
    MeasuredRail found{network, {}, {}, {}, {}};
    for (const bool a : has) {
        found.card.emplace_back(a ? "eth" : "");
        found.bandwidth.emplace_back();
        for (const bool b : has) found.bandwidth.back().push_back(a && b ? rate : 0);
    }
    for (std::size_t host = 0; host < has.size(); ++host) found.bandwidth[host][host] = 0;
    found.latency.assign(has.size(), std::vector<double>(has.size(), 0));
    return found;
}

// Hosts on a switch at 1 MB/s, over frames that cost nothing.
static Network on_a_switch(std::size_t hosts) {
    std::vector<std::string> names;
    for (std::size_t host = 0; host < hosts; ++host) names.push_back("n" + std::to_string(host));
    return assemble_network(names, {std::vector<int>(hosts, 0)}, {},
                            std::vector<double>(hosts, 1e6));
}

static constexpr double none = 1e-12;

TEST(RailNetwork, PortsCarryWhatTheRailsDoTogether) {
    const MeasuredRails measured{
        "tcp", {rail("a", 1e6, {true, true}), rail("b", 2.5e5, {true, true})}, {}};
    const Network two = over_rails(on_a_switch(2), measured, 2);
    EXPECT_NEAR(two.alone(0, 1, 1000000), 0.8, 1e-2);  // 1,448 bytes on each of two ports
    const Network one = over_rails(on_a_switch(2), measured, 1);
    EXPECT_NEAR(one.alone(0, 1, 1000000), 1.0, 1e-2);
}

TEST(RailNetwork, OfManyRailsTheFastestCount) {
    const MeasuredRails measured{
        "tcp",
        {rail("a", 1e6, {true, true}), rail("b", 5e6, {true, true}), rail("c", 3e6, {true, true})},
        {}};
    const auto rate = [&](int most) {
        const Network network = over_rails(on_a_switch(2), measured, most);
        return network.rate(0, 1, network.route(0, 1));
    };
    EXPECT_NEAR(rate(2), 8e6, none);
    EXPECT_NEAR(rate(3), 9e6, none);
}

TEST(RailNetwork, AHostWithOneRailAmongHostsWithTwo) {
    const MeasuredRails measured{
        "tcp", {rail("a", 1e6, {true, true, true}), rail("b", 1e6, {true, true, false})}, {}};
    const Network two = over_rails(on_a_switch(3), measured, 2);
    EXPECT_NEAR(two.rate(0, 1, two.route(0, 1)), 2e6, none);
    EXPECT_NEAR(two.rate(0, 2, two.route(0, 2)), 1e6, none);
    EXPECT_NEAR(two.links[static_cast<std::size_t>(two.port_in[2])].rate, 1e6, none);
}

// The second rail may be a cable that the site's slow link knows nothing of.
TEST(RailNetwork, ARailBetweenSitesIsBesideTheirUplink) {
    Network sites = assemble_network({"a", "b", "c"}, {{0, 0, 1}},
                                     {{0, 0, Medium::Kind::switched, 1e6, 3e5}}, {1e6, 1e6, 1e6});
    const std::vector<bool> all{true, true, true};
    const auto uplink = [&](const std::vector<bool>& second) {
        const Network two =
            over_rails(sites, {"tcp", {rail("a", 3e5, all), rail("b", 1e5, second)}, {}}, 2);
        return two.links[static_cast<std::size_t>(two.clusters[1].uplink_out)].rate;
    };
    EXPECT_NEAR(uplink({true, true, false}), 3e5, none);
    EXPECT_NEAR(uplink({true, false, true}), 4e5, none);
    EXPECT_NEAR(uplink(all), 5e5, none);
}

TEST(RailNetwork, NothingIsSlowerThanOverMpi) {
    Network network = on_a_switch(2);
    network.send[0] = network.receive[1] = {2e-5, 0};
    network.fixed[0][1] = 1e-4;
    MeasuredRails measured{"tcp", {rail("a", 5e5, {true, true})}, {}};
    measured.rails[0].latency[0][1] = 3e-5;
    const Network over = over_rails(network, measured, 2);
    EXPECT_NEAR(over.rate(0, 1, over.route(0, 1)), 1e6, none);
    EXPECT_NEAR(over.alone(0, 1, 0), 3e-5, none);
}

TEST(RailNetwork, AProfilesNetworkKnowsItsRails) {
    Profile profile = read_profile(ECO_TEST_DATA "/switched-8-measured.json");
    EXPECT_EQ(build_network(profile).rails(), 1);
    const std::vector<bool> all(8, true);
    profile.rails = MeasuredRails{"tcp", {rail("a", 1.17e6, all), rail("b", 1.17e6, all)}, {}};
    profile.rails->derive(profile.levels);
    const Network network = build_network(profile);
    EXPECT_EQ(network.rails(), 2);
    EXPECT_EQ(&network.over(0), &network);
    EXPECT_EQ(&network.over(1), &network);
    EXPECT_EQ(&network.over(7), &network.railed.back());
    EXPECT_NEAR(network.over(2).rate(0, 7, network.route(0, 7)), 2.5e6, 0.1e6);
}

}  // namespace eco
