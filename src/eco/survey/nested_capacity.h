// SPDX-License-Identifier: BSD-3-Clause
// Finds all clusters of hosts that share capacity, also those inside others: one search
// (find_capacity.h), then further ones inside each cluster whose streams inside are slow, then of
// clusters of these. A cluster that has parts stays one if it carries clearly less than these do
// together, as a pod of racks or half of a chain of switches; else they were only taken for one.
// Pure; called by measure/ and in simulation.
#pragma once

#include <vector>

#include "eco/survey/find_capacity.h"
#include "eco/survey/shared_clusters.h"

namespace eco {

class NestedSearch {
public:
    // hosts: all that streams may use; fewer than four tell nothing.
    NestedSearch(std::vector<int> hosts, unsigned seed);

    bool is_done() const { return stage_ == Stage::done; }
    bool is_testing() const;
    std::vector<Flow> next();
    void take(const std::vector<double>& rates);

    // So far, in no order; empty: nothing is shared that can be seen.
    const SharedClusters& result() const { return clusters_; }

private:
    enum class Stage { inside, test_whole, test_parts, wider, test_wider, test_alone, done };
    struct Search {
        std::vector<int> hosts;  // single vertices
        int wider;
        CapacitySearch search;
        std::size_t flows = 0;  // of the round that runs
    };
    void begin_inside(const std::vector<int>& hosts, int wider);
    void take_found();
    void add(const Search& done);
    void begin_parts();
    void take_tested(const Capacity& tested);
    void begin_wider();
    void add_wider(const Capacity& found);
    void begin_alone();
    void begin_tests(Stage stage, std::vector<int> clusters);
    std::vector<StreamRate> test();
    double expected(const std::vector<StreamRate>& round) const;
    void take_test(const std::vector<StreamRate>& round);
    void tests_are_over();
    bool carries_less_than_its_parts(int cluster, double of_parts) const;
    bool leave_out_whole_ones();
    bool has_parts(int cluster) const { return !parts_of(clusters_, cluster).empty(); }
    std::vector<int> unconfirmed(std::size_t first, double of_parts) const;
    bool is_free_between(const std::vector<StreamRate>& round);
    double can_send(const SharedCluster& cluster) const;
    double can_get(const SharedCluster& cluster) const;
    bool may_be_held_by_wider(const SharedCluster& cluster) const;

    std::vector<int> hosts_;
    unsigned seed_;
    std::mt19937 random_;
    Stage stage_ = Stage::inside;
    std::vector<Search> searches_;      // that run
    std::vector<StreamRate> seen_;      // of the first one
    std::vector<Flow> flows_;           // of the round that runs
    std::vector<double> sends_, gets_;  // per host at most
    SharedClusters clusters_;
    std::vector<int> tops_;        // what the wider search joins
    int free_rounds_ = 0;          // of it, in which these were not held; -1: in one they were
    std::vector<int> tested_;      // clusters to be tested, the last first
    bool tests_out_ = true;        // what leaves it: else what enters
    std::vector<double> carried_;  // that way, in its rounds
};

}  // namespace eco
