// SPDX-License-Identifier: BSD-3-Clause
#include "eco/simulate/fluid.h"

#include <algorithm>

#include "eco/base/at.h"
#include "eco/base/check.h"

namespace eco {

namespace {

// What rounding adds, relative. Flows that end so close together end at once.
constexpr double rounding = 1e-12;
constexpr double fullness = 1 - 1e-9;
constexpr int block = 64;

}  // namespace

Fluid::Fluid(const std::vector<double>& rates, const std::vector<double>& bursts)
    : rates_(rates),
      ways_of_(rates.size()),
      flows_on_(rates.size(), 0),
      used_(rates.size(), 0),
      busy_(rates.size(), 0),
      busy_since_(rates.size(), 0),
      is_open_(rates.size(), 0),
      is_touched_(rates.size(), 0),
      left_(rates.size(), 0),
      without_(rates.size(), 0),
      new_used_(rates.size(), 0) {
    for (const double burst : bursts) buckets_.push_back({burst, burst, 0});
    buckets_.resize(rates.size());
}

int Fluid::add_way(const std::vector<int>& links, double cap) {
    ECO_CHECK(!links.empty() || cap < never);
    ways_.emplace_back();
    ways_.back().links = links;
    ways_.back().cap = cap;
    due_.push_back(never);
    if (due_.size() % block == 1) {
        least_due_.push_back(never);
        stale_.push_back(0);
    }
    return static_cast<int>(ways_.size()) - 1;
}

void Fluid::fill(int link, Seconds now) {
    Bucket& bucket = buckets_[at(link)];
    if (bucket.size <= 0) return;
    const double fresh = (rates_[at(link)] - used_[at(link)]) * (now - bucket.since);
    bucket.tokens = std::min(bucket.size, bucket.tokens + std::max(0.0, fresh));
    bucket.since = now;
}

double Fluid::tokens(int link, Seconds now) {
    fill(link, now);
    return buckets_[at(link)].tokens;
}

void Fluid::take(int link, double bytes, Seconds now) {
    fill(link, now);
    buckets_[at(link)].tokens = std::max(0.0, buckets_[at(link)].tokens - bytes);
}

void Fluid::advance(Route& way, Seconds now) {
    way.carried += way.rate * (now - way.since);
    way.since = now;
}

void Fluid::start(int flow, int number, double bytes, Seconds now) {
    Route& way = ways_[at(number)];
    advance(way, now);
    if (way.flows == 0) way.carried = 0;
    if (!way.listed)
        for (const int link : way.links) ways_of_[at(link)].push_back(number);
    way.listed = true;
    way.flows += 1;
    way.ends.emplace(way.carried + bytes, flow);
    for (const int link : way.links)
        if (flows_on_[at(link)]++ == 0) busy_since_[at(link)] = now;
    way.changed = true;
    changed_.push_back(number);
}

void Fluid::expect(int number) {
    const Route& way = ways_[at(number)];
    due_[at(number)] = way.flows > 0 && way.rate > 0
                           ? way.since + (way.ends.top().first - way.carried) / way.rate
                           : never;
    stale_[at(number / block)] = 1;
}

void Fluid::reach(int number) {
    Route& way = ways_[at(number)];
    if (way.reached) return;
    way.reached = true;
    open_ways_.push_back(number);
    for (const int link : way.links)
        if (!is_touched_[at(link)]) {
            is_touched_[at(link)] = 1;
            touched_links_.push_back(link);
        }
}

void Fluid::open(int link) {
    if (is_open_[at(link)]) return;
    is_open_[at(link)] = 1;
    open_links_.push_back(link);
    for (const int number : ways_of_[at(link)]) reach(number);
}

bool Fluid::is_full(double used, int link) const { return used >= rates_[at(link)] * fullness; }

// The links of what changed are shared out again, then those as well on which that matters, until
// nothing more does: usually few.
void Fluid::settle(Seconds now) {
    if (changed_.empty()) return;
    for (const int number : changed_) {
        reach(number);
        for (const int link : ways_[at(number)].links) open(link);
    }
    changed_.clear();
    do share_out();
    while (widen());
    for (const int number : open_ways_) {
        Route& way = ways_[at(number)];
        way.reached = false;
        const double rate = way.flows > 0 ? way.fresh : 0;
        // If neither its rate nor its flows changed, its next end stands.
        if (!way.changed && rate == way.rate) continue;
        advance(way, now);
        way.rate = rate;
        way.changed = false;
        expect(number);
    }
    for (const int link : touched_links_) {
        fill(link, now);
        used_[at(link)] = new_used_[at(link)];
        is_touched_[at(link)] = 0;
    }
    for (const int link : open_links_) {
        is_open_[at(link)] = 0;
        std::erase_if(ways_of_[at(link)], [&](int number) { return ways_[at(number)].flows == 0; });
    }
    for (const int number : open_ways_) ways_[at(number)].listed = ways_[at(number)].flows > 0;
    open_ways_.clear();
    open_links_.clear();
    touched_links_.clear();
}

// Fills links from the fullest on: its open flows get an even share of what is left of it, unless
// their own cap is below. What is left for others only grows by that, so a share that was computed
// earlier is at most too small and is put back.
void Fluid::share_out() {
    struct Step {
        double share;
        int link, way;  // one of them -1
        bool operator>(const Step& other) const {
            if (share != other.share) return share > other.share;
            return link != other.link ? link > other.link : way > other.way;
        }
    };
    for (const int link : touched_links_) {
        // Open links belong to open ways alone.
        left_[at(link)] =
            is_open_[at(link)] ? rates_[at(link)] : rates_[at(link)] - used_[at(link)];
        new_used_[at(link)] = is_open_[at(link)] ? 0 : used_[at(link)];
        without_[at(link)] = 0;
    }
    std::vector<Step> first;
    effort_ += static_cast<std::int64_t>(open_ways_.size());
    for (const int number : open_ways_) {
        Route& way = ways_[at(number)];
        way.fresh = -1;
        double least = never;  // a cap above that never counts
        for (const int link : way.links) {
            without_[at(link)] += way.flows;
            least = std::min(least, rates_[at(link)]);
            if (is_open_[at(link)]) continue;
            const double own = way.rate * way.flows;
            left_[at(link)] += own;
            new_used_[at(link)] -= own;
        }
        if (way.flows > 0 && way.cap < least) first.push_back({way.cap, -1, number});
    }
    for (const int link : touched_links_)
        if (without_[at(link)] > 0)
            first.push_back({std::max(0.0, left_[at(link)]) / without_[at(link)], link, -1});
    std::priority_queue<Step, std::vector<Step>, std::greater<>> steps(std::greater<>{},
                                                                       std::move(first));
    const auto give = [&](int number, double share, int limit) {
        Route& way = ways_[at(number)];
        if (way.fresh >= 0 || way.flows == 0 || !way.reached) return;
        way.fresh = share;
        way.limit = limit;
        for (const int link : way.links) {
            left_[at(link)] -= share * way.flows;
            new_used_[at(link)] += share * way.flows;
            without_[at(link)] -= way.flows;
        }
    };
    while (!steps.empty()) {
        const Step step = steps.top();
        steps.pop();
        if (step.link < 0) {
            give(step.way, step.share, -1);
            continue;
        }
        const int without = without_[at(step.link)];
        if (without == 0) continue;
        const double share = std::max(0.0, left_[at(step.link)]) / without;
        if (share > step.share * (1 + rounding)) {
            steps.push({share, step.link, -1});
            continue;
        }
        for (const int number : ways_of_[at(step.link)]) give(number, share, step.link);
    }
}

// Opens links where ways that are not open would have to change too: a link that limits an open
// way, or that is or was full and carries another amount now.
bool Fluid::widen() {
    const std::size_t before = open_links_.size();
    const std::size_t ways = open_ways_.size();
    for (std::size_t next = 0; next < ways; ++next) {
        const Route& way = ways_[at(open_ways_[next])];
        const bool same = !way.changed && way.fresh == way.rate;
        const int limit = way.flows > 0 ? way.limit : -1;
        for (const int link : way.links) {
            if (is_open_[at(link)]) continue;
            const bool full = is_full(used_[at(link)], link) || is_full(new_used_[at(link)], link);
            if (link == limit || (!same && full)) open(link);
        }
    }
    return open_links_.size() > before;
}

Seconds Fluid::next_end() {
    Seconds least = never;
    for (std::size_t b = 0; b < least_due_.size(); ++b) {
        if (stale_[b]) {
            const auto begin = due_.begin() + static_cast<std::ptrdiff_t>(b * block);
            const auto count = std::min<std::size_t>(block, due_.size() - b * block);
            least_due_[b] = *std::min_element(begin, begin + static_cast<std::ptrdiff_t>(count));
            stale_[b] = 0;
        }
        least = std::min(least, least_due_[b]);
    }
    return least;
}

std::vector<int> Fluid::ended(Seconds now) {
    std::vector<int> flows;
    const Seconds until = now + rounding * now;
    next_end();
    for (std::size_t number = 0; number < due_.size(); ++number) {
        if (number % block == 0 && least_due_[number / block] > until) {
            number += block - 1;
            continue;
        }
        if (due_[number] > until) continue;
        Route& way = ways_[number];
        advance(way, now);
        // What is left of a flow that ends now is rounding.
        const double through =
            std::max(way.ends.top().first, way.carried) + way.rate * rounding * now;
        while (!way.ends.empty() && way.ends.top().first <= through) {
            flows.push_back(way.ends.top().second);
            way.ends.pop();
            way.flows -= 1;
            for (const int link : way.links)
                if (--flows_on_[at(link)] == 0) busy_[at(link)] += now - busy_since_[at(link)];
        }
        way.changed = true;
        changed_.push_back(static_cast<int>(number));
        expect(static_cast<int>(number));
    }
    std::sort(flows.begin(), flows.end());
    return flows;
}

}  // namespace eco
