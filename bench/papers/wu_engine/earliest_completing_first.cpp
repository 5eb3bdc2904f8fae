// SPDX-License-Identifier: BSD-3-Clause
#include "eco/multicast/agenda.h"
#include "paper_heuristics.h"

namespace eco::multicast {

namespace {

// Available times only grow, so a completion that was found earlier is never too late: it is found
// again only when it comes to the front of all messages.
class EarliestSearch {
public:
    explicit EarliestSearch(const Times& times) : times_(times), agenda_(times) {
        for (Rank to = 0; to < times.ranks(); ++to) {
            Cost least{never, never};
            for (Rank from = 0; from < times.ranks(); ++from) {
                const Cost& cost = times.pattern().model.transfer(from, to);
                least = {std::min(least.fixed, cost.fixed),
                         std::min(least.per_byte, cost.per_byte)};
            }
            least_transfer_.push_back(least);
        }
        for (int k = 0; k < times.messages(); ++k) {
            fronts_.push_back({{{0, times.source(k)}}, times.message(k).destinations, {}});
            if (!fronts_.back().open.empty()) find_next(fronts_.back(), k);
        }
    }

    Schedule schedule() {
        for (int k = first(); k >= 0; k = first()) {
            Front& front = fronts_[static_cast<std::size_t>(k)];
            const Seconds known = front.next.completion;
            find_next(front, k);
            if (front.next.completion > known) continue;
            const Rank to = front.open[front.next.open];
            const Rank from = front.next.from;
            agenda_.add(from, to, k, agenda_.append_slot(from));
            front.open[front.next.open] = front.open.back();
            front.open.pop_back();
            place(front, {departure(to, k), to});
            if (!front.open.empty()) find_next(front, k);
        }
        return agenda_.finish();
    }

private:
    struct Sender {
        Seconds departure;  // of a message that it would send next; never too late
        Rank rank;
    };
    struct Next {
        std::size_t open = 0;
        Rank from = -1;
        Seconds completion = never;
    };
    struct Front {                    // of one message
        std::vector<Sender> senders;  // by departure
        std::vector<Rank> open;       // who lacks it
        Next next;
    };

    int first() const {
        int best = -1;
        Seconds least = never;
        for (std::size_t k = 0; k < fronts_.size(); ++k)
            if (!fronts_[k].open.empty() && fronts_[k].next.completion < least) {
                least = fronts_[k].next.completion;
                best = static_cast<int>(k);
            }
        return best;
    }

    Seconds departure(Rank from, int k) const {
        return agenda_.available(from) + times_.send(from, k);
    }

    static void place(Front& front, Sender sender) {
        const auto later = [](const Sender& a, const Sender& b) {
            return a.departure < b.departure;
        };
        front.senders.insert(
            std::upper_bound(front.senders.begin(), front.senders.end(), sender, later), sender);
    }

    // O(destinations) where all transfers cost the same, times the senders at worst.
    void find_next(Front& front, int k) const {
        auto& senders = front.senders;
        for (Rank from = senders[0].rank; senders[0].departure < departure(from, k);
             from = senders[0].rank) {
            senders.erase(senders.begin());
            place(front, {departure(from, k), from});
        }
        front.next = {};
        for (std::size_t n = 0; n < front.open.size(); ++n) {
            const Rank to = front.open[n];
            const Seconds free = agenda_.available(to);
            if (free + times_.receive(to, k) >= front.next.completion) continue;
            const auto [arrival, from] = earliest_arrival(front, to, k);
            const Seconds completion = std::max(arrival, free) + times_.receive(to, k);
            if (completion < front.next.completion) front.next = {n, from, completion};
        }
    }

    std::pair<Seconds, Rank> earliest_arrival(const Front& front, Rank to, int k) const {
        const Seconds least = least_transfer_[static_cast<std::size_t>(to)].of(times_.bytes(k));
        std::pair<Seconds, Rank> best{never, -1};
        for (const Sender& sender : front.senders) {
            if (sender.departure + least >= best.first) break;
            const Seconds arrival = departure(sender.rank, k) + times_.transfer(sender.rank, to, k);
            if (arrival < best.first) best = {arrival, sender.rank};
        }
        return best;
    }

    const Times& times_;
    Agenda agenda_;
    std::vector<Front> fronts_;
    std::vector<Cost> least_transfer_;  // to each rank
};

}  // namespace

Schedule earliest_completing_first(const Pattern& pattern) {
    const Times times(pattern);
    return EarliestSearch(times).schedule();
}

}  // namespace eco::multicast
