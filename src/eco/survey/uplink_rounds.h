// SPDX-License-Identifier: BSD-3-Clause
// Draws rounds of streams that test what leads out of clusters and into them: all vertices of few
// clusters send out of these while those of few others receive, and all others are the other ends,
// so that what was tested is full and nothing else is. A round in which a cluster carried less than
// in others is run again: it was disturbed, or its connections chose the same of several links that
// lie side by side. Pure; called by find_capacity.h.
#pragma once

#include <random>
#include <vector>

#include "eco/survey/capacity_clusters.h"

namespace eco {

using StreamRounds = std::vector<std::vector<StreamRate>>;

struct UplinkRound {
    std::vector<StreamRate> streams;  // rates: 0 until they are known
    std::vector<int> out, in;         // clusters that it tests: all their vertices send, or receive
};

enum class UplinkDirection { out, in };

// Bytes/s that streams carried out of one cluster, or into it.
double carried(const std::vector<int>& cluster, const std::vector<StreamRate>& streams, int id,
               UplinkDirection direction);

// The most that the streams of any of the rounds carried.
double carried_most(const std::vector<int>& cluster, const StreamRounds& rounds, int id,
                    UplinkDirection direction);

// The streams of the rounds that test a cluster one way.
StreamRounds tested(const std::vector<UplinkRound>& rounds, int id, UplinkDirection direction);
// Of these, those of the rounds that carried about as much as the one that carried most.
StreamRounds tested_alike(const std::vector<int>& cluster, const std::vector<UplinkRound>& rounds,
                          int id, UplinkDirection direction);

// So many rounds test each cluster of two vertices or more both ways.
int count_uplink_rounds(const std::vector<int>& cluster);

// The rounds of one test of all clusters, or of several tests one after the other.
class UplinkTest {
public:
    // cluster: per vertex, numbered from 0.
    explicit UplinkTest(std::vector<int> cluster);

    // One more test, with other ends.
    void repeat();
    // After all rounds, or half of them if these tested each of four clusters or more both ways and
    // all carried alike; and after those that are run again, because a cluster carried clearly less
    // than in other rounds.
    bool is_done() const { return numbers_.empty(); }
    // The next round, until is_done().
    const UplinkRound& next(std::mt19937& random);
    // streams: those of next(), with their rates. drawn: what else was sent between the clusters.
    void take(std::vector<StreamRate> streams, const StreamRounds& drawn);

    const std::vector<UplinkRound>& rounds() const { return rounds_; }

private:
    std::size_t rounds_of_a_test() const;
    bool is_half_enough() const;
    // Numbers of rounds that test a cluster of which only one round carried about as much as the
    // most, or none as much as what was drawn.
    std::vector<int> unconfirmed(const StreamRounds& drawn) const;

    std::vector<int> cluster_;
    std::vector<int> numbers_;  // of the rounds to come, the next one first
    int retries_ = 0;
    std::vector<UplinkRound> rounds_;  // the last one runs, or is over
};

// number: from 0; from count_uplink_rounds on they repeat, with other ends. cluster: per vertex,
// numbered from 0.
UplinkRound uplink_round(const std::vector<int>& cluster, int number, std::mt19937& random);

// Streams from each vertex of some groups to one of others, as far as there are enough of both; as
// many of each group, in relation to its size.
std::vector<StreamRate> streams_between(const std::vector<std::vector<int>>& from,
                                        const std::vector<std::vector<int>>& to,
                                        std::mt19937& random);

}  // namespace eco
