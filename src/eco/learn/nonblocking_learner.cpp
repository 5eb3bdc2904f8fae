// SPDX-License-Identifier: BSD-3-Clause
#include "eco/learn/nonblocking_learner.h"

#include <algorithm>
#include <numeric>

#include "eco/base/check.h"
#include "eco/learn/learning_rules.h"

namespace eco {

namespace {

// An arm runs a block of consecutive calls. The first ones of a block are not timed: calls of the
// block before may still be under way. Nothing keeps the ranks together between blocks, so all
// arms run in several blocks, in another order each time.
struct BlocksOfCalls {
    int rounds;  // of all arms
    int timed;   // calls of a block
};
constexpr BlocksOfCalls first_blocks{1, 4}, other_blocks{3, 6};

// Programs that have more calls under way than this mix the arms of their blocks.
constexpr int most_lead = 32;

// Arms are tried when the class has taken so many times what the trial's exchanges will: a program
// that soon ends would not get back what they cost.
constexpr Nanoseconds worth_trying = 8;
// What the trial's exchanges cost is known to be small; if the ranks do not meet, arms are tried
// after so many calls: then there is one exchange, when the job ends.
constexpr Nanoseconds exchanges_of_trial = 3;
constexpr long calls_without_meeting = 100;

constexpr long timed_in_a_row = 8;  // before a trial, and in a check

// Checks grow rarer with each trial that changed nothing.
constexpr int most_patience = 64;

}  // namespace

NonblockingLearner::NonblockingLearner(std::size_t arms, std::size_t preferred, Start start,
                                       std::uint32_t seed, Nanoseconds expected)
    : preferred_(preferred),
      best_(preferred),
      random_(seed | 1),
      samples_(arms),
      runs_(arms, 0),
      results_(arms),
      expected_(expected) {
    ECO_CHECK(preferred < arms);
    if (start != Start::unsure || arms == 1) {
        watch();
        if (start == Start::likely) to_time_ = soon;
    } else {
        to_time_ = timed_in_a_row;
    }
}

NonblockingLearner::Turn NonblockingLearner::start() {
    ++calls_;
    if (state_ == State::waiting && overdue_ >= calls_without_meeting) {
        try_all();
        first_ = false;  // nobody would learn what the first blocks say
        begin_epoch();
    }
    if (state_ == State::trying) {
        if (place_ == order_.size()) return {best_, false};
        const Planned& next = order_[place_++];
        if (next.turn.timed) timed_.push_back(next);
        return next.turn;
    }
    if (to_time_ == 0) {
        ++overdue_;
        return {best_, false};
    }
    const Turn turn{best_, to_time_-- <= timed_in_a_row};
    if (turn.timed) timed_.push_back({turn, 0});
    return turn;
}

bool NonblockingLearner::exchange_due() const {
    if (state_ == State::trying) return place_ == order_.size();
    return to_time_ == 0;
}

bool NonblockingLearner::has_times() const {
    return !timed_.empty() && exchange_due() &&
           (state_ == State::watching || (state_ == State::trying && !first_));
}

void NonblockingLearner::take(const std::vector<Nanoseconds>& times, int under_way,
                              Nanoseconds cost) {
    ECO_CHECK(times.size() == timed_.size());
    cost_ = cost;
    under_way_ = std::clamp(under_way, under_way_, most_lead);
    const bool trial = state_ == State::trying;
    if (!trial) samples_[best_].clear();
    for (std::size_t i = 0; i < times.size();) {
        // Of a block its mean: a call that found its message there already took no time, and the
        // one before it the more.
        const Planned& block = timed_[i];
        Nanoseconds sum = 0, known = 0;
        for (; i < times.size() && timed_[i].block == block.block; ++i) {
            sum += times[i];
            known += times[i] > 0 ? 1 : 0;
        }
        if (known == 0) continue;
        samples_[block.turn.arm].push_back(sum / known);
        if (trial) runs_[block.turn.arm] += known;
    }
    const auto runs = static_cast<long>(timed_.size());
    timed_.clear();
    if (trial) {
        end_epoch();
    } else if (state_ == State::waiting) {
        wait_or_try(mean(best_));
    } else if (state_ == State::watching) {
        check(mean(best_), runs);
    }
}

// now: what a call took lately; 0: not known.
void NonblockingLearner::wait_or_try(Nanoseconds now) {
    const Nanoseconds enough = worth_trying * exchanges_of_trial * cost_;
    if (now > 0 && now * calls_ >= enough) return try_all();
    const long left = now > 0 ? enough / now + 1 - calls_ : calls_;
    to_time_ =
        std::clamp<long>(left, timed_in_a_row, std::max(longest_wait * calls_, timed_in_a_row));
    overdue_ = 0;
}

void NonblockingLearner::try_all() {
    for (auto& samples : samples_) samples.clear();
    runs_.assign(samples_.size(), 0);
    alive_.resize(samples_.size());
    std::iota(alive_.begin(), alive_.end(), std::size_t{0});
    preferred_ = best_;
    state_ = State::trying;
    timed_.clear();
    first_ = true;
    begin_epoch();
}

void NonblockingLearner::begin_epoch() {
    order_.clear();
    place_ = 0;
    const BlocksOfCalls blocks = first_ ? first_blocks : other_blocks;
    const int calls = under_way_ + std::max(blocks.timed, under_way_);
    int block = 0;
    for (int round = 0; round < blocks.rounds; ++round) {
        auto arms = alive_;
        shuffle(arms, random_);
        for (const std::size_t arm : arms) {
            for (int call = 0; call < calls; ++call)
                order_.push_back({{arm, call >= under_way_}, block});
            ++block;
        }
    }
}

void NonblockingLearner::end_epoch() {
    Nanoseconds best = 0;
    for (const std::size_t arm : alive_)
        if (mean(arm) > 0 && (best == 0 || mean(arm) < best)) best = mean(arm);
    const bool last = !first_;
    std::erase_if(alive_, [&](std::size_t arm) {
        const bool slow = best > 0 && least(arm) * 100 > best * far_behind;
        if (slow || last) results_[arm] = {mean(arm) > 0 ? runs_[arm] : 0, mean(arm)};
        return slow;
    });
    if (last) return settle();
    // Until ranks meet again.
    const bool still = std::find(alive_.begin(), alive_.end(), best_) != alive_.end();
    if (!still)
        best_ = *std::min_element(alive_.begin(), alive_.end(),
                                  [&](std::size_t a, std::size_t b) { return mean(a) < mean(b); });
    first_ = false;
    begin_epoch();
}

void NonblockingLearner::settle() {
    best_ = best_arm(preferred_, alive_, [this](std::size_t arm) { return mean(arm); });
    reference_ = mean(best_);
    watch();
    if (best_ == preferred_) patience_ = std::min(2 * patience_, most_patience);
}

void NonblockingLearner::check(Nanoseconds now, long runs) {
    if (now == 0) return watch();
    bool same = now * 100 <= reference_ * slower;  // quicker calls may have less work beside them
    if (reference_ == 0) {
        reference_ = now;
        results_[best_] = {runs, now};
        // What earlier jobs learned may be of a program with more work.
        same =
            expected_ == 0 || (now * 100 <= expected_ * slower && now * 100 >= expected_ * faster);
    }
    if (same || samples_.size() == 1) return watch();
    try_all();
}

void NonblockingLearner::watch() {
    state_ = State::watching;
    to_time_ = calls_to_check(reference_, cost_);
    to_time_ = std::min(to_time_ * patience_, longest_period);
    overdue_ = 0;
}

Nanoseconds NonblockingLearner::mean(std::size_t arm) const {
    return undisturbed_mean(samples_[arm]);
}

Nanoseconds NonblockingLearner::least(std::size_t arm) const { return least_time(samples_[arm]); }

}  // namespace eco
