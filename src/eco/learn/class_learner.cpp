// SPDX-License-Identifier: BSD-3-Clause
#include "eco/learn/class_learner.h"

#include <algorithm>
#include <numeric>

#include "eco/base/check.h"
#include "eco/learn/learning_rules.h"

namespace eco {

namespace {

// An arm runs a block of consecutive calls, and an exchange, which makes all ranks wait for each
// other, stands between blocks: in collectives that do not, such as a broadcast, a call goes on
// while some ranks are several calls ahead, and one arm's work would be counted as the other's. The
// first round makes plans and connections, and is not timed.
struct Epoch {
    int rounds;  // of all arms
    int calls;   // of an arm, consecutive, at least
};
constexpr Epoch epochs[] = {{1, 1}, {1, 3}, {1, 4}, {2, 3}};
constexpr int last_epoch = 3;

constexpr Nanoseconds exchanges_per_arm = 5;

// Short calls run in longer blocks: eight times as long as an exchange. After it the ranks begin
// together, and the root of a broadcast needs some calls to run ahead as it does in the program.
constexpr Nanoseconds block_share = 8;
constexpr int longest_block = 16;
// If the preferred arm then takes longer by more than it does in the program, in percent, and
// longer than another arm, ranks run further ahead there than in a block: blocks are so many times
// as long from then on.
constexpr Nanoseconds runs_ahead = 150;
constexpr int longer_blocks = 4;

constexpr long first_wait = 4;  // calls

// What is only observed: so many calls.
constexpr Epoch observed{1, 13};

// An arm whose least time is above the best one's mean by more is dropped after the second timed
// epoch, in percent.
constexpr Nanoseconds behind = 130;

constexpr int checked_calls = 6;

}  // namespace

ClassLearner::ClassLearner(std::size_t arms, std::size_t preferred, Start start, std::uint32_t seed,
                           Nanoseconds expected)
    : preferred_(preferred),
      best_(preferred),
      observes_(start == Start::observe),
      random_(seed | 1),
      samples_(arms),
      results_(arms),
      runs_(arms, 0),
      expected_(expected) {
    ECO_CHECK(preferred < arms);
    if (observes_) {
        alive_ = {preferred};
        begin_epoch();
    } else if (start == Start::sure || start == Start::likely || arms == 1) {
        watch();
        if (start == Start::likely) to_check_ = soon;
    } else {
        state_ = State::waiting;
        waited_ = calls_ = to_check_ = first_wait;
    }
}

void ClassLearner::try_all() {
    for (auto& samples : samples_) samples.clear();
    runs_.assign(samples_.size(), 0);
    alive_.resize(samples_.size());
    std::iota(alive_.begin(), alive_.end(), std::size_t{0});
    preferred_ = best_;
    state_ = State::trying;
    epoch_ = 0;
    longer_ = 1;
    begin_epoch();
}

bool ClassLearner::exchange_due() const {
    if (state_ == State::trying)
        return place_ == order_.size() || (place_ > 0 && order_[place_].first && !taken_);
    return state_ != State::done && to_check_ == 0;
}

ClassLearner::Turn ClassLearner::start() {
    if (state_ == State::done) return {best_, false};
    if (state_ != State::trying) {
        ECO_CHECK(to_check_ > 0);
        const bool timed = to_check_-- <= checked_calls;
        timed_ += timed ? 1 : 0;
        return {best_, timed};
    }
    taken_ = false;
    timed_ += order_[place_].turn.timed ? 1 : 0;
    return order_[place_++].turn;
}

void ClassLearner::take(const std::vector<Nanoseconds>& times, Nanoseconds cost) {
    ECO_CHECK(exchange_due());
    ECO_CHECK(static_cast<int>(times.size()) == timed_);
    cost_ = cost;
    timed_ = 0;
    if (state_ == State::trying) {
        // Of a block its mean: a call that found its message there already took no time, and the
        // one before it the more.
        const auto sum = std::accumulate(times.begin(), times.end(), Nanoseconds{0});
        if (sum > 0)
            samples_[order_[place_ - 1].turn.arm].push_back(sum /
                                                            static_cast<Nanoseconds>(times.size()));
        runs_[order_[place_ - 1].turn.arm] += static_cast<long>(times.size());
        taken_ = true;
        if (place_ == order_.size()) end_epoch();
        return;
    }
    if (state_ == State::waiting) {
        // Calls for which the root is ahead come in bursts: the longest ones count as well.
        const auto sum = std::accumulate(times.begin(), times.end(), Nanoseconds{0});
        return wait_or_try(sum / static_cast<Nanoseconds>(times.size()));
    }
    auto& samples = samples_[best_];
    samples.clear();
    for (const Nanoseconds time : times)
        if (time > 0) samples.push_back(time);
    const Nanoseconds now = mean(best_);
    if (samples.empty()) return watch();
    bool same = now * 100 <= reference_ * slower && now * 100 >= reference_ * faster;
    if (reference_ == 0) {
        reference_ = now;
        results_[best_] = {static_cast<long>(samples.size()), now};
        same = expected_ == 0 || now * 100 <= expected_ * slower;
    } else if (in_trial_) {
        // Between exchanges calls may take less than those of a trial did.
        same = now * 100 <= reference_ * slower;
        reference_ = std::min(reference_, now);
    }
    in_trial_ = false;
    if (same || samples_.size() == 1) return watch();
    // What was known holds no more.
    usual_ = now;
    try_all();
}

// now: what a call took lately; 0: not known.
void ClassLearner::wait_or_try(Nanoseconds now) {
    usual_ = now;
    spent_ += now * waited_;
    const Nanoseconds enough =
        worth_trying * exchanges_per_arm * static_cast<Nanoseconds>(samples_.size()) * cost_;
    if (now > 0 && spent_ >= enough) return try_all();
    const long left = now > 0 ? static_cast<long>((enough - spent_) / now) + 1 : calls_;
    waited_ = to_check_ = std::clamp<long>(left, first_wait, longest_wait * calls_);
    calls_ += waited_;
}

void ClassLearner::begin_epoch() {
    order_.clear();
    place_ = 0;
    Epoch epoch = observes_ ? observed : epochs[epoch_];
    if (!observes_ && epoch_ > 0 && usual_ > 0)
        epoch.calls = std::max(epoch.calls, static_cast<int>(std::min<Nanoseconds>(
                                                block_share * cost_ / usual_, longest_block))) *
                      longer_;
    for (int round = 0; round < epoch.rounds; ++round) {
        auto arms = alive_;
        shuffle(arms, random_);
        for (const std::size_t arm : arms)
            for (int call = 0; call < epoch.calls; ++call)
                order_.push_back({{arm, observes_ ? call > 0 : epoch_ > 0}, call == 0});
    }
}

void ClassLearner::end_epoch() {
    const Nanoseconds own = mean(preferred_);
    const bool behind_another = std::any_of(alive_.begin(), alive_.end(), [&](std::size_t arm) {
        return mean(arm) > 0 && mean(arm) < own;
    });
    if (epoch_ == 1 && longer_ == 1 && usual_ > 0 && behind_another &&
        own * 100 > usual_ * runs_ahead) {
        longer_ = longer_blocks;
        for (auto& samples : samples_) samples.clear();
        return begin_epoch();
    }
    Nanoseconds best = 0;
    for (const std::size_t arm : alive_) {
        results_[arm] = {mean(arm) > 0 ? runs_[arm] : 0, mean(arm)};
        if (mean(arm) > 0 && (best == 0 || mean(arm) < best)) best = mean(arm);
    }
    const Nanoseconds limit = best * (epoch_ <= 1 ? far_behind : behind);
    if (best > 0) std::erase_if(alive_, [&](std::size_t arm) { return least(arm) * 100 > limit; });
    if (observes_ || epoch_ == last_epoch || alive_.size() == 1) return settle();
    ++epoch_;
    begin_epoch();
}

void ClassLearner::settle() {
    best_ = best_arm(preferred_, alive_, [this](std::size_t arm) { return mean(arm); });
    reference_ = mean(best_);
    in_trial_ = true;
    if (observes_)
        state_ = State::done;
    else
        watch();
}

void ClassLearner::watch() {
    state_ = State::watching;
    to_check_ = calls_to_check(reference_, cost_);
    timed_ = 0;
}

Nanoseconds ClassLearner::mean(std::size_t arm) const { return undisturbed_mean(samples_[arm]); }

Nanoseconds ClassLearner::least(std::size_t arm) const { return least_time(samples_[arm]); }

}  // namespace eco
