// SPDX-License-Identifier: BSD-3-Clause
// Decides, for one class of calls (an operation, about one size, one communicator), which of a few
// choices runs each call, from the times that earlier calls took: when the class has taken enough
// time, each in turn, then the best alone, checked now and then. Pure and without a clock: all
// ranks that give the same times get the same answers. Called by job/learning.h.
//
// The times are integers, so that machines that round differently still decide alike.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "eco/base/units.h"

namespace eco {

inline constexpr std::size_t no_arm = static_cast<std::size_t>(-1);

// So many timed runs of a choice tell what it takes.
inline constexpr long enough_runs = 4;

// What one choice of a class took.
struct SampledArm {
    long runs = 0;         // timed ones
    Nanoseconds mean = 0;  // without the longest quarter, which something else may have disturbed
};

// What the ranks find out besides the times of calls when they exchange them, the same on all.
struct Exchange {
    Nanoseconds cost = 0;  // of one, from the last rank's entry on
    // By how much more than a call the first rank had left the last call before the last one did:
    // so long it waits in the exchange for those behind it.
    Nanoseconds ahead = 0;
    // In all calls since the exchange before, the longest of all ranks. Known until the class is
    // settled.
    Nanoseconds inside = 0;
};

class ClassLearner {
public:
    enum class Start {
        unsure,  // the preferred one runs, and all are tried once the trial is worth its cost;
                 // long before that, it is compared with the library's own in a few calls
        likely,  // the preferred one runs, and is checked soon; then as sure. If it takes too long
                 // it is compared with the library's own before all are
        sure,    // the preferred one runs; checked now and then
    };

    // arms: how many choices; preferred: the one that the profile takes, which a tie goes to. seed:
    // the same on all ranks. expected: what the preferred one should take at most, if it is sure;
    // 0: not known. calls_before: of the class, of which nothing is known. library: the arm with
    // which the preferred one is compared before all are; no_arm: none.
    ClassLearner(std::size_t arms, std::size_t preferred, Start start, std::uint32_t seed,
                 Nanoseconds expected = 0, long calls_before = 0, std::size_t library = no_arm);

    // Whether the next call must wait for an exchange: then call take() before start().
    bool exchange_due() const;

    struct Turn {
        std::size_t arm;
        bool timed;  // the caller keeps its time until the next exchange
    };
    // The next call's. Not while an exchange is due.
    Turn start();

    // The times of the calls that were timed since the last exchange, in their order, the same on
    // all ranks; 0: not known. Checks cost at most a thousandth, with the waiting in them.
    void take(const std::vector<Nanoseconds>& times, const Exchange& exchange);

    // Something says that what is known holds no more: it is checked with the next calls. At the
    // same call on all ranks. False where it is not yet known what is best.
    bool check_soon();

    std::size_t best() const { return best_; }
    // Only checks are timed.
    bool settled() const { return state_ == State::watching; }
    // What the latest trial found, per arm.
    const std::vector<SampledArm>& arms() const { return results_; }

private:
    enum class State { waiting, early, trying, watching };

    void wait_or_try(Nanoseconds now, Nanoseconds inside);
    void begin_early();
    void end_early(const std::vector<Nanoseconds>& times, Nanoseconds inside);
    bool runs_ahead(Nanoseconds usual) const;
    int block_calls(int at_least, Nanoseconds usual) const;
    long trial_calls() const;
    void wait_for_trial(long calls);
    void try_arms(std::vector<std::size_t> arms);
    void try_all();
    void begin_epoch();
    void end_epoch();
    void settle();
    void watch();
    Nanoseconds mean(std::size_t arm) const;
    Nanoseconds least(std::size_t arm) const;

    State state_ = State::trying;
    std::size_t preferred_, best_;
    std::size_t library_;
    bool guards_;     // until what was likely was found to hold, or is compared with the library
    bool early_due_;  // until what is unsure was compared with the library
    bool early_again_ = false;
    std::uint32_t random_;
    std::vector<std::vector<Nanoseconds>> samples_;  // per arm, in this trial
    std::vector<std::size_t> alive_;                 // arms still tried
    std::vector<SampledArm> results_;
    struct Planned {
        Turn turn;
        bool first;  // of its block
    };
    std::vector<long> runs_;      // timed calls per arm, in this trial
    std::vector<Planned> order_;  // of the epoch at hand, a call each
    std::size_t place_ = 0;       // of the next call in it
    bool taken_ = false;          // the exchange before the next block
    int epoch_ = 0, longer_ = 1;  // times the usual blocks
    Nanoseconds reference_ = 0;   // what the best took when it was chosen; 0: not known
    Nanoseconds expected_, cost_ = 0;
    Nanoseconds ahead_ = 0;  // of Exchange, outside of trials
    bool in_trial_ = false;  // the reference is of calls between exchanges
    Nanoseconds usual_ = 0;  // what a call took before the trial; 0: not known
    Nanoseconds spent_ = 0;  // by all calls before the trial
    long calls_before_;
    long calls_ = 0, waited_ = 0;  // before the trial, and since the last exchange
    long to_check_ = 0;            // calls
    int timed_ = 0;                // since the last exchange
    int unknown_ = 0;              // checks in a row that told nothing
};

}  // namespace eco
