// SPDX-License-Identifier: BSD-3-Clause
#include "eco/multicast/pattern_bound.h"

#include <algorithm>
#include <cmath>
#include <queue>

#include "eco/base/at.h"
#include "eco/multicast/times.h"

namespace eco::multicast {

namespace {

// When each rank can have message k at the earliest, all its ways over destinations of k open and
// nobody busy: L of §3.1, the receive overhead included. Dijkstra, O(N²).
std::vector<Seconds> earliest_reach(const Times& times, int k) {
    std::vector<Seconds> reach(at(times.ranks()), never);
    std::vector<Rank> open = times.message(k).destinations;
    Rank from = times.source(k);
    reach[at(from)] = 0;
    while (!open.empty()) {
        std::size_t next = 0;
        for (std::size_t n = 0; n < open.size(); ++n) {
            const Seconds through = reach[at(from)] + times.edge(from, open[n], k);
            reach[at(open[n])] = std::min(reach[at(open[n])], through);
            if (reach[at(open[n])] < reach[at(open[next])]) next = n;
        }
        from = open[next];
        open[next] = open.back();
        open.pop_back();
    }
    return reach;
}

struct Job {
    Seconds reach, arrival, length;
};

Seconds paper_bound(std::vector<Job> jobs) {
    std::sort(jobs.begin(), jobs.end(),
              [](const Job& a, const Job& b) { return a.reach < b.reach; });
    Seconds end = 0;
    for (std::size_t n = 0; n < jobs.size(); ++n)
        end = n == 0 ? jobs[n].reach : std::max(end + jobs[n].length, jobs[n].reach);
    return end;
}

// A rank's own sends are work from the start on; jobs taken as they arrive end first.
Seconds rank_bound(std::vector<Job> jobs, Seconds own_sends) {
    std::sort(jobs.begin(), jobs.end(),
              [](const Job& a, const Job& b) { return a.arrival < b.arrival; });
    Seconds end = own_sends;
    for (const Job& job : jobs) end = std::max(end, job.arrival) + job.length;
    return jobs.empty() ? 0 : end;
}

// How early messages can arrive anywhere: sources send on and on, every arrival makes one more rank
// send, and ranks other than the sources are as fast as the fastest and over the fastest edge.
class EarliestArrivals {
public:
    void add_source(Seconds send) { next_.emplace(send, send); }
    void may_relay(Seconds send, Seconds receive) {
        send_ = std::min(send_, send);
        receive_ = std::min(receive_, receive);
    }
    void may_cross(Seconds transfer) { transfer_ = std::min(transfer_, transfer); }
    // Per rank all that it receives. Of those with the most work the last has its first arrival no
    // earlier than as many arrivals can be. O(n log n).
    Seconds least(std::vector<Seconds> receives) {
        std::sort(receives.begin(), receives.end(), std::greater<>());
        Seconds found = 0;
        for (const Seconds work : receives) {
            const auto [sent, each] = next_.top();
            next_.pop();
            found = std::max(found, sent + transfer_ + work);
            next_.emplace(sent + each, each);
            next_.emplace(sent + transfer_ + receive_ + send_, send_);
        }
        return found;
    }

private:
    using Sent = std::pair<Seconds, Seconds>;  // when a send ends, and how long each takes its rank
    std::priority_queue<Sent, std::vector<Sent>, std::greater<>> next_;
    Seconds send_ = never, receive_ = never, transfer_ = never;
};

// Of each message alone, and of all as if they were one. O(M N²).
Seconds spread_bound(const Times& times) {
    EarliestArrivals all;
    std::vector<Seconds> all_receives(at(times.ranks()));
    std::vector<Seconds> first_send(at(times.ranks()), never);
    Seconds found = 0;
    for (int k = 0; k < times.messages(); ++k) {
        const auto& to = times.message(k).destinations;
        if (to.empty()) continue;
        const Rank source = times.source(k);
        EarliestArrivals one;
        one.add_source(times.send(source, k));
        first_send[at(source)] = std::min(first_send[at(source)], times.send(source, k));
        std::vector<Seconds> receives;
        for (const Rank i : to) {
            receives.push_back(times.receive(i, k));
            all_receives[at(i)] += times.receive(i, k);
            one.may_relay(times.send(i, k), times.receive(i, k));
            Seconds cross = times.transfer(source, i, k);
            for (const Rank j : to)
                if (i != j) cross = std::min(cross, times.transfer(i, j, k));
            one.may_cross(cross);
            all.may_relay(times.send(i, k), times.receive(i, k));
            all.may_cross(cross);
        }
        found = std::max(found, one.least(std::move(receives)));
    }
    for (const Seconds send : first_send)
        if (send < never) all.add_source(send);
    std::erase(all_receives, 0);  // who receives nothing, or at no cost
    return std::max(found, all.least(std::move(all_receives)));
}

// Any weights of the ranks bound the time from below: the weighted mean of what all ranks must do
// is at most the time of the busiest. A message's source sends it once, all other sends go to the
// rank that is cheapest by weight. Weights grow where the work exceeds the mean.
class WorkBound {
public:
    WorkBound(const Times& times, const std::vector<Seconds>& fixed_work)
        : times_(times), fixed_work_(fixed_work), weight_(fixed_work.size(), 1.0) {
        for (int k = 0; k < times.messages(); ++k) {
            if (times.message(k).destinations.size() < 2) continue;
            messages_.push_back(k);
        }
    }

    Seconds find() {
        Seconds best = 0;
        for (int round = 0; round < 120; ++round) {
            const Seconds found = weigh();
            best = std::max(best, found);
            if (!(found > 0)) break;
            double sum = 0;
            for (std::size_t i = 0; i < weight_.size(); ++i) {
                const double excess = std::clamp(work_[i] / found - 1, -1.0, 1.0);
                weight_[i] *= std::exp(excess * 2 / std::sqrt(round + 4.0));
                sum += weight_[i];
            }
            for (double& weight : weight_) weight /= sum;
        }
        return best;
    }

private:
    Seconds weigh() {
        work_ = fixed_work_;
        Seconds sends = 0;
        for (const int k : messages_) {
            const auto& to = times_.message(k).destinations;
            Seconds least = price(times_.source(k), k);
            for (const Rank i : to) least = std::min(least, price(i, k));
            const double count = static_cast<double>(to.size() - 1);
            sends += count * least;
            share(to, k, count, least);
        }
        double weighted = sends, sum = 0;
        for (std::size_t i = 0; i < weight_.size(); ++i) {
            weighted += weight_[i] * fixed_work_[i];
            sum += weight_[i];
        }
        return weighted / sum;
    }

    Seconds price(Rank i, int k) const { return weight_[at(i)] * times_.send(i, k); }

    // Where the sends go, for the next weights: mostly to the cheapest.
    void share(const std::vector<Rank>& to, int k, double count, Seconds least) {
        double sum = 0;
        const auto part = [&](Rank i) {
            const double relative = least > 0 ? least / price(i, k) : price(i, k) > 0 ? 0 : 1;
            const double fourth = relative * relative * relative * relative;
            return fourth * fourth * fourth * fourth;
        };
        sum = part(times_.source(k));
        for (const Rank i : to) sum += part(i);
        if (!(sum > 0)) return;
        work_[at(times_.source(k))] +=
            count * part(times_.source(k)) / sum * times_.send(times_.source(k), k);
        for (const Rank i : to) work_[at(i)] += count * part(i) / sum * times_.send(i, k);
    }

    const Times& times_;
    std::vector<Seconds> fixed_work_, work_;  // per rank
    std::vector<double> weight_;
    std::vector<int> messages_;
};

}  // namespace

static PatternBound find_bound(const Pattern& pattern, bool with_work) {
    const Times times(pattern);
    std::vector<std::vector<Job>> jobs(at(times.ranks()));
    std::vector<Seconds> own_sends(at(times.ranks()));
    for (int k = 0; k < times.messages(); ++k) {
        if (times.message(k).destinations.empty()) continue;
        const auto reach = earliest_reach(times, k);
        own_sends[at(times.source(k))] += times.send(times.source(k), k);
        for (const Rank to : times.message(k).destinations) {
            const Seconds length = times.receive(to, k);
            jobs[at(to)].push_back({reach[at(to)], reach[at(to)] - length, length});
        }
    }
    PatternBound found;
    std::vector<Seconds> work = own_sends;
    found.spread = spread_bound(times);
    for (Rank i = 0; i < times.ranks(); ++i) {
        found.paper = std::max(found.paper, paper_bound(jobs[at(i)]));
        found.ranks = std::max(found.ranks, rank_bound(jobs[at(i)], own_sends[at(i)]));
        // Who has nothing of its own is idle until the first arrival.
        Seconds idle = jobs[at(i)].empty() || own_sends[at(i)] > 0 ? 0 : never;
        for (const Job& job : jobs[at(i)]) {
            work[at(i)] += job.length;
            idle = std::min(idle, job.arrival);
        }
        work[at(i)] += idle;
    }
    if (with_work) found.work = WorkBound(times, work).find();
    // Sums in another order than a schedule's round otherwise.
    found.least = std::max({found.ranks, found.work, found.spread}) * (1 - 1e-9);
    return found;
}

PatternBound bound(const Pattern& pattern) { return find_bound(pattern, true); }
PatternBound quick_bound(const Pattern& pattern) { return find_bound(pattern, false); }

}  // namespace eco::multicast
