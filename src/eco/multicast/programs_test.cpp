// SPDX-License-Identifier: BSD-3-Clause
#include "eco/multicast/programs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "eco/multicast/best.h"
#include "eco/multicast/cost_model.h"
#include "eco/multicast/drawn_for_test.h"
#include "eco/multicast/spread.h"
#include "eco/multicast/work_racing_preemptive.h"
#include "eco/schedule/verify.h"

namespace eco::multicast {

namespace {

constexpr auto bus = Medium::Kind::bus;

// Hosts 0 to 2 and 3 to 5 on buses of 1 MB/s, 6 and 7 on a switch of 10 MB/s.
Network two_buses() {
    std::vector<std::string> names;
    for (int host = 0; host < 8; ++host) names.push_back("n" + std::to_string(host));
    return assemble_network(names, {{0, 0, 0, 1, 1, 1, 2, 2}},
                            {{0, 0, bus, 1e6, 0}, {0, 1, bus, 1e6, 0}},
                            std::vector<double>(8, 1e7));
}

std::vector<int> each_its_host(int ranks) {
    std::vector<int> host_of;
    for (int rank = 0; rank < ranks; ++rank) host_of.push_back(rank % 8);
    return host_of;
}

std::string verdict(int ranks, const std::vector<Message>& messages,
                    const std::vector<Program>& list) {
    const Hierarchy hierarchy = flat_hierarchy(ranks);
    const Request request{Operation::multicast, &hierarchy, 0, true, &messages};
    return eco::verify(request, [&](Rank me) { return list[static_cast<std::size_t>(me)]; });
}

std::size_t crossings(const Deliveries& deliveries, const std::vector<Rank>& bus_of) {
    const auto on = [&](Rank rank) {
        return std::find(bus_of.begin(), bus_of.end(), rank) != bus_of.end();
    };
    return static_cast<std::size_t>(
        std::count_if(deliveries.begin(), deliveries.end(),
                      [&](const Delivery& one) { return on(one.from) || on(one.to); }));
}

}  // namespace

// From a bus to both others: it is crossed once, by way of the fast switch.
TEST(Spread, LeavesASlowBusOnce) {
    const Network network = two_buses();
    const Load load(network, each_its_host(8));
    const std::vector<Message> messages{{0, 100000, {3, 4, 6, 7}}};
    const Deliveries found = spread(load, messages);
    EXPECT_EQ(found.size(), 4U);
    EXPECT_EQ(crossings(direct(messages), {0, 1, 2}), 4U);
    EXPECT_EQ(crossings(found, {0, 1, 2}), 1U);
    EXPECT_EQ(crossings(found, {3, 4, 5}), 2U);
    EXPECT_TRUE(found.front().to == 6 || found.front().to == 7);
}

TEST(Spread, OnOneSwitchEverythingGoesStraight) {
    std::vector<std::string> names{"a", "b", "c", "d"};
    const Network network =
        assemble_network(names, {{0, 0, 0, 0}}, {}, std::vector<double>(4, 1e7));
    std::vector<Message> messages;
    for (Rank source = 0; source < 4; ++source) {
        messages.push_back({source, 1000, {}});
        for (Rank to = 0; to < 4; ++to)
            if (to != source) messages.back().destinations.push_back(to);
    }
    EXPECT_EQ(spread(Load(network, {0, 1, 2, 3}), messages), direct(messages));
}

// Whatever the trees, the order, the segments and the pace.
TEST(Programs, DoWhatTheMessagesSay) {
    const Network network = two_buses();
    std::mt19937 random(1);
    for (int draw = 0; draw < 60; ++draw) {
        const int ranks = 2 + static_cast<int>(random() % 14);
        Pattern pattern = drawn(random(), ranks, 1 + static_cast<int>(random() % 14) % ranks);
        const auto host_of = each_its_host(ranks);
        const Load load(network, host_of);
        pattern.model = model_of(network, host_of);
        std::vector<std::pair<std::string, Deliveries>> lists{
            {"direct", direct(pattern.messages)},
            {"spread", spread(load, pattern.messages)},
            {"wrp", deliveries(work_racing_preemptive(pattern))},
            {"best", deliveries(best(pattern))}};
        for (const auto& [name, list] : lists)
            for (const int segments : {1, 3})
                for (const int pace : {0, 1, 2})
                    for (const auto& hops : {in_order(load, pattern.messages, list, segments),
                                             as_listed(list, segments)})
                        ASSERT_EQ(verdict(ranks, pattern.messages,
                                          programs(ranks, pattern.messages, hops, segments, pace)),
                                  "")
                            << name << " draw " << draw << " segments " << segments << " pace "
                            << pace;
    }
}

// What verify must see: a destination left out, a message passed on before it is there, one that
// goes to a rank twice.
TEST(Programs, WrongOnesAreRejected) {
    const std::vector<Message> messages{{0, 8, {1, 2}}};
    const auto of = [&](const Deliveries& list) {
        return verdict(3, messages, programs(3, messages, as_listed(list, 1), 1, 0));
    };
    EXPECT_EQ(of({{0, 0, 1}, {0, 1, 2}}), "");
    EXPECT_NE(of({{0, 0, 1}}).find("never gets"), std::string::npos);
    EXPECT_NE(of({{0, 1, 2}, {0, 0, 1}}), "");
}

}  // namespace eco::multicast
