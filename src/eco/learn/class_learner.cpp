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

// ECO's choice must not run for longer where the library's own is faster.
constexpr long right_within = 50;  // calls

// Arms are tried when the class has taken so many times what the trial's exchanges will: a program
// that soon ends would not get back what they cost.
constexpr Nanoseconds worth_a_trial = 4;
constexpr Nanoseconds exchanges_per_arm = 5;

// Short calls whose ranks run ahead run in longer blocks: eight times as long as an exchange. After
// it the ranks begin together, and the root of a broadcast needs some calls to run ahead as it does
// in the program.
constexpr Nanoseconds block_share = 8;
constexpr int longest_block = 16;
// If the preferred arm then takes longer by more than it does in the program, in percent, and
// longer than another arm, ranks run further ahead there than in a block: blocks are so many times
// as long from then on.
constexpr Nanoseconds further_ahead = 150;
constexpr int longer_blocks = 4;

// Before that, what is unsure is compared with the library in one exchange: so many calls of each,
// after one call of the library's that makes its connections. The library then runs if it is faster
// by this, in percent: what a few calls tell is little, but a trial will follow.
constexpr int early_calls = 4;
constexpr Nanoseconds clearly_slower = 110;

constexpr long least_wait = 4;      // calls
constexpr long calls_per_look = 4;  // one look in so many of the calls so far, at most
constexpr long latest_first_look = 16;
constexpr long soon_again = 2;          // times the calls so far
constexpr Nanoseconds cheap_look = 16;  // times as long as an exchange

// Ranks run ahead if the first one waits longer than this many calls take. Then an exchange costs
// more than its own time: the calls of the block after it take as long as where ranks are together.
// That is about half of an exchange, which goes up and down a tree. And the class must have taken
// so many times more, as a comparison finds less there: calls that overlap differ less.
constexpr Nanoseconds calls_ahead = 4;
constexpr Nanoseconds worth_more = 4;
// Their waiting grows with the calls since the exchange before. So the next look comes after so
// many times as long, unless the calls are enough before.
constexpr Nanoseconds look_share = 100;

// An arm whose least time is above the best one's mean by more is dropped after the second timed
// epoch, in percent.
constexpr Nanoseconds behind = 130;

constexpr int checked_calls = 6;
// What tells nothing is checked after twice as many calls each time, up to so many times.
constexpr int most_doublings = 14;

}  // namespace

ClassLearner::ClassLearner(std::size_t arms, std::size_t preferred, Start start, std::uint32_t seed,
                           Nanoseconds expected, long calls_before, std::size_t library)
    : preferred_(preferred),
      best_(preferred),
      library_(library),
      guards_(start == Start::likely),
      early_due_(start == Start::unsure && library != no_arm && library != preferred),
      random_(seed | 1),
      samples_(arms),
      results_(arms),
      runs_(arms, 0),
      expected_(expected),
      calls_before_(calls_before) {
    ECO_CHECK(preferred < arms && (library < arms || library == no_arm));
    if (start == Start::sure || start == Start::likely || arms == 1) {
        watch();
        if (guards_) to_check_ = std::max<long>(soon - calls_before, checked_calls);
    } else {
        wait_for_trial(std::clamp(calls_before, least_wait, latest_first_look));
    }
}

void ClassLearner::wait_for_trial(long calls) {
    state_ = State::waiting;
    waited_ = calls_ = to_check_ = calls;
    spent_ = 0;
}

void ClassLearner::try_all() {
    std::vector<std::size_t> arms(samples_.size());
    std::iota(arms.begin(), arms.end(), std::size_t{0});
    try_arms(std::move(arms));
}

void ClassLearner::try_arms(std::vector<std::size_t> arms) {
    for (auto& samples : samples_) samples.clear();
    runs_.assign(samples_.size(), 0);
    alive_ = std::move(arms);
    preferred_ = best_;
    state_ = State::trying;
    epoch_ = 0;
    longer_ = 1;
    begin_epoch();
}

bool ClassLearner::exchange_due() const {
    if (state_ == State::trying)
        return place_ == order_.size() || (place_ > 0 && order_[place_].first && !taken_);
    if (state_ == State::early) return place_ == order_.size();
    return to_check_ == 0;
}

ClassLearner::Turn ClassLearner::start() {
    if (state_ != State::trying && state_ != State::early) {
        ECO_CHECK(to_check_ > 0);
        const bool timed = to_check_-- <= checked_calls;
        timed_ += timed ? 1 : 0;
        return {best_, timed};
    }
    taken_ = false;
    timed_ += order_[place_].turn.timed ? 1 : 0;
    return order_[place_++].turn;
}

void ClassLearner::take(const std::vector<Nanoseconds>& times, const Exchange& exchange) {
    ECO_CHECK(exchange_due());
    ECO_CHECK(static_cast<int>(times.size()) == timed_);
    cost_ = exchange.cost;
    if (state_ != State::trying) ahead_ = exchange.ahead;
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
    if (state_ == State::early) return end_early(times, exchange.inside);
    if (state_ == State::waiting) {
        // Calls for which the root is ahead come in bursts: the longest ones count as well.
        const auto sum = std::accumulate(times.begin(), times.end(), Nanoseconds{0});
        return wait_or_try(sum / static_cast<Nanoseconds>(times.size()), exchange.inside);
    }
    auto& samples = samples_[best_];
    samples.clear();
    for (const Nanoseconds time : times)
        if (time > 0) samples.push_back(time);
    const Nanoseconds now = mean(best_);
    if (samples.empty()) {
        ++unknown_;
        return watch();
    }
    unknown_ = 0;
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
    if (same || samples_.size() == 1) {
        guards_ = false;
        return watch();
    }
    // What was known holds no more.
    usual_ = now;
    if (guards_ && library_ != no_arm && library_ != best_) return try_arms({best_, library_});
    try_all();
}

bool ClassLearner::runs_ahead(Nanoseconds usual) const { return ahead_ > calls_ahead * usual; }

int ClassLearner::block_calls(int at_least, Nanoseconds usual) const {
    if (usual <= 0 || !runs_ahead(usual)) return at_least;
    return std::max(at_least, static_cast<int>(std::min<Nanoseconds>(block_share * cost_ / usual,
                                                                     longest_block)));
}

long ClassLearner::trial_calls() const {
    long calls = 0;
    for (const Epoch& epoch : epochs) calls += epoch.rounds * epoch.calls;
    return calls * static_cast<long>(samples_.size());
}

// now: what a call took lately; 0: not known.
void ClassLearner::wait_or_try(Nanoseconds now, Nanoseconds inside) {
    // Where ranks run ahead calls end in bursts, and a few of them tell little: what all took since
    // the exchange before. At the first exchange that is little too, as most calls have not gone on
    // to the last rank; then what the first rank is ahead by, over all calls so far, is a limit.
    const bool ahead = runs_ahead(now);
    if (ahead) now = inside / waited_;
    if (ahead && spent_ == 0) now = std::min(now, ahead_ / (calls_ + calls_before_));
    usual_ = now;
    spent_ += now * waited_;
    Nanoseconds each = cost_, worth = worth_a_trial;
    if (ahead) {
        each +=
            block_calls(epochs[last_epoch].calls, now) * std::max<Nanoseconds>(cost_ / 2 - now, 0);
        worth *= worth_more;
    }
    const Nanoseconds enough =
        worth * exchanges_per_arm * static_cast<Nanoseconds>(samples_.size()) * each;
    const bool worth_it = now > 0 && spent_ >= enough;
    const bool early = early_due_ && now > 0 && !ahead &&
                       !(worth_it && calls_before_ + calls_ + trial_calls() <= right_within);
    if (worth_it && !early) return try_all();
    long left = now > 0 ? static_cast<long>((enough - spent_) / now) + 1 : calls_;
    if (early) {
        // As a trial of one exchange, for which the calls before count too.
        const Nanoseconds missing = worth_a_trial * cost_ - spent_ - now * calls_before_;
        if (missing <= 0) return begin_early();
        left = static_cast<long>(missing / now) + 1;
    }
    left = std::max({left, calls_ / calls_per_look, least_wait});
    // What an exchange takes is known from the one before, which ranks that were far apart in calls
    // of another class may have made longer. So where a look costs little the next one is soon.
    long longest = (ahead ? longest_wait : soon_again) * calls_;
    if (!ahead && now > 0) longest = std::max<long>(longest, cheap_look * cost_ / now);
    if (ahead && now > 0 && calls_ > least_wait)
        longest = std::max<long>(longest, look_share * ahead_ / now);
    waited_ = to_check_ = std::min({left, longest, longest_period});
    calls_ += waited_;
}

void ClassLearner::begin_early() {
    state_ = State::early;
    early_due_ = false;
    order_.assign(1, {{library_, false}, true});
    for (const std::size_t arm : {library_, best_})
        order_.insert(order_.end(), early_calls, {{arm, true}, false});
    place_ = 0;
    waited_ = static_cast<long>(order_.size());
    calls_ += waited_;
}

// Of each arm's calls their mean, as of a block; of the arm that ran also what it took before. If
// one long call alone speaks against the library, something may have disturbed it: once more. So
// few calls decide for this job alone: what is kept of them is not enough for another.
void ClassLearner::end_early(const std::vector<Nanoseconds>& times, Nanoseconds inside) {
    const auto middle = times.begin() + early_calls;
    const Nanoseconds native = std::accumulate(times.begin(), middle, Nanoseconds{0}) / early_calls,
                      own = std::accumulate(middle, times.end(), Nanoseconds{0}) / early_calls;
    const bool again = !early_again_;
    early_again_ = true;
    state_ = State::waiting;
    if (native > 0 && own > 0) {
        results_[library_] = {enough_runs - 1, native};
        results_[best_] = {enough_runs - 1, own};
        usual_ = std::min(usual_, own);
        const Nanoseconds most = usual_ * 100 / clearly_slower;
        if (runs_ahead(usual_) || undisturbed_mean({times.begin(), middle}) >= most)
            return wait_or_try(usual_, inside);
        if (native >= most && again) {
            spent_ += usual_ * waited_;
            return begin_early();
        }
        if (native < most) {
            best_ = library_;
            usual_ = native;
        }
    }
    wait_or_try(usual_, inside);
}

void ClassLearner::begin_epoch() {
    order_.clear();
    place_ = 0;
    Epoch epoch = epochs[epoch_];
    if (epoch_ > 0 && usual_ > 0) epoch.calls = block_calls(epoch.calls, usual_) * longer_;
    for (int round = 0; round < epoch.rounds; ++round) {
        auto arms = alive_;
        shuffle(arms, random_);
        for (const std::size_t arm : arms)
            for (int call = 0; call < epoch.calls; ++call)
                order_.push_back({{arm, epoch_ > 0}, call == 0});
    }
}

void ClassLearner::end_epoch() {
    const Nanoseconds own = mean(preferred_);
    const bool behind_another = std::any_of(alive_.begin(), alive_.end(), [&](std::size_t arm) {
        return mean(arm) > 0 && mean(arm) < own;
    });
    if (epoch_ == 1 && longer_ == 1 && usual_ > 0 && behind_another &&
        own * 100 > usual_ * further_ahead) {
        longer_ = longer_blocks;
        for (auto& samples : samples_) samples.clear();
        runs_.assign(samples_.size(), 0);
        return begin_epoch();
    }
    Nanoseconds best = 0;
    for (const std::size_t arm : alive_) {
        results_[arm] = {mean(arm) > 0 ? runs_[arm] : 0, mean(arm)};
        if (mean(arm) > 0 && (best == 0 || mean(arm) < best)) best = mean(arm);
    }
    const Nanoseconds limit = best * (epoch_ <= 1 ? far_behind : behind);
    if (best > 0) std::erase_if(alive_, [&](std::size_t arm) { return least(arm) * 100 > limit; });
    if (epoch_ == last_epoch || alive_.size() == 1) return settle();
    ++epoch_;
    begin_epoch();
}

void ClassLearner::settle() {
    best_ = best_arm(preferred_, alive_, [this](std::size_t arm) { return mean(arm); });
    reference_ = mean(best_);
    in_trial_ = true;
    // The others are tried once they are worth it.
    const bool others = guards_ && samples_.size() > 2;
    guards_ = false;
    if (others)
        wait_for_trial(latest_first_look);
    else
        watch();
}

void ClassLearner::watch() {
    state_ = State::watching;
    to_check_ = calls_to_check(reference_, cost_ + ahead_);
    if (unknown_ > 0)
        to_check_ = std::max(to_check_, first_check << std::min(unknown_, most_doublings));
    timed_ = 0;
}

bool ClassLearner::check_soon() {
    if (state_ != State::watching) return false;
    to_check_ = std::min<long>(to_check_, checked_calls);
    return true;
}

Nanoseconds ClassLearner::mean(std::size_t arm) const { return undisturbed_mean(samples_[arm]); }

Nanoseconds ClassLearner::least(std::size_t arm) const { return least_time(samples_[arm]); }

}  // namespace eco
