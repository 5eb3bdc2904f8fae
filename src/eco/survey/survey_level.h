// SPDX-License-Identifier: BSD-3-Clause
// One level of a survey: which vertices (hosts, or the clusters of the level below) belong together
// by what has been timed so far, and which pairs should be timed next. Fig. 2 decides; this only
// asks for what could change its answer. Used by survey.cpp alone.
#pragma once

#include <limits>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "eco/survey/disturbance.h"
#include "eco/survey/prober.h"
#include "eco/survey/survey_settings.h"
#include "eco/topology/partition.h"

namespace eco {

// How many there are, of ids from 0.
int count_of(const std::vector<int>& cluster);

// The least time between each two vertices that have a timed pair of hosts between them.
std::vector<CostEdge> edges_between(const Timings& timings, const std::vector<int>& vertex);

class SurveyLevel {
public:
    // How many visits there may still be, in all levels: comparisons of whole clusters, second
    // visits, and those of pairs that may have been disturbed.
    struct Allowances {
        double &comparisons, &again, &disturbed;
    };

    // vertex_of: per host; subnet_of: the clusters of the first level, empty there; order: of the
    // hosts, a likely one. All outlive it.
    SurveyLevel(const std::vector<int>& vertex_of, const std::vector<int>& subnet_of,
                const std::vector<int>& order, Timings& timings, const SurveySettings& settings,
                const Disturbance& disturbance, Allowances allowances, std::mt19937& random);

    // What to time next, and why; empty if the level is settled.
    std::vector<HostPair> next(std::string& why);

    // Between vertices that follow each other.
    std::vector<HostPair> neighbours(const std::vector<int>& order);

    // Above the subnets: of hosts that are alone in theirs with every subnet that they were not
    // compared with. One of these may be their own, as a slow host is still nearest to it.
    std::vector<HostPair> lone_hosts();

    const std::vector<int>& cluster() const { return cluster_; }

private:
    int vertices() const { return static_cast<int>(hosts_of_.size()); }
    int clusters() const { return static_cast<int>(members_.size()); }
    // The longest time that counts as like this one.
    Seconds alike(Seconds least) const {
        return (1 + settings_.tolerance) * least + settings_.look;
    }

    void find_clusters();

    // A host of the vertex that has the least to do in this batch.
    int idle(int vertex);
    int idle_of(int cluster);
    // Of two vertices, or of a vertex and a whole cluster.
    HostPair visit(int a, int b);

    // What a cluster must still be compared with: whole clusters by one of their members, but where
    // another holds together no better than the two are apart, any member of it may belong here.
    struct Seen {
        std::vector<char> touched;  // by vertex: has a timed pair with the cluster
        std::vector<double> least;  // by cluster
        std::vector<int> vertices;  // those touched
        std::vector<int> clusters;  // of these
    };
    // Valid until it is called for another cluster. Costs as much as the cluster has timed pairs.
    const Seen& seen_from(int cluster);
    bool is_loose(int cluster, int beside, Seconds apart) const;
    // Of most of its members: some may be far from where their name says.
    int place_of(int cluster) const;

    // Whether a third that both were compared with is so much nearer to one of them that the two
    // cannot be one. Times may be a good deal longer than undisturbed, never shorter.
    bool surely_apart(int cluster, int other, const Seen& seen) const;

    // How far apart the cluster that was seen from and another probably are at most, by the thirds
    // that both were compared with; unlimited if one of these is much nearer to one of the two, so
    // that they are hardly one. Decides what is timed first, never the result.
    Seconds likely_apart(int other, const Seen& seen) const;

    // Vertices to compare with the cluster. A negative number: a whole cluster, −1 − its id.
    std::vector<int> open(int cluster);

    // Vertices that are alone, or only as far from each other as from a cluster that holds together
    // better, with clusters that may be their own, the likeliest first. Before whole clusters are
    // compared: what such a vertex was compared with on its way, its own cluster was as well.
    std::vector<HostPair> searches();

    std::vector<HostPair> comparisons();
    // Whether two clusters need not be compared where visits are short: both are large and hold
    // together equally well. Others may be parts of any cluster.
    bool may_be_left(int cluster, int other) const;

    // Random partners inside each cluster, so many of each member: what is nearer to each other
    // than the rest shows then. All again in what is left of a cluster that fell apart by it.
    std::vector<HostPair> checks();
    // Timed pairs of the vertex with others of its cluster.
    int inside(int vertex) const;
    bool timed(int a, int b) const;

    // Pairs that keep clusters apart, or stand out in one, though they may only have been
    // disturbed.
    std::vector<HostPair> maybe_disturbed();

    // What the pair may take, but for the tolerance, to join the clusters of its ends.
    double bar_of(const Timings::Entry& entry) const;

    // Pairs between clusters that would join them, did they take as much less as may be.
    std::vector<HostPair> unclear();
    // Of clusters, which few pairs stand for: those by which others are judged.
    std::vector<HostPair> least_edges() const;

    // How many pairs of hosts should be timed between the ends of each edge that just joins two
    // clusters, or just does not, and of those that its threshold comes from. By index.
    std::map<int, std::size_t> near_threshold() const;

    // Other pairs of the subnets that the least pair of two clusters is of.
    std::vector<HostPair> more_pairs();
    // Of its subnet, itself among them.
    std::vector<int> hosts_beside(int host) const;

    // To what is left.
    void limit(std::vector<HostPair>& pairs, double& allowance);

    static constexpr double unlimited = std::numeric_limits<double>::infinity();

    Timings& timings_;
    const SurveySettings& settings_;
    const Disturbance& disturbance_;
    Allowances allowances_;
    std::mt19937& random_;
    const std::vector<int>&vertex_of_, &subnet_of_;
    std::vector<std::vector<int>> hosts_of_;  // by vertex
    struct Check {                            // the cluster as it was when it was checked last
        int size = 0;
        double inner = 0;
    };
    std::vector<Check> check_of_;  // by vertex
    std::vector<int> place_;       // by vertex, in the likely order
    int next_place_ = 0;
    std::vector<int> turn_;  // by host: visits in this batch

    std::vector<CostEdge> edges_;
    std::vector<std::vector<int>> partners_;  // by vertex, indices into edges_
    std::vector<int> cluster_;                // of each vertex
    std::vector<std::vector<int>> members_;   // of each cluster
    std::vector<double> inner_, least_;       // least edge inside a cluster; of a vertex
    struct Apart {
        int other;
        double least;
    };
    std::vector<std::vector<Apart>> apart_;  // of each cluster: what it was compared with
    std::vector<char> loose_;                // cluster: beside any of these
    Seen seen_;
};

}  // namespace eco
