// SPDX-License-Identifier: BSD-3-Clause
#include "eco/measure/mcast_rate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace eco {
namespace {

constexpr double wire = 1e6;

// Emulates trains: a queue that takes `room` datagrams, then drops what comes faster than its rate;
// and losses by chance, `burst` datagrams in a row, for each receiver or for all alike.
struct Net {
    double capacity = 2 * wire;
    double loss = 0;
    int burst = 1, receivers = 7, datagrams = 160, room = 2;
    bool is_shared = false;  // losses by chance
    int slow_receiver = -1;  // the only one with the queue; -1: all
    unsigned seed = 1;
    int trains = 0;

    McastRate find(int most = 16) {
        std::mt19937 random(seed);
        return find_mcast_rate(wire, most, [&](bool, double rate) {
            ++trains;
            McastTrain train;
            train.arrived = rate;
            std::vector<bool> of_all = lost(random);
            for (int i = 0; i < receivers; ++i) {
                const std::vector<bool> gone = is_shared ? of_all : lost(random);
                const bool overflows = (slow_receiver < 0 || slow_receiver == i) && rate > capacity;
                int came = 0;
                double waiting = 0, passes = 0;
                for (int each = 0; each < datagrams; ++each) {
                    waiting = std::max(0.0, waiting - capacity / rate);
                    const bool fits = !overflows || waiting <= room;
                    if (fits) waiting += 1;
                    passes += fits ? 1 : 0;
                    came += fits && !gone[static_cast<std::size_t>(each)] ? 1 : 0;
                }
                train.loss.push_back(1 - static_cast<double>(came) / datagrams);
                if (overflows)
                    train.arrived = std::min(
                        train.arrived, rate * datagrams / (datagrams + waiting * rate / capacity));
            }
            return train;
        });
    }

    std::vector<bool> lost(std::mt19937& random) const {
        std::bernoulli_distribution begins(loss / burst);
        std::vector<bool> gone(static_cast<std::size_t>(datagrams));
        for (int each = 0, left = 0; each < datagrams; ++each) {
            if (left == 0 && begins(random)) left = burst;
            gone[static_cast<std::size_t>(each)] = left > 0;
            left -= left > 0 ? 1 : 0;
        }
        return gone;
    }
};

// How many of 300 networks like this find a rate in this range.
int of_300(Net net, double least, double most) {
    int good = 0;
    for (net.seed = 1; net.seed <= 300; ++net.seed) {
        const McastRate found = net.find();
        good += found.works && found.rate >= least && found.rate <= most ? 1 : 0;
    }
    return good;
}

TEST(McastRate, TwoTrainsWhereNothingIsLost) {
    Net net;
    const McastRate found = net.find();
    EXPECT_TRUE(found.works);
    EXPECT_EQ(found.rate, wire);
    EXPECT_EQ(found.loss, 0);
    EXPECT_EQ(net.trains, 2);
}

TEST(McastRate, OneHiccupDoesNotSlowDown) {
    for (const double hiccup : {0.01, 0.2, 1.0}) {
        int trains = 0;
        const McastRate found = find_mcast_rate(wire, 16, [&](bool, double rate) {
            return McastTrain{{trains++ == 0 ? hiccup : 0, 0}, rate};
        });
        EXPECT_TRUE(found.works);
        EXPECT_EQ(found.rate, wire);
        EXPECT_LE(found.loss, 0.01);
        EXPECT_LE(trains, 3);
    }
}

TEST(McastRate, LossesByChanceDoNotSlowDown) {
    for (const double loss : {0.01, 0.05, 0.1})
        for (const bool is_shared : {false, true})
            for (const int receivers : {1, 7, 19})
                for (const int datagrams : {48, 160}) {
                    Net net;
                    net.loss = loss;
                    net.is_shared = is_shared;
                    net.receivers = receivers;
                    net.datagrams = datagrams;
                    EXPECT_GE(of_300(net, wire, wire), 290)
                        << loss << (is_shared ? " of all, " : " of each, ") << receivers << ", "
                        << datagrams;
                }
}

TEST(McastRate, BurstsDoNotSlowDown) {
    for (const int datagrams : {48, 160}) {
        Net net;
        net.loss = 0.05;
        net.burst = 20;
        net.is_shared = true;
        net.datagrams = datagrams;
        EXPECT_GE(of_300(net, wire, wire), 282) << datagrams;
    }
}

TEST(McastRate, AQueueThatOverflowsSlowsDown) {
    for (const double capacity : {0.9, 0.75, 0.6, 0.45, 0.35})
        for (const double loss : {0.0, 0.01, 0.05})
            for (const int receiver : {-1, 3}) {
                Net net;
                net.capacity = capacity * wire;
                net.loss = loss;
                net.slow_receiver = receiver;
                // By a tenth too fast looks like losses by chance.
                const double most = (loss > 0 ? 1.15 : 1.05) * capacity * wire;
                EXPECT_GE(of_300(net, 0.65 * capacity * wire, most), 282)
                    << capacity << ", " << loss << ", " << receiver;
            }
}

TEST(McastRate, FewTrainsAreEnoughForAQueueThatOverflows) {
    for (const double capacity : {0.9, 0.75, 0.6, 0.45, 0.35}) {
        Net net;
        net.capacity = capacity * wire;
        const McastRate found = net.find(8);
        EXPECT_TRUE(found.works && found.tried) << capacity;
        EXPECT_GE(found.rate, 0.65 * net.capacity) << capacity;
        EXPECT_LE(found.rate, 1.05 * net.capacity) << capacity;
        EXPECT_LE(net.trains, 8);
    }
}

TEST(McastRate, SaysThatTheTrainsEndedTooEarly) {
    Net net;
    net.capacity = 0.8 * wire;
    const McastRate found = net.find(1);
    EXPECT_TRUE(found.works);
    EXPECT_FALSE(found.tried);
    EXPECT_NEAR(found.rate, net.capacity, 0.1 * net.capacity);
    net.capacity = 0.1 * wire;
    EXPECT_FALSE(net.find(1).works);
    EXPECT_FALSE(net.find(0).works);
}

TEST(McastRate, AQueueThatHidesThatItFills) {
    Net net;
    net.capacity = 0.8 * wire;
    net.room = 100;
    const McastRate found = net.find();
    EXPECT_TRUE(found.works);
    EXPECT_LT(found.rate, 0.9 * wire);
    EXPECT_EQ(net.trains, 2);
}

TEST(McastRate, AQueueThatHoldsWholeTrains) {
    Net net;
    net.capacity = 0.1 * wire;
    net.room = 200;
    const McastRate found = net.find();
    EXPECT_TRUE(found.works);
    EXPECT_NEAR(found.rate, net.capacity, 0.05 * net.capacity);
    EXPECT_EQ(net.trains, 3);
}

TEST(McastRate, WhereNothingArrivesTwoTrainsShowIt) {
    int trains = 0;
    const McastRate found = find_mcast_rate(wire, 16, [&](bool, double) {
        ++trains;
        return McastTrain{{0, 1}, 0};
    });
    EXPECT_FALSE(found.works);
    EXPECT_TRUE(found.none_came);
    EXPECT_EQ(trains, 2);
}

TEST(McastRate, WhereMostIsLostItIsOfNoUse) {
    Net net;
    net.loss = 0.6;
    EXPECT_FALSE(net.find().works);
}

}  // namespace
}  // namespace eco
