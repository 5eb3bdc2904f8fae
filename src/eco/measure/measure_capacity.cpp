// SPDX-License-Identifier: BSD-3-Clause
#include "eco/measure/measure_capacity.h"

#include <algorithm>
#include <chrono>
#include <numeric>

#include "eco/base/at.h"
#include "eco/measure/capacity_rounds.h"
#include "eco/measure/model_timer.h"
#include "eco/measure/since.h"
#include "eco/survey/hosts_by_subnet.h"
#include "eco/survey/nested_capacity.h"
#include "eco/topology/nesting.h"
#include "eco/topology/ring.h"

namespace eco {

namespace {

constexpr std::size_t least_hosts = 4;

// Of 8 hosts 16, of 64 in racks 25 to 35, of 256 80 to 110 (bench/capacity.cpp).
constexpr std::size_t least_rounds = 14, hosts_a_round = 3;
constexpr Seconds usual_round = 0.35;
// Where rounds are more than usual, so many are always left.
constexpr std::size_t rounds_left = 4;

std::size_t usual_rounds(std::size_t hosts) { return least_rounds + hosts / hosts_a_round; }

// A bus carries no more than so many times what one stream alone does, however many there are.
// After so many rounds that say so its hosts have no racks; in one round of four hosts in two
// racks, whose uplink is slow one way, all streams may cross it.
constexpr double bus_at_most = 1.25;
constexpr int rounds_of_bus = 4;

struct Search {
    NestedSearch search;
    std::size_t hosts;
    int like_a_bus = 0;  // rounds, one after the other

    bool is_over() const { return search.is_done() || like_a_bus >= rounds_of_bus; }
};

class CapacityMeasuring {
public:
    CapacityMeasuring(Profile& profile, const std::vector<NicBytes>& heard,
                      const std::vector<int>& leader, const WorkerPool& workers, Seconds most,
                      const Show& show)
        : profile_(profile),
          timer_(profile, leader, workers),
          streams_(timer_, heard),
          most_(most),
          show_(show) {}

    FoundCapacity run() {
        std::vector<Search> searches;
        for (const auto& [id, hosts] : hosts_by_subnet(profile_.levels.back()))
            searches.push_back({NestedSearch(hosts, 1), hosts.size()});
        perform(searches);
        std::vector<SharedCluster> clusters;
        for (const Search& search : searches) {
            const auto before = static_cast<int>(clusters.size());
            for (SharedCluster each : search.search.result()) {
                if (each.wider >= 0) each.wider += before;
                clusters.push_back(std::move(each));
            }
        }
        if (!clusters.empty()) apply(clusters);
        return std::move(found_);
    }

private:
    // Subnets do not disturb each other: nothing leaves them.
    void perform(std::vector<Search>& searches) {
        std::size_t most = 0;
        for (const Search& each : searches) most = std::max(most, each.hosts);
        const std::size_t usual = usual_rounds(most);
        for (int round = 0;; ++round) {
            std::vector<Flow> flows;
            std::vector<std::pair<Search*, std::size_t>> parts;
            bool is_exact = false;
            for (Search& each : searches) {
                if (each.is_over()) continue;
                is_exact = is_exact || each.search.is_testing();
                const auto own = each.search.next();
                parts.emplace_back(&each, own.size());
                flows.insert(flows.end(), own.begin(), own.end());
            }
            if (parts.empty()) return;
            if (since(start_) > most_) {
                found_.complete = false;
                return;
            }
            const auto over = at(round);
            show_(static_cast<double>(over) /
                      static_cast<double>(std::max(usual, over + rounds_left)),
                  "streams of many hosts at once");
            const auto rates = streams_.rates(
                flows, is_exact ? CapacityRounds::Kind::exact : CapacityRounds::Kind::search);
            ++found_.rounds;
            auto next = rates.begin();
            for (const auto& [search, count] : parts) {
                const auto end = next + static_cast<std::ptrdiff_t>(count);
                const bool tests = search->search.is_testing();
                search->search.take({next, end});
                double alone = 0;
                for (auto flow = flows.begin() + (next - rates.begin()), last = flow + (end - next);
                     flow != last; ++flow)
                    alone = std::max(alone, timer_.rate(*flow));
                const bool bus = !tests && count >= least_hosts &&
                                 std::accumulate(next, end, 0.0) <= bus_at_most * alone;
                search->like_a_bus = bus ? search->like_a_bus + 1 : 0;
                next = end;
            }
        }
    }

    // Wider ones first, so that each level parts those before it.
    void apply(const std::vector<SharedCluster>& clusters) {
        std::vector<std::vector<const SharedCluster*>> levels;
        for (const SharedCluster& each : clusters) {
            std::size_t depth = 0;
            for (int wider = each.wider; wider >= 0; wider = clusters[at(wider)].wider) ++depth;
            levels.resize(std::max(levels.size(), depth + 1));
            levels[depth].push_back(&each);
        }
        for (const auto& level : levels) {
            std::vector<std::vector<int>> parts;
            for (const SharedCluster* each : level) parts.push_back(each->hosts);
            profile_.levels = parted(profile_.levels, parts);
        }
        profile_.ring = near_ring(profile_.minimum[partition_size(profile_)], profile_.levels);
        for (const SharedCluster& each : clusters)
            if (const auto place = find_cluster(profile_.levels, each.hosts);
                place && each.hosts.size() > 1)
                found_.media.push_back({.level = place->first,
                                        .cluster = place->second,
                                        .uplink = each.out,
                                        .uplink_in = each.in,
                                        .found_by = Medium::FoundBy::capacity});
    }

    Profile& profile_;
    const ModelTimer timer_;
    CapacityRounds streams_;
    Seconds most_;
    const Show& show_;
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
    FoundCapacity found_;
};

}  // namespace

Seconds capacity_time(const Profile& profile) {
    std::size_t most = profile.levels.empty() ? profile.hosts.size() : 0;
    if (!profile.levels.empty())
        for (const auto& [id, hosts] : hosts_by_subnet(profile.levels.back()))
            most = std::max(most, hosts.size());
    return most < least_hosts ? 0 : static_cast<double>(usual_rounds(most)) * usual_round;
}

FoundCapacity measure_capacity(Profile& profile, const std::vector<NicBytes>& heard,
                               const std::vector<int>& leader, const WorkerPool& workers,
                               Seconds most, const Show& show) {
    return CapacityMeasuring(profile, heard, leader, workers, most, show).run();
}

}  // namespace eco
