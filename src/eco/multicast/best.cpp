// SPDX-License-Identifier: BSD-3-Clause
#include "eco/multicast/best.h"

#include <memory>

#include "eco/multicast/pattern_bound.h"
#include "eco/multicast/stage.h"
#include "eco/multicast/work_racing_preemptive.h"

namespace eco::multicast {

namespace {

struct Weights {
    double rest;   // of a receiver's work that nobody has sent yet: more of it is served earlier
    double relay;  // of a receiver's send overhead: who relays fast is served earlier
    Seconds
        target;  // a rank sends ahead of what it could receive while it can still be done by then
};

constexpr std::size_t few_messages = 4;

class Greedy : public Stage {
public:
    Greedy(const Times& times, Weights weights) : Stage(times), weights_(weights) {}

private:
    void act(Rank me, Seconds now) override {
        const Seconds next = next_arrival(me);
        const Seconds spare = weights_.target - (now + lane(me).backlog + lane(me).rest);
        const Seconds room = next <= now ? spare : std::max(spare, next - now);
        const Rank to = receiver(me, now);
        if (to >= 0) {
            const int k = rarest(me, to);
            if (times_.send(me, k) <= room) return send(me, to, k, now);
        }
        if (next <= now)
            receive(me, now);
        else
            wait(me);
    }

    // Whom to serve: who would be done first with all that is under way to it.
    Rank receiver(Rank me, Seconds now) const {
        Rank best = -1;
        Seconds least = 0;
        for (Rank to = 0; to < times_.ranks(); ++to) {
            if (lane(to).missing == 0) continue;
            const int k = MessageSets::first_common(held_, me, wanted_, to);
            if (k < 0) continue;
            const Seconds key = done(me, to, k, now) - weights_.rest * lane(to).rest +
                                weights_.relay * times_.send(to, k);
            if (best >= 0 && key >= least) continue;
            least = key;
            best = to;
        }
        return best;
    }

    // What the fewest have yet, so that others can pass it on.
    int rarest(Rank me, Rank to) const {
        int best = -1;
        MessageSets::each_common(held_, me, wanted_, to, [&](int k) {
            if (best < 0 || holders_[at(k)] < holders_[at(best)]) best = k;
        });
        return best;
    }

    Weights weights_;
};

}  // namespace

Schedule best(const Pattern& pattern) {
    Schedule found = work_racing_preemptive(pattern);
    const Times times(pattern);
    const Seconds least = quick_bound(pattern).least;
    std::unique_ptr<Greedy> winner;
    Seconds completion = found.completion;
    const auto play = [&](Weights weights) {
        if (completion <= 1.002 * least) return;
        auto stage = std::make_unique<Greedy>(times, weights);
        const Seconds end = stage->play();
        if (end >= completion) return;
        completion = end;
        winner = std::move(stage);
    };
    play({0, 0, least});
    play({0.1, 0, least});
    play({0.3, 1, 1.1 * least});
    play({0, 0, 0.97 * completion});
    play({0.1, 0, 0.97 * completion});
    // Of few messages the slow receivers may decide: served first, they work while others relay.
    if (pattern.messages.size() <= few_messages)
        for (const double rest : {1.0, 3.0})
            for (const double relay : {0.0, 1.0}) play({rest, relay, least});
    if (!winner) return found;
    Schedule better = winner->finish();
    return better.completion < found.completion ? better : found;
}

}  // namespace eco::multicast
