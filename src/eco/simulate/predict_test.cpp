// SPDX-License-Identifier: BSD-3-Clause
#include "eco/simulate/predict.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "eco/bounds/bound.h"
#include "eco/planners/choice_text.h"
#include "eco/planners/planner.h"
#include "eco/selection/candidates.h"
#include "eco/selection/variants.h"
#include "eco/simulate/simulate.h"

namespace eco {

namespace {

// Buses of three, three and two hosts, 1.25 MB/s each.
class Predict : public testing::Test {
protected:
    Predict() {
        std::vector<std::string> hosts;
        for (int host = 0; host < 8; ++host) hosts.push_back("n" + std::to_string(host));
        std::vector<Medium> media;
        for (int bus = 0; bus < 3; ++bus) media.push_back({0, bus, Medium::Kind::bus, 1.25e6, 0});
        network_ = assemble_network(hosts, {{0, 0, 0, 1, 1, 1, 2, 2}}, media, {});
        network_.frame = {1448, 98, 66};
        for (int host = 0; host < 8; ++host) {
            network_.send[static_cast<std::size_t>(host)] = {1e-5, 1e-9};
            network_.receive[static_cast<std::size_t>(host)] = {1e-5, 1e-9};
            host_of_.push_back(host);
        }
    }
    Request ask(Operation operation) const { return {operation, &hierarchy_}; }
    Forecast of(Operation operation, Bytes bytes) const {
        return forecast(network_, host_of_, ask(operation), bytes,
                        representative_roots(hierarchy_, operation));
    }

    Network network_;
    std::vector<int> host_of_;
    Hierarchy hierarchy_ = parse_hierarchy("(0 1 2) (3 4 5) (6 7)");
};

}  // namespace

TEST_F(Predict, RootsAreSpreadOverTheGroups) {
    EXPECT_EQ(representative_roots(hierarchy_, Operation::bcast), (std::vector<Rank>{0, 3, 6}));
    EXPECT_EQ(representative_roots(hierarchy_, Operation::allreduce), (std::vector<Rank>{0}));
    EXPECT_EQ(representative_roots(parse_hierarchy("((0 1) (2 3)) ((4 5) 6)"), Operation::reduce),
              (std::vector<Rank>{0, 4}));
    EXPECT_EQ(representative_roots(parse_hierarchy("0 1"), Operation::gather),
              (std::vector<Rank>{0, 1}));
}

// Ranks that are scattered over the buses.
TEST_F(Predict, WhatFollowsTheNetworkTakesAsLongInAnyOrder) {
    const Hierarchy scattered = parse_hierarchy("(0 3 6) (1 4 7) (2 5)");
    const std::vector<int> host_of{0, 3, 6, 1, 4, 7, 2, 5};
    int compared = 0;
    for (const Operation operation :
         {Operation::bcast, Operation::reduce, Operation::allreduce, Operation::allgather,
          Operation::reduce_scatter, Operation::gather, Operation::scatter})
        for (const Bytes bytes : {1024, 16384, 131072}) {
            const Request request{operation, &scattered};
            const auto roots = representative_roots(scattered, operation);
            const Forecast near = of(operation, bytes);
            EXPECT_EQ(forecast_baseline(network_, host_of, request, bytes, roots),
                      forecast(network_, host_of, request, bytes, roots).baseline);
            for (const Predicted& each : shortlist(near, 6)) {
                if (!follows_network(each.choice, request)) continue;
                Seconds sum = 0;
                for (const Rank root : roots) {
                    Request asked = request;
                    asked.root = root;
                    sum += simulate(network_, host_of, each.choice, asked, bytes).time;
                }
                EXPECT_NEAR(sum / static_cast<double>(roots.size()), each.time, 0.05 * each.time)
                    << traits(operation).name << " " << bytes << " " << to_text(each.choice);
                ++compared;
            }
        }
    EXPECT_GT(compared, 40);
    EXPECT_FALSE(follows_network(parse_choice("binomial"), {Operation::bcast, &scattered}));
    EXPECT_FALSE(follows_network(parse_choice("ordered"), {Operation::scan, &scattered}));
}

// By NICs that MPI does not use, ten times as fast: the segments share those.
TEST_F(Predict, MulticastsByOtherNicsShareThem) {
    network_.mcasts = {{std::vector<bool>(8, true), 1.25e7}};
    network_.railed = {network_};
    hierarchy_.top.mcast_rate = 1.25e7;
    Request request = ask(Operation::bcast);
    request.root = 0;
    const auto time = [&](const char* text) {
        return simulate(network_, host_of_, parse_choice(text), request, 1000000).time;
    };
    const Seconds whole = 1e6 / 1.25e7;
    EXPECT_NEAR(time("mcast:segments=1"), whole, 0.2 * whole);
    EXPECT_NEAR(time("mcast:segments=5"), whole, 0.2 * whole);
}

// A Wi-Fi cell sends them at its basic rate: nothing else is sent meanwhile.
TEST_F(Predict, SlowMulticastsTakeTheBusesTime) {
    constexpr double bus = 1.25e6, basic = bus / 3;
    constexpr Bytes bytes = 200000;
    network_.mcasts = {{std::vector<bool>(8, true), basic}};
    hierarchy_.top.mcast_rate = basic;
    const auto time = [&](Operation operation, const char* text) {
        Request request = ask(operation);
        request.root = 0;
        return simulate(network_, host_of_, parse_choice(text), request, bytes).time;
    };
    const Seconds alone = time(Operation::bcast, "mcast:segments=1");
    EXPECT_NEAR(alone, bytes / basic, 0.1 * alone);
    // The bus of the root carries what two hosts and two other buses have to add as well.
    EXPECT_GE(time(Operation::allreduce, "mcast:segments=16"), alone + 4 * bytes / bus);
}

// What a datagram costs counts once, however long the message: not what MPI's messages cost.
TEST_F(Predict, MulticastsCostWhatTheirDatagramsDo) {
    network_.mcasts = {{std::vector<bool>(8, true), 1.25e6}};
    hierarchy_.top.mcast_rate = 1.25e6;
    Request request = ask(Operation::bcast);
    request.root = 0;
    const auto time = [&] {
        return simulate(network_, host_of_, parse_choice("mcast:segments=1"), request, 256000).time;
    };
    const Seconds as_messages = time();
    for (Network::McastReach& reach : network_.mcasts) reach.send = 3e-3, reach.receive = 2e-3;
    const Seconds by_messages = network_.send[0].of(256000) + network_.receive[1].of(256000);
    EXPECT_NEAR(time(), as_messages - by_messages + 5e-3, 1e-9);
}

TEST_F(Predict, QuickestFirstAndAllThatTuningKnewAreAmongThem) {
    for (int number = 0; number < operation_count; ++number)
        for (const Bytes bytes : {16, 1024, 16384}) {
            const auto operation = static_cast<Operation>(number);
            const Forecast found = of(operation, bytes);
            ASSERT_FALSE(found.choices.empty());
            EXPECT_TRUE(std::is_sorted(
                found.choices.begin() + 1, found.choices.end(),
                [](const Predicted& a, const Predicted& b) { return a.time < b.time - 1e-9; }));
            // Of what is nearly as quick as the quickest, none sends fewer messages than the first.
            Seconds quickest = found.choices.front().time;
            for (const Predicted& each : found.choices) quickest = std::min(quickest, each.time);
            EXPECT_LE(found.choices.front().time, 1.05 * quickest);
            for (const Predicted& each : found.choices)
                EXPECT_TRUE(each.time > 1.05 * quickest ||
                            messages_of(each.choice, ask(operation)) >=
                                messages_of(found.choices.front().choice, ask(operation)))
                    << to_text(each.choice);
            EXPECT_GT(found.baseline, 0);
            for (const Choice& choice : candidates(ask(operation), bytes)) {
                const bool there =
                    std::any_of(found.choices.begin(), found.choices.end(),
                                [&](const Predicted& each) { return each.choice == choice; });
                EXPECT_TRUE(there || !can_simulate(choice)) << to_text(choice);
            }
        }
}

TEST_F(Predict, FewCrossingsWinOnBuses) {
    const Forecast found = of(Operation::bcast, 16000);
    const Bound bound = find_bound(network_, host_of_, Operation::bcast, 0, 16000);
    EXPECT_LT(found.choices.front().time, 1.3 * bound.time);
    EXPECT_GT(found.baseline, 1.6 * found.choices.front().time);
    // By hand: a star sends seven messages over the root's bus.
    const Timeline star =
        simulate(network_, host_of_, parse_choice("star"), ask(Operation::bcast), 16000);
    EXPECT_GT(star.time, 1.8 * found.choices.front().time);
}

TEST_F(Predict, TheShortlistHoldsTheBestAndWhatDiffers) {
    for (const Operation operation : {Operation::bcast, Operation::allreduce, Operation::alltoall})
        for (const Bytes bytes : {16, 16384}) {
            const Forecast found = of(operation, bytes);
            const auto list = shortlist(found, 4);
            ASSERT_GE(list.size(), 1U);
            ASSERT_LE(list.size(), 4U);
            EXPECT_EQ(list.front().choice, found.choices.front().choice);
            for (std::size_t a = 0; a < list.size(); ++a)
                for (std::size_t b = 0; b < a; ++b) EXPECT_FALSE(list[a].choice == list[b].choice);
        }
    Forecast drawn;
    const auto add = [&](const char* text, Seconds time) {
        drawn.choices.push_back({parse_choice(text), time});
    };
    add("tree:top=star,inner=star,segments=6", 1.0);
    add("tree:top=chain,inner=star,segments=6", 1.001);  // as good as the same
    add("tree:top=star,inner=star,segments=8", 1.1);     // nearly the same pace
    add("tree:top=star,inner=star,segments=2", 1.2);
    add("tree:top=star,inner=star,segments=1", 1.3);  // a third pace
    add("tree:top=star,inner=chain,segments=6", 1.4);
    add("ring:on=levels", 1.7);  // far behind
    const auto list = shortlist(drawn, 4);
    ASSERT_EQ(list.size(), 3U);
    EXPECT_EQ(to_text(list[1].choice), "tree:top=star,inner=star,segments=2");
    EXPECT_EQ(to_text(list[2].choice), "tree:top=star,inner=chain,segments=6");
    EXPECT_EQ(shortlist(drawn, 1).size(), 1U);
    EXPECT_TRUE(shortlist({}, 4).empty());
}

TEST_F(Predict, WhatWouldTakeTooLongIsLeftOut) {
    const int ranks = 4096;
    const Hierarchy many = flat_hierarchy(ranks);
    const std::vector<int> host_of(static_cast<std::size_t>(ranks), 0);
    const Request request{Operation::alltoall, &many};
    EXPECT_TRUE(forecast(network_, host_of, request, 16, {0}).choices.empty());
}

}  // namespace eco
