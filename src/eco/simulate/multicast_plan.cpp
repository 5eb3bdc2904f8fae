// SPDX-License-Identifier: BSD-3-Clause
#include "eco/simulate/multicast_plan.h"

#include <algorithm>
#include <set>

#include "eco/base/at.h"
#include "eco/base/check.h"
#include "eco/multicast/best.h"
#include "eco/multicast/cost_model.h"
#include "eco/multicast/mcast_programs.h"
#include "eco/multicast/programs.h"
#include "eco/multicast/spread.h"
#include "eco/multicast/work_racing_preemptive.h"
#include "eco/simulate/simulate.h"

namespace eco {

namespace {

using multicast::Deliveries;
using multicast::Hop;

// Hops that are ordered and simulated in time.
constexpr std::size_t most_legs = 4096;
// Rates of flows worked out, steps of ordering and spreading, each about a tenth of a microsecond.
// Not a time, as all ranks must end with the same plan.
constexpr std::int64_t most_steps = 4'000'000, work_of_message = 50;

// So much faster a multicast must be, as losses are not predicted.
constexpr double clear_of_losses = 1.1;
constexpr Bytes bytes_of_report = 32;

class Contest {
public:
    Contest(const Network& network, const std::vector<int>& host_of,
            const std::vector<Multicast>& messages)
        : network_(network), host_of_(host_of), messages_(messages), load_(network, host_of) {
        for (const Multicast& message : messages) longest_ = std::max(longest_, message.bytes);
    }

    MulticastPlan run(ByMcast by_mcast) {
        const Deliveries straight = multicast::direct(messages_);
        ECO_CHECK(!straight.empty() && straight.size() <= most_deliveries);
        best_.direct = time(straight, as_listed(straight, 1), 1, 0).first;
        // Where one simulation is already a good part of all that may be done, the most promising
        // one is done besides.
        std::vector<std::pair<std::string, Deliveries>> ways;
        if (work_ < most_steps / 4) ways.emplace_back("direct", straight);
        ways.emplace_back("spread", multicast::spread(load_, messages_, &work_));
        if (straight.size() <= most_legs / 4) {
            const multicast::Pattern pattern{multicast::model_of(network_, host_of_), messages_};
            ways.emplace_back("wrp",
                              multicast::deliveries(multicast::work_racing_preemptive(pattern)));
            ways.emplace_back("best", multicast::deliveries(multicast::best(pattern)));
        }
        // Who passes on to whom first, then how it is cut and paced.
        std::size_t winner = 0;
        std::vector<Hop> of_winner;
        for (std::size_t way = 0; way < ways.size(); ++way) {
            auto hops = order(ways[way].second, 1);
            if (!enter(ways[way].first, ways[way].second, hops, 1, 0)) continue;
            winner = way;
            of_winner = std::move(hops);
        }
        if (by_mcast != ByMcast::no) try_mcast(straight.size());
        const auto& [name, deliveries] = ways[winner];
        for (const int segments : std::set{1, cut(16384), cut(8400)}) {
            if (deliveries.size() * static_cast<std::size_t>(segments) > most_legs) continue;
            if (work_ >= most_steps) break;
            const auto hops = segments == 1 ? of_winner : order(deliveries, segments);
            for (const int pace : {0, 1, 3, 5})
                if (work_ < most_steps && (segments > 1 || pace > 0))
                    enter(name, deliveries, hops, segments, pace);
        }
        const bool is_faster = mcast_.time * clear_of_losses < best_.time;
        if (mcast_.by_mcast && (is_faster || by_mcast == ByMcast::must)) {
            mcast_.direct = best_.direct;
            best_ = std::move(mcast_);
        }
        best_.work = work_;
        return std::move(best_);
    }

private:
    std::pair<Seconds, std::vector<Program>> time(const Deliveries& deliveries,
                                                  const std::vector<Hop>& hops, int segments,
                                                  int pace) {
        ECO_CHECK(hops.size() == deliveries.size() * static_cast<std::size_t>(segments));
        auto list =
            multicast::programs(static_cast<int>(host_of_.size()), messages_, hops, segments, pace);
        const Seconds seconds = time(list, hops.size());
        return {seconds, std::move(list)};
    }

    Seconds time(const std::vector<Program>& list, std::size_t hops) {
        const Timeline timeline = simulate(network_, host_of_, list, [this](Chunk chunk, int cuts) {
            const Bytes bytes = messages_[static_cast<std::size_t>(chunk / cuts)].bytes;
            return bytes * (chunk % cuts + 1) / cuts - bytes * (chunk % cuts) / cuts;
        });
        work_ += timeline.effort + work_of_message * static_cast<std::int64_t>(hops);
        return timeline.time;
    }

    std::vector<Hop> order(const Deliveries& deliveries, int segments) {
        return in_order(load_, messages_, deliveries, segments, &work_);
    }

    int cut(Bytes each) const {
        return static_cast<int>(std::clamp<Bytes>((longest_ + each - 1) / each, 1, 16));
    }

    // Whether it is the quickest so far.
    bool enter(const std::string& who, const Deliveries& deliveries, const std::vector<Hop>& hops,
               int segments, int pace) {
        auto [seconds, list] = time(deliveries, hops, segments, pace);
        if (!best_.programs.empty() && seconds >= best_.time) return false;
        best_.name = who + ":segments=" + std::to_string(segments);
        if (pace > 0) best_.name += ",pace=" + std::to_string(pace);
        best_.time = seconds;
        best_.programs = std::move(list);
        return true;
    }

    void try_mcast(std::size_t deliveries) {
        const auto reached = multicast::reached(network_, host_of_, messages_);
        auto list =
            multicast::mcast_programs(static_cast<int>(host_of_.size()), messages_, reached);
        if (list.empty()) return;
        mcast_.name = "mcast";
        mcast_.by_mcast = true;
        mcast_.time = time(list, deliveries) + time_of_reports(reached);
        mcast_.programs = std::move(list);
    }

    // Every receiver reports to its source. Simulation counts when that is known, but not that
    // these reports, too, cross the links; of short messages they are most of it.
    Seconds time_of_reports(const std::vector<std::vector<Rank>>& reached) const {
        std::vector<double> bytes(network_.links.size(), 0);
        for (std::size_t m = 0; m < messages_.size(); ++m)
            for (const Rank from : reached[m])
                for (const int link :
                     network_.route(host_of_[at(from)], host_of_[at(messages_[m].source)]))
                    bytes[at(link)] += network_.wire(bytes_of_report);
        Seconds longest = 0;
        for (std::size_t link = 0; link < bytes.size(); ++link)
            longest = std::max(longest, bytes[link] / network_.links[link].rate);
        return longest;
    }

    const Network& network_;
    const std::vector<int>& host_of_;
    const std::vector<Multicast>& messages_;
    const multicast::Load load_;
    Bytes longest_ = 0;
    std::int64_t work_ = 0;
    MulticastPlan best_, mcast_;
};

}  // namespace

MulticastPlan plan_multicasts(const Network& network, const std::vector<int>& host_of,
                              const std::vector<Multicast>& messages, ByMcast by_mcast) {
    return Contest(network, host_of, messages).run(by_mcast);
}

}  // namespace eco
