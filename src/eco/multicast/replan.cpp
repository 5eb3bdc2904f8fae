#include <algorithm>
#include <limits>
#include <numeric>

#include "eco/base/error.h"
#include "eco/multicast/best.h"
#include "eco/multicast/stage.h"

namespace eco::multicast {

namespace {

std::size_t at(int index) { return static_cast<std::size_t>(index); }

// For each message of `was` its number in `times`, -1 where it is gone.
std::vector<int> match(const Times& times, const Pattern& was) {
    std::vector<std::vector<int>> by_source(at(times.ranks()));  // in the pattern's order
    std::vector<int> sorted(at(times.messages()));
    for (int k = 0; k < times.messages(); ++k) sorted[at(times.original(k))] = k;
    for (const int k : sorted) by_source[at(times.source(k))].push_back(k);
    std::vector<std::size_t> seen(at(times.ranks()));
    std::vector<int> now;
    for (const Message& message : was.messages) {
        const auto& same = by_source[at(message.source)];
        std::size_t& nth = seen[at(message.source)];
        now.push_back(nth < same.size() ? same[nth] : -1);
        ++nth;
    }
    return now;
}

// The latest start of every task that still lets the whole schedule end at `target`, per rank in
// the order of its tasks: what can be put in ahead of one without delay. From the end of each list;
// a send waits until its receive is known.
class LatestStarts {
public:
    LatestStarts(const Pattern& was, const Schedule& before, Seconds target)
        : was_(was),
          before_(before),
          target_(target),
          receive_(was.messages.size() * before.ranks.size(), unknown) {
        for (const auto& tasks : before.ranks) latest_.emplace_back(tasks.size());
        std::vector<std::size_t> left;
        for (const auto& tasks : before.ranks) left.push_back(tasks.size());
        std::vector<Rank> ready(before.ranks.size());
        std::iota(ready.begin(), ready.end(), 0);
        std::vector<bool> blocked(receive_.size());
        while (!ready.empty()) {
            const Rank me = ready.back();
            ready.pop_back();
            for (std::size_t& n = left[at(me)]; n > 0; --n) {
                const Task& task = before.ranks[at(me)][n - 1];
                const std::size_t way =
                    cell(task.message, task.kind == Kind::send ? task.peer : me);
                if (task.kind == Kind::send && receive_[way] == unknown) {
                    blocked[way] = true;
                    break;
                }
                find(me, n - 1, way);
                if (task.kind == Kind::recv && blocked[way]) ready.push_back(task.peer);
            }
        }
    }

    Seconds of(Rank rank, std::size_t position) const { return latest_[at(rank)][position]; }

private:
    static constexpr Seconds unknown = -std::numeric_limits<Seconds>::infinity();

    std::size_t cell(int message, Rank to) const {
        return at(message) * before_.ranks.size() + at(to);
    }

    void find(Rank me, std::size_t position, std::size_t way) {
        const Task& task = before_.ranks[at(me)][position];
        const Bytes bytes = was_.messages[at(task.message)].bytes;
        auto& mine = latest_[at(me)];
        const Seconds by = position + 1 < mine.size() ? mine[position + 1] : target_;
        if (task.kind == Kind::recv) {
            mine[position] = by - was_.model.receive[at(me)].of(bytes);
            receive_[way] = mine[position];
        } else {
            const Seconds there = receive_[way] - was_.model.transfer(me, task.peer).of(bytes);
            mine[position] = std::min(by, there) - was_.model.send[at(me)].of(bytes);
        }
    }

    const Pattern& was_;
    const Schedule& before_;
    Seconds target_;
    std::vector<Seconds> receive_;  // per message and rank
    std::vector<std::vector<Seconds>> latest_;
};

class Replay : public Stage {
public:
    Replay(const Times& times, const Pattern& was, const Schedule& before)
        : Stage(times), open_(times.wanted()), plans_(at(times.ranks())) {
        const std::vector<int> now = match(times, was);
        target_ = target(was, before);
        const LatestStarts latest(was, before, target_);
        for (Rank me = 0; me < times.ranks(); ++me) {
            Plan& plan = plans_[at(me)];
            const auto& tasks = before.ranks[at(me)];
            for (std::size_t n = 0; n < tasks.size(); ++n) {
                const int k = now[at(tasks[n].message)];
                if (k < 0) continue;
                if (tasks[n].kind == Kind::recv) {
                    if (wanted_.holds(me, k)) plan.receives.push_back(latest.of(me, n));
                } else if (wanted_.holds(tasks[n].peer, k) && may_send(me, k)) {
                    const int ahead = static_cast<int>(plan.receives.size());
                    plan.sends.push_back({tasks[n].peer, k, ahead, latest.of(me, n)});
                    open_.erase(tasks[n].peer, k);
                }
            }
        }
        for (Rank to = 0; to < times.ranks(); ++to)
            if (!open_.empty(to)) waiting_.push_back(to);
    }

private:
    struct Send {
        Rank to;
        int k;
        int ahead;  // receives of the plan before it
        Seconds latest;
    };
    struct Plan {
        std::vector<Send> sends;
        std::vector<Seconds> receives;  // the latest start of each
        std::size_t sent = 0;
        std::size_t received = 0;
    };

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

    void act(Rank me, Seconds now) override {
        Plan& plan = plans_[at(me)];
        const Seconds next = next_arrival(me);
        const Send* planned = plan.sent < plan.sends.size() ? &plan.sends[plan.sent] : nullptr;
        if (planned != nullptr && !held_.holds(me, planned->k)) planned = nullptr;
        const bool due = planned != nullptr && planned->ahead <= static_cast<int>(plan.received);
        if (send_open(me, now, due, next)) return;
        if (due ||
            (planned != nullptr && next > now && now + times_.send(me, planned->k) <= next)) {
            ++plan.sent;
            return send(me, planned->to, planned->k, now);
        }
        if (next > now) return wait(me);
        ++plan.received;
        receive(me, now);
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
        const Plan& plan = plans_[at(me)];
        Seconds until = std::numeric_limits<Seconds>::infinity();
        if (plan.sent < plan.sends.size()) until = plan.sends[plan.sent].latest;
        if (plan.received < plan.receives.size())
            until = std::min(until, plan.receives[plan.received]);
        until = std::min(until, target_ - lane(me).backlog - lane(me).rest);
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
        return fed(to, now) < arrival && target_ - arrival - lane(to).rest < until - now;
    }

    Seconds target_ = 0;
    MessageSets open_;  // wanted, and in nobody's plan
    std::vector<Rank> waiting_;
    std::vector<Plan> plans_;
};

}  // namespace

Schedule replan(const Pattern& pattern, const Pattern& was, const Schedule& before) {
    if (pattern.ranks() != was.ranks() ||
        before.ranks.size() != static_cast<std::size_t>(was.ranks()))
        throw Error(Code::bad_input, "the earlier schedule is of " +
                                         std::to_string(before.ranks.size()) +
                                         " ranks, the pattern of " +
                                         std::to_string(pattern.ranks()) + "; plan anew");
    const Times times(pattern);
    Replay replay(times, was, before);
    replay.play();
    return replay.finish();
}

}  // namespace eco::multicast
