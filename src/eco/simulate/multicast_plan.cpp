// SPDX-License-Identifier: BSD-3-Clause
#include "eco/simulate/multicast_plan.h"

#include <algorithm>
#include <set>

#include "eco/base/check.h"
#include "eco/multicast/cost_model.h"
#include "eco/multicast/planners.h"
#include "eco/multicast/programs.h"
#include "eco/multicast/spread.h"
#include "eco/simulate/simulate.h"

namespace eco {

namespace {

using multicast::Deliveries;
using multicast::Hop;

// Hops that are ordered and simulated in time.
constexpr std::size_t most_legs = 4096;

class Contest {
public:
    Contest(const Network& network, const std::vector<int>& host_of,
            const std::vector<Multicast>& messages)
        : network_(network), host_of_(host_of), messages_(messages), load_(network, host_of) {
        for (const Multicast& message : messages) longest_ = std::max(longest_, message.bytes);
    }

    MulticastPlan run() {
        const Deliveries straight = multicast::direct(messages_);
        ECO_CHECK(!straight.empty() && straight.size() <= most_deliveries);
        best_.direct = time(straight, as_listed(straight, 1), 1, 0).first;
        const bool few = straight.size() <= most_legs / 4;
        std::vector<std::pair<std::string, Deliveries>> ways{
            {"direct", straight}, {"spread", multicast::spread(load_, messages_)}};
        if (few) {
            const multicast::Pattern pattern{multicast::model_of(network_, host_of_), messages_};
            for (const char* name : {"wrp", "best"})
                ways.emplace_back(name,
                                  multicast::deliveries(multicast::planner(name).plan(pattern)));
        }
        // Who passes on to whom first, then how it is cut and paced.
        std::size_t winner = 0;
        for (std::size_t way = 0; way < ways.size(); ++way)
            if (enter(ways[way].first, ways[way].second, 1, 0)) winner = way;
        for (const int segments : std::set{1, cut(16384), cut(8400)})
            for (const int pace : {0, 1, 3, 5})
                if (segments > 1 || pace > 0)
                    enter(ways[winner].first, ways[winner].second, segments, pace);
        return std::move(best_);
    }

private:
    std::pair<Seconds, std::vector<Program>> time(const Deliveries& deliveries,
                                                  const std::vector<Hop>& hops, int segments,
                                                  int pace) const {
        ECO_CHECK(hops.size() == deliveries.size() * static_cast<std::size_t>(segments));
        auto list =
            multicast::programs(static_cast<int>(host_of_.size()), messages_, hops, segments, pace);
        const Timeline timeline = simulate(network_, host_of_, list, [this](Chunk chunk, int cuts) {
            const Bytes bytes = messages_[static_cast<std::size_t>(chunk / cuts)].bytes;
            return bytes * (chunk % cuts + 1) / cuts - bytes * (chunk % cuts) / cuts;
        });
        return {timeline.time, std::move(list)};
    }

    int cut(Bytes each) const {
        return static_cast<int>(std::clamp<Bytes>((longest_ + each - 1) / each, 1, 16));
    }

    // Whether it is the quickest so far.
    bool enter(const std::string& who, const Deliveries& deliveries, int segments, int pace) {
        if (deliveries.size() * static_cast<std::size_t>(segments) > most_legs) return false;
        const auto hops = in_order(load_, messages_, deliveries, segments);
        auto [seconds, list] = time(deliveries, hops, segments, pace);
        if (!best_.programs.empty() && seconds >= best_.time) return false;
        best_.name = who + ":segments=" + std::to_string(segments);
        if (pace > 0) best_.name += ",pace=" + std::to_string(pace);
        best_.time = seconds;
        best_.programs = std::move(list);
        return true;
    }

    const Network& network_;
    const std::vector<int>& host_of_;
    const std::vector<Multicast>& messages_;
    const multicast::Load load_;
    Bytes longest_ = 0;
    MulticastPlan best_;
};

}  // namespace

MulticastPlan plan_multicasts(const Network& network, const std::vector<int>& host_of,
                              const std::vector<Multicast>& messages) {
    return Contest(network, host_of, messages).run();
}

}  // namespace eco
