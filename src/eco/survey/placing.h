// SPDX-License-Identifier: BSD-3-Clause
// Where vertices belong whose place the rates so far leave open: those that are a cluster by
// themselves, as one whose confirmations waited behind other streams looks, and those whose streams
// were free where the others' of their cluster were held. Each is tested with streams of its own.
// Pure; called by find_capacity.h.
#pragma once

#include <random>
#include <vector>

#include "eco/survey/uplink_rounds.h"

namespace eco {

class Placing {
public:
    // seen: all streams that cluster; across: the rounds that tested these clusters.
    Placing(std::vector<int> cluster, const std::vector<StreamRate>& seen,
            const std::vector<UplinkRound>& across);

    bool is_done() const { return open_.empty(); }
    // Streams of the next round, and the same with their rates.
    std::vector<StreamRate> next(std::mt19937& random);
    void take(const std::vector<StreamRate>& round);

    // Per vertex, and whether some vertex has another one now.
    const std::vector<int>& cluster() const { return cluster_; }
    bool has_moved() const { return cluster_ != before_; }

private:
    struct Open {
        int vertex;
        std::vector<int> clusters;  // that it may belong to, the likeliest last
        bool is_member;             // of the last of them, which is to be confirmed
        int former = -1;            // that one, once it was not confirmed
    };
    // The cluster that is tested, without the vertex.
    std::vector<int> others_of(const Open& open) const;
    void judge();

    std::vector<int> cluster_, before_;
    EndRates ends_;
    std::vector<Open> open_;       // the last is tested
    std::vector<double> carried_;  // in the rounds of its test
};

}  // namespace eco
