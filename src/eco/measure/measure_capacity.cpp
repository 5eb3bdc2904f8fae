// SPDX-License-Identifier: BSD-3-Clause
#include "eco/measure/measure_capacity.h"

#include <algorithm>
#include <chrono>
#include <numeric>

#include "eco/base/at.h"
#include "eco/measure/model_timer.h"
#include "eco/measure/since.h"
#include "eco/survey/find_capacity.h"
#include "eco/survey/hosts_by_subnet.h"
#include "eco/topology/nesting.h"
#include "eco/topology/ring.h"

namespace eco {

namespace {

constexpr std::size_t least_hosts = 4;

// So long a round is timed, by how much the fastest stream carries in it: TCP shares a full link in
// turns. In leaf-2x4 at 100 Mbit/s a quarter of a second is enough, at 10 Mbit/s 0.6 s.
constexpr Seconds shortest_round = 0.25, longest_round = 0.6;
// Where the rates of the streams are the result.
constexpr Seconds exact_round = 0.6;
constexpr double bytes_of_round = 1e6;
// What a stream may have under way, in seconds at its rate: enough for a free one, and little to
// wait for where others are before it. A stream that is held takes long to end its last messages.
constexpr Seconds under_way = 26e-3;

constexpr int usual_rounds = 16, longest_search = 32, longest_wide_search = 64;
constexpr std::size_t wide_search = 32;
constexpr Seconds around_a_round = 0.1;

// A bus carries no more than so many times what one stream alone does, however many there are.
// After so many rounds that say so its hosts have no racks; in one round of four hosts in two
// racks, whose uplink is slow one way, all streams may cross it.
constexpr double bus_at_most = 1.25;
constexpr int rounds_of_bus = 4;

struct Search {
    std::vector<std::vector<int>> vertices;
    CapacitySearch search;
    int like_a_bus = 0;  // rounds, one after the other

    bool is_over() const { return search.is_done() || like_a_bus >= rounds_of_bus; }
};

class CapacityMeasuring {
public:
    CapacityMeasuring(Profile& profile, const std::vector<NicBytes>& heard,
                      const std::vector<int>& leader, const WorkerPool& workers, Seconds most,
                      const Show& show)
        : profile_(profile),
          heard_(heard),
          timer_(profile, leader, workers),
          most_(most),
          show_(show) {}

    FoundCapacity run() {
        std::vector<Search> searches;
        for (const auto& [id, hosts] : hosts_by_subnet(profile_.levels.back())) {
            std::vector<std::vector<int>> single;
            for (const int host : hosts) single.push_back({host});
            begin(searches, std::move(single));
        }
        while (!searches.empty() && found_.complete) {
            perform(searches);
            std::vector<Search> wider;
            for (const Search& each : searches)
                if (auto racks = take(each); racks.size() >= least_hosts)
                    begin(wider, std::move(racks));
            searches = std::move(wider);
        }
        apply();
        return std::move(found_);
    }

private:
    struct Cluster {
        std::vector<int> hosts;
        double out, in;
    };

    static void begin(std::vector<Search>& searches, std::vector<std::vector<int>> vertices) {
        if (vertices.size() < least_hosts) return;
        const int rounds = vertices.size() > wide_search ? longest_wide_search : longest_search;
        searches.push_back({vertices, CapacitySearch(vertices, rounds, 1)});
    }

    // Subnets do not disturb each other: nothing leaves them.
    void perform(std::vector<Search>& searches) {
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
            show_(std::min(0.95, static_cast<double>(round) / usual_rounds),
                  "streams of many hosts at once");
            const Seconds time = is_exact ? exact_round : timed();
            ModelTimer::Timing timing{time};
            if (fastest_ > 0) timing = {time, under_way, fastest_};
            timing.others = is_exact ? ModelTimer::Others::across : ModelTimer::Others::at_ports;
            timing.heard = &heard_;
            const auto rates = timer_.rates(flows, timing);
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
            for (const double rate : rates) fastest_ = std::max(fastest_, rate);
        }
    }
    Seconds timed() const {
        return fastest_ > 0 ? std::clamp(bytes_of_round / fastest_, shortest_round, longest_round)
                            : shortest_round;
    }

    // The hosts of each cluster found.
    std::vector<std::vector<int>> take(const Search& done) {
        const Capacity& result = done.search.result();
        if (!done.search.is_done() || result.out.empty()) return {};
        std::vector<std::vector<int>> racks(result.out.size());
        for (std::size_t v = 0; v < done.vertices.size(); ++v) {
            auto& rack = racks[at(result.cluster[v])];
            rack.insert(rack.end(), done.vertices[v].begin(), done.vertices[v].end());
        }
        std::vector<Cluster>& level = clusters_.emplace_back();
        for (std::size_t c = 0; c < racks.size(); ++c)
            level.push_back({racks[c], result.out[c], result.in[c]});
        return racks;
    }

    // Wider ones first, so that each level parts those before it.
    void apply() {
        if (clusters_.empty()) return;
        std::reverse(clusters_.begin(), clusters_.end());
        for (const auto& level : clusters_) {
            std::vector<std::vector<int>> parts;
            for (const Cluster& each : level) parts.push_back(each.hosts);
            profile_.levels = parted(profile_.levels, parts);
        }
        profile_.ring = near_ring(profile_.minimum[partition_size(profile_)], profile_.levels);
        for (const auto& level : clusters_)
            for (const Cluster& each : level)
                if (const auto place = find_cluster(profile_.levels, each.hosts);
                    place && each.hosts.size() > 1)
                    found_.media.push_back({.level = place->first,
                                            .cluster = place->second,
                                            .uplink = each.out,
                                            .uplink_in = each.in,
                                            .found_by = Medium::FoundBy::capacity});
    }

    Profile& profile_;
    const std::vector<NicBytes>& heard_;
    const ModelTimer timer_;
    Seconds most_;
    const Show& show_;
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
    std::vector<std::vector<Cluster>> clusters_;  // of each search that found some
    FoundCapacity found_;
    double fastest_ = 0;
};

}  // namespace

Seconds capacity_time(const Profile& profile) {
    std::size_t most = profile.levels.empty() ? profile.hosts.size() : 0;
    if (!profile.levels.empty())
        for (const auto& [id, hosts] : hosts_by_subnet(profile.levels.back()))
            most = std::max(most, hosts.size());
    return most < least_hosts ? 0 : usual_rounds * (shortest_round + around_a_round);
}

FoundCapacity measure_capacity(Profile& profile, const std::vector<NicBytes>& heard,
                               const std::vector<int>& leader, const WorkerPool& workers,
                               Seconds most, const Show& show) {
    return CapacityMeasuring(profile, heard, leader, workers, most, show).run();
}

}  // namespace eco
