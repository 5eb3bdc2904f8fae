// SPDX-License-Identifier: BSD-3-Clause
#include "replan.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>

#include "eco/base/at.h"
#include "eco/base/check.h"
#include "eco/base/error.h"
#include "eco/multicast/lane.h"
#include "eco/multicast/times.h"

namespace eco::multicast {

namespace {

// Where each rank's entries begin in one array of all ranks', and the end.
using Offsets = std::vector<std::size_t>;

// For each message of `was` its number in `times`, -1 where it is gone.
std::vector<int> match(const Times& times, const Pattern& was) {
    Offsets first(at(times.ranks()) + 1);
    for (int k = 0; k < times.messages(); ++k) ++first[at(times.source(k)) + 1];
    std::partial_sum(first.begin(), first.end(), first.begin());
    std::vector<int> sorted(at(times.messages())), by_source(sorted.size());
    for (int k = 0; k < times.messages(); ++k) sorted[at(times.original(k))] = k;
    Offsets next = first;
    for (const int k : sorted) by_source[next[at(times.source(k))]++] = k;
    next = first;
    std::vector<int> now;
    now.reserve(was.messages.size());
    for (const Message& message : was.messages) {
        const std::size_t nth = next[at(message.source)]++;
        now.push_back(nth < first[at(message.source) + 1] ? by_source[nth] : -1);
    }
    return now;
}

Offsets offsets_of(const Schedule& schedule) {
    Offsets first{0};
    first.reserve(schedule.ranks.size() + 1);
    for (const auto& tasks : schedule.ranks) first.push_back(first.back() + tasks.size());
    return first;
}

// The latest start of every task that still lets the whole schedule end at `target`, per rank in
// the order of its tasks: what can be put in ahead of one without delay. From the end of each list;
// a send waits until its receive is known.
class LatestStarts {
public:
    LatestStarts(const Pattern& was, const Schedule& before, const Offsets& first, Seconds target)
        : was_(was),
          before_(before),
          first_(first),
          target_(target),
          receive_(was.messages.size() * before.ranks.size(), unknown),
          latest_(first.back()) {
        Offsets left;
        left.reserve(before.ranks.size());
        for (const auto& tasks : before.ranks) left.push_back(tasks.size());
        std::vector<Rank> ready(before.ranks.size());
        std::iota(ready.begin(), ready.end(), 0);
        while (!ready.empty()) {
            const Rank me = ready.back();
            ready.pop_back();
            for (std::size_t& n = left[at(me)]; n > 0; --n) {
                const TimedTask& task = before.ranks[at(me)][n - 1];
                Seconds& received =
                    receive_[at(task.message) * before.ranks.size() +
                             at(task.direction == Direction::send ? task.peer : me)];
                if (task.direction == Direction::send && received == unknown) {
                    received = awaited;
                    break;
                }
                const bool resumes = task.direction == Direction::recv && received == awaited;
                find(me, n - 1, received);
                if (resumes) ready.push_back(task.peer);
            }
        }
    }

    std::vector<Seconds> row() && { return std::move(latest_); }

private:
    static constexpr Seconds unknown = -never;
    static constexpr Seconds awaited = std::numeric_limits<Seconds>::lowest();  // by its sender

    void find(Rank me, std::size_t position, Seconds& received) {
        const TimedTask& task = before_.ranks[at(me)][position];
        const Bytes bytes = was_.messages[at(task.message)].bytes;
        Seconds* mine = latest_.data() + first_[at(me)] + position;
        const Seconds by = position + 1 < before_.ranks[at(me)].size() ? mine[1] : target_;
        if (task.direction == Direction::recv) {
            received = *mine = by - was_.model.receive[at(me)].of(bytes);
        } else {
            const Seconds there = received - was_.model.transfer(me, task.peer).of(bytes);
            *mine = std::min(by, there) - was_.model.send[at(me)].of(bytes);
        }
    }

    const Pattern& was_;
    const Schedule& before_;
    const Offsets& first_;
    Seconds target_;
    std::vector<Seconds> receive_;  // per message and rank
    std::vector<Seconds> latest_;
};

// When each rank is to act next, and who is first: a tree of winners, the lower rank of equals.
class Wakes {
public:
    explicit Wakes(int ranks) : when_(at(ranks), never) {
        while (leaves_ < ranks) leaves_ *= 2;
        winner_.assign(2 * at(leaves_), -1);
        for (int rank = 0; rank < ranks; ++rank) winner_[at(leaves_ + rank)] = rank;
        for (int node = leaves_ - 1; node > 0; --node) winner_[at(node)] = better(node);
    }

    Rank first() const { return winner_[1]; }
    Seconds when(Rank rank) const { return when_[at(rank)]; }
    // No later than this.
    void wake(Rank rank, Seconds when) {
        if (when_[at(rank)] > when) set(rank, when);
    }
    void set(Rank rank, Seconds when) {
        when_[at(rank)] = when;
        for (int node = (leaves_ + rank) / 2; node > 0; node /= 2) winner_[at(node)] = better(node);
    }

private:
    Rank better(int node) const {
        const Rank a = winner_[2 * at(node)], b = winner_[2 * at(node) + 1];
        return b < 0 || (a >= 0 && when_[at(a)] <= when_[at(b)]) ? a : b;
    }

    int leaves_ = 1;
    std::vector<Seconds> when_;
    std::vector<Rank> winner_;
};

// Plays forward in time as Stage does, from the earlier schedule. All that is per rank and task
// stands in rows that are allocated once, and times come out as they will be: planning takes about
// as long as reading the schedule a few times.
class Replay {
public:
    Replay(const Times& times, const Pattern& was, const Schedule& before)
        : times_(times),
          held_(at(times.ranks()), at(times.messages())),
          wanted_(times.wanted()),
          open_(wanted_),
          lanes_(at(times.ranks())),
          wakes_(times.ranks()) {
        for (int k = 0; k < times.messages(); ++k) {
            held_.insert(times.source(k), k);
            for (const Rank to : times.message(k).destinations) {
                lanes_[at(to)].rest += times.receive(to, k);
                ++lanes_[at(to)].receives;
            }
        }
        for (Lane& lane : lanes_) {
            lane.inbox = lane.inbox_end = left_;
            left_ += lane.receives;
        }
        inbox_.resize(left_);
        read(was, before);
        schedule_.ranks.resize(lanes_.size());
        for (std::size_t rank = 0; rank < lanes_.size(); ++rank) {
            const Lane& lane = lanes_[rank];
            schedule_.ranks[rank].reserve(lane.receives + lane.send_end - lane.send +
                                          waiting_.size());
        }
    }

    Schedule play() {
        for (int k = 0; k < times_.messages(); ++k) wakes_.wake(times_.source(k), 0);
        while (left_ > 0) {
            const Rank me = wakes_.first();
            const Seconds now = wakes_.when(me);
            ECO_CHECK(now < never);
            wakes_.set(me, never);
            if (lane(me).free > now)
                wakes_.wake(me, lane(me).free);
            else
                act(me, now);
        }
        return std::move(schedule_);
    }

private:
    struct Lane : multicast::Lane {
        std::size_t inbox = 0, inbox_end = 0;  // of inbox_; a heap
        std::size_t send = 0, send_end = 0;    // what is left of its plan
        std::size_t receive = 0, receive_end = 0;
        std::size_t receives = 0;  // in all
        int received = 0;
    };
    struct Send {
        Rank to;
        int k;
        int ahead;         // receives of the plan before it
        std::size_t task;  // of all of the earlier schedule
    };

    Lane& lane(Rank rank) { return lanes_[at(rank)]; }
    const Lane& lane(Rank rank) const { return lanes_[at(rank)]; }

    // What of the earlier schedule can be done again, and what is new.
    void read(const Pattern& was, const Schedule& before) {
        const std::vector<int> now = match(times_, was);
        const Offsets first = offsets_of(before);
        sends_.reserve(left_);
        receives_.reserve(left_);
        for (Rank me = 0; me < times_.ranks(); ++me) {
            Lane& mine = lane(me);
            mine.send = sends_.size();
            mine.receive = receives_.size();
            std::size_t place = first[at(me)];
            for (const TimedTask& task : before.ranks[at(me)]) {
                const int k = now[at(task.message)];
                if (k >= 0 && task.direction == Direction::recv && wanted_.holds(me, k))
                    receives_.push_back(place);
                if (k >= 0 && task.direction == Direction::send && wanted_.holds(task.peer, k) &&
                    may_send(me, k)) {
                    const int ahead = static_cast<int>(receives_.size() - mine.receive);
                    sends_.push_back({task.peer, k, ahead, place});
                    open_.erase(task.peer, k);
                }
                ++place;
            }
            mine.send_end = sends_.size();
            mine.receive_end = receives_.size();
        }
        for (Rank to = 0; to < times_.ranks(); ++to)
            if (!open_.empty(to)) waiting_.push_back(to);
        if (waiting_.empty()) return;
        target_ = target(was, before);
        latest_ = LatestStarts(was, before, first, target_).row();
    }

    bool may_send(Rank me, int k) const { return times_.source(k) == me || wanted_.holds(me, k); }

    // When every rank can be done that did all of the earlier schedule and now has more to receive.
    Seconds target(const Pattern& was, const Schedule& before) const {
        std::vector<Seconds> done(at(times_.ranks()));
        for (Rank i = 0; i < times_.ranks(); ++i) {
            const auto& tasks = before.ranks[at(i)];
            done[at(i)] = lane(i).rest + (tasks.empty() ? 0 : tasks.back().end);
        }
        for (const Message& message : was.messages)
            for (const Rank to : message.destinations)
                done[at(to)] -= was.model.receive[at(to)].of(message.bytes);
        return std::max(before.completion, *std::max_element(done.begin(), done.end()));
    }

    void act(Rank me, Seconds now) {
        Lane& mine = lane(me);
        const Seconds next = mine.inbox < mine.inbox_end ? inbox_[mine.inbox].arrival : never;
        const Send* planned = mine.send < mine.send_end ? &sends_[mine.send] : nullptr;
        if (planned != nullptr && !held_.holds(me, planned->k)) planned = nullptr;
        const bool due = planned != nullptr && planned->ahead <= mine.received;
        if (!waiting_.empty() && send_open(me, now, due, next)) return;
        if (due ||
            (planned != nullptr && next > now && now + times_.send(me, planned->k) <= next)) {
            ++mine.send;
            return send(me, planned->to, planned->k, now);
        }
        if (next <= now) return receive(me);
        if (next < never) wakes_.wake(me, next);
    }

    // It starts when the task before it ends, even where that was decided later.
    void send(Rank me, Rank to, int k, Seconds now) {
        ECO_CHECK(held_.holds(me, k));
        Lane& mine = lane(me);
        const Seconds end = mine.free + times_.send(me, k);
        schedule_.ranks[at(me)].push_back(
            {Direction::send, to, times_.original(k), mine.free, end});
        mine.free = end;
        wanted_.erase(to, k);
        const Seconds arrival = end + times_.transfer(me, to, k), takes = times_.receive(to, k);
        Lane& there = lane(to);
        there.sent(arrival, takes);
        inbox_[there.inbox_end++] = {arrival, k, me};
        std::push_heap(inbox(there.inbox), inbox(there.inbox_end), std::greater<>());
        wakes_.wake(to, std::max({arrival, there.free, now}));
        wakes_.wake(me, std::max(end, now));
    }

    // The first of the inbox, which must be there.
    void receive(Rank me) {
        Lane& mine = lane(me);
        const UnderWay got = inbox_[mine.inbox];
        std::pop_heap(inbox(mine.inbox), inbox(mine.inbox_end), std::greater<>());
        --mine.inbox_end;
        const Seconds takes = times_.receive(me, got.k);
        const Seconds end = std::max(mine.free, got.arrival) + takes;
        schedule_.ranks[at(me)].push_back(
            {Direction::recv, got.from, times_.original(got.k), mine.free, end});
        ++mine.received;
        if (mine.receive < mine.receive_end) ++mine.receive;
        mine.free = end;
        mine.backlog -= takes;
        held_.insert(me, got.k);
        schedule_.completion = std::max(schedule_.completion, end);
        --left_;
        wakes_.wake(me, end);
    }

    std::vector<UnderWay>::iterator inbox(std::size_t place) {
        return inbox_.begin() + static_cast<std::ptrdiff_t>(place);
    }

    // When `to` would be done with all that is under way to it and with k, if me sends it now.
    Seconds done(Rank me, Rank to, int k, Seconds now) const {
        const Seconds arrival = now + times_.send(me, k) + times_.transfer(me, to, k);
        return std::max(lane(to).fed_at(now), arrival) + times_.receive(to, k);
    }

    // Something new, if the rest of the plan can wait or the rank is idle for as long.
    bool send_open(Rank me, Seconds now, bool due, Seconds next) {
        Rank best = -1;
        int best_k = -1;
        Seconds least = 0;
        for (const Rank to : waiting_) {
            const int k = MessageSets::first_common(held_, me, open_, to);
            if (k < 0) continue;
            const Seconds key = done(me, to, k, now);
            if (best >= 0 && key >= least) continue;
            least = key;
            best = to;
            best_k = k;
        }
        if (best < 0) return false;
        const Lane& mine = lane(me);
        Seconds until = target_ - mine.backlog - mine.rest;
        if (mine.send < mine.send_end) until = std::min(until, latest_[sends_[mine.send].task]);
        if (mine.receive < mine.receive_end)
            until = std::min(until, latest_[receives_[mine.receive]]);
        if (!due) until = std::max(until, next);
        if (now + times_.send(me, best_k) > until && !urgent(me, best, best_k, now, until))
            return false;
        open_.erase(best, best_k);
        if (open_.empty(best)) std::erase(waiting_, best);
        send(me, best, best_k, now);
        return true;
    }

    // Who would wait for it, with less time to lose than what it would delay.
    bool urgent(Rank me, Rank to, int k, Seconds now, Seconds until) const {
        const Seconds arrival = now + times_.send(me, k) + times_.transfer(me, to, k);
        return lane(to).fed_at(now) < arrival && target_ - arrival - lane(to).rest < until - now;
    }

    const Times& times_;
    MessageSets held_;
    MessageSets wanted_;  // and not on the way yet
    MessageSets open_;    // wanted, and in nobody's plan
    std::vector<Rank> waiting_;
    std::vector<Lane> lanes_;
    Wakes wakes_;
    std::vector<Send> sends_;      // of the plan, rank by rank
    Offsets receives_;             // the same: each one's place among all tasks before
    std::vector<Seconds> latest_;  // starts of all tasks before, if something is open
    std::vector<UnderWay> inbox_;
    Schedule schedule_;
    std::size_t left_ = 0;  // deliveries
    Seconds target_ = 0;
};

}  // namespace

Schedule replan(const Pattern& pattern, const Pattern& was, const Schedule& before) {
    if (pattern.ranks() != was.ranks() ||
        before.ranks.size() != static_cast<std::size_t>(was.ranks()))
        throw Error(Code::bad_input, "the earlier schedule is of " +
                                         std::to_string(before.ranks.size()) +
                                         " ranks, the multicast problem of " +
                                         std::to_string(pattern.ranks()) + "; plan again");
    const Times times(pattern);
    return Replay(times, was, before).play();
}

}  // namespace eco::multicast
