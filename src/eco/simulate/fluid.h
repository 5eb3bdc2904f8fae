// SPDX-License-Identifier: BSD-3-Clause
// Flows that share links: the rate of each, and when it ends. Rates are max-min fair: all grow
// alike until a link on their route is full or their own cap is reached. Exact in virtual time, no
// matter how long a flow is. Used by the simulator.
#pragma once

#include <cstdint>
#include <map>
#include <queue>
#include <utility>
#include <vector>

#include "eco/base/units.h"

namespace eco {

class Fluid {
public:
    // rates: bytes per second of each link; bursts: bytes that each lets pass at once after a rest,
    // as a token bucket does.
    explicit Fluid(const std::vector<double>& rates, const std::vector<double>& bursts = {});

    // A way that flows take: links, each once, and the most one flow carries (infinite: no cap).
    int add_way(const std::vector<int>& links, double cap);

    // `flow` is the caller's number for it; bytes > 0. Counts from `now`, as soon as settle() runs.
    void start(int flow, int way, double bytes, Seconds now);

    // What a link would let pass at once; takes that much out of its bucket, which what its flows
    // leave of its rate fills again.
    double tokens(int link, Seconds now);
    void take(int link, double bytes, Seconds now);

    // Gives all flows their rates again, after starts and ends at `now`.
    void settle(Seconds now);

    // When the next flow is through; infinite if none moves. Needs settle() after any change.
    Seconds next_end();

    // The flows that are through by `now`, in the order of their numbers; takes them out.
    std::vector<int> ended(Seconds now);

    // Bytes per second of each flow of a way, since settle().
    double rate(int way) const { return ways_[static_cast<std::size_t>(way)].rate; }

    // How often a way's rate was worked out: what all of this costs.
    std::int64_t effort() const { return effort_; }

    // Seconds in which each link carried something.
    const std::vector<Seconds>& busy() const { return busy_; }

private:
    struct Route {
        std::vector<int> links;
        double cap = 0;
        int flows = 0;
        double rate = 0;     // of each of its flows
        double carried = 0;  // by each since the first of them started, up to `since`
        Seconds since = 0;
        // Ends as values of `carried`; flow.
        using End = std::pair<double, int>;
        std::priority_queue<End, std::vector<End>, std::greater<>> ends;
        bool listed = false;   // on its links
        bool changed = false;  // its flows, since settle()
        bool reached = false;  // while settling
        double fresh = 0;      // its new rate; negative: not known yet
        int limit = -1;        // the link that gave it that; -1: its cap
    };

    void advance(Route& way, Seconds now);
    void expect(int way);
    void reach(int way);
    void open(int link);
    void share_out();
    bool widen();
    bool is_full(double used, int link) const;

    struct Bucket {
        double size = 0, tokens = 0;
        Seconds since = 0;
    };
    void fill(int link, Seconds now);

    std::vector<double> rates_;
    std::vector<Bucket> buckets_;  // per link
    std::vector<Route> ways_;
    std::vector<std::vector<int>> ways_of_;  // per link, those that have flows, and some that had
    std::vector<int> flows_on_;              // per link
    std::vector<double> used_;               // per link, by the rates that hold
    std::vector<Seconds> busy_, busy_since_;
    std::int64_t effort_ = 0;
    std::vector<int> changed_;  // ways whose flows changed since settle()

    // While settling: links that are shared out again, and all ways on them; the other links of
    // these ways have what the remaining ways leave them.
    std::vector<int> open_links_, touched_links_, open_ways_;
    std::vector<char> is_open_, is_touched_;
    std::vector<double> left_;      // per link
    std::vector<int> without_;      // per link, open flows without a rate yet
    std::vector<double> new_used_;  // per link

    // When the next flow of each way is through, and the least of these per block of ways.
    std::vector<Seconds> due_, least_due_;
    std::vector<char> stale_;  // blocks
};

}  // namespace eco
