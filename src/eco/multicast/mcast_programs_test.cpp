// SPDX-License-Identifier: BSD-3-Clause
#include "eco/multicast/mcast_programs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "eco/base/at.h"
#include "eco/schedule/verify.h"

namespace eco::multicast {

namespace {

std::vector<int> one_on_each(int ranks) {
    std::vector<int> host_of;
    for (int rank = 0; rank < ranks; ++rank) host_of.push_back(rank);
    return host_of;
}

// Hosts, the first `held` of which multicasts reach.
Network network_of(int hosts, int held) {
    std::vector<std::string> names;
    for (int host = 0; host < hosts; ++host) names.push_back("n" + std::to_string(host));
    Network network = assemble_network(names, {std::vector<int>(at(hosts), 0)}, {}, {});
    std::vector<bool> holds(at(hosts), false);
    std::fill_n(holds.begin(), held, true);
    network.mcasts = {{holds, 1e6}};
    return network;
}

std::string verified(const Hierarchy& hierarchy, const std::vector<Message>& messages,
                     const std::vector<Program>& list) {
    const Request request{Operation::multicast, &hierarchy, 0, true, &messages};
    return eco::verify(request, [&](Rank me) { return list[at(me)]; });
}

int tasks_of(const std::vector<Program>& list, Kind kind) {
    int tasks = 0;
    for (const Program& program : list)
        for (const Task& task : program.tasks) tasks += task.kind == kind ? 1 : 0;
    return tasks;
}

std::vector<Message> all_to_all(int ranks) {
    std::vector<Message> messages;
    for (Rank source = 0; source < ranks; ++source) {
        messages.push_back({source, 1000, {}});
        for (Rank to = 0; to < ranks; ++to)
            if (to != source) messages.back().destinations.push_back(to);
    }
    return messages;
}

}  // namespace

TEST(McastPrograms, EachLeavesOnceForAllThatAreReached) {
    const auto messages = all_to_all(5);
    const auto list =
        mcast_programs(5, messages, reached(network_of(5, 5), one_on_each(5), messages));
    EXPECT_EQ(verified(parse_hierarchy("{0 1 2 3 4}"), messages, list), "");
    EXPECT_EQ(tasks_of(list, Kind::mcast), 5);
    EXPECT_EQ(tasks_of(list, Kind::send), 0);
    // One after the other: all but the first wait for another's.
    int waiting = 0;
    for (const Program& program : list)
        for (const Task& task : program.tasks)
            if (task.kind == Kind::mcast && task.end_wait > task.first_wait) ++waiting;
    EXPECT_EQ(waiting, 4);
}

TEST(McastPrograms, WhoIsNotReachedGetsAMessage) {
    const std::vector<Message> messages{{1, 1000, {0, 2, 3, 4}}, {4, 10, {0, 1}}, {0, 5, {1}}};
    const auto list =
        mcast_programs(5, messages, reached(network_of(5, 3), one_on_each(5), messages));
    EXPECT_EQ(verified(parse_hierarchy("{0 1 2} (3 4)"), messages, list), "");
    EXPECT_EQ(tasks_of(list, Kind::mcast), 1);
    EXPECT_EQ(tasks_of(list, Kind::mcast_recv), 2);
    EXPECT_EQ(tasks_of(list, Kind::send), 5);
}

// Receivers of one source's messages that differ know which one is meant.
TEST(McastPrograms, SeveralMessagesOfOneSource) {
    const std::vector<Message> messages{
        {0, 1000, {1, 2}}, {0, 2000, {2, 3}}, {0, 0, {1, 3}}, {3, 7, {0, 1}}};
    const auto list =
        mcast_programs(4, messages, reached(network_of(4, 4), one_on_each(4), messages));
    EXPECT_EQ(verified(parse_hierarchy("{0 1 2 3}"), messages, list), "");
    EXPECT_EQ(tasks_of(list, Kind::mcast), 4);
}

// Two at a time would lose each other's datagrams.
TEST(McastPrograms, WhatCannotFollowGoesStraight) {
    const std::vector<Message> messages{{0, 1000, {2, 3}}, {1, 1000, {2, 3}}};
    const auto list =
        mcast_programs(4, messages, reached(network_of(4, 4), one_on_each(4), messages));
    EXPECT_EQ(verified(parse_hierarchy("{0 1 2 3}"), messages, list), "");
    EXPECT_EQ(tasks_of(list, Kind::mcast), 1);
    EXPECT_EQ(tasks_of(list, Kind::send), 2);
}

TEST(McastPrograms, NothingForOneOtherHost) {
    const std::vector<Message> messages{{0, 1000, {1, 2}}};
    const Network network = network_of(2, 2);
    EXPECT_TRUE(mcast_programs(3, messages, reached(network, {0, 1, 1}, messages)).empty());
}

TEST(McastPrograms, RandomGraphsAreRight) {
    std::mt19937 random(1);
    const Hierarchy hierarchy = parse_hierarchy("{0 1 2 3 4 5} (6 7)");
    for (int draw = 0; draw < 60; ++draw) {
        std::vector<Message> messages;
        for (int m = 0; m < 1 + static_cast<int>(random() % 12); ++m) {
            Message message{
                static_cast<Rank>(random() % 8), static_cast<Bytes>(random() % 3000), {}};
            for (Rank to = 0; to < 8; ++to)
                if (to != message.source && random() % 2) message.destinations.push_back(to);
            if (!message.destinations.empty()) messages.push_back(message);
        }
        const auto list =
            mcast_programs(8, messages, reached(network_of(8, 6), one_on_each(8), messages));
        if (list.empty()) continue;
        EXPECT_EQ(verified(hierarchy, messages, list), "");
    }
}

}  // namespace eco::multicast
