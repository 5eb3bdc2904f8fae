// SPDX-License-Identifier: BSD-3-Clause
// Decides, for one class of non-blocking calls (an operation, about one size, one communicator),
// which of a few choices runs each call. An initiating call must not wait for other ranks, so the
// turns follow from the number of the call alone, and the times are taken later, where all ranks
// meet anyway (a blocking call on the communicator, MPI_Finalize). Pure and without a clock: all
// ranks that give the same times get the same answers. Called by job/nonblocking_learning.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "eco/learn/class_learner.h"

namespace eco {

class NonblockingLearner {
public:
    using Start = ClassLearner::Start;
    using Turn = ClassLearner::Turn;

    // As those of ClassLearner.
    NonblockingLearner(std::size_t arms, std::size_t preferred, Start start, std::uint32_t seed,
                       Nanoseconds expected = 0);

    // The next call's. Never waits for take().
    Turn start();

    // Whether the times of the timed calls should be exchanged when all ranks meet next.
    bool exchange_due() const;
    // Whether they say anything that a later job can use, though the job ends.
    bool has_times() const;
    // How many calls were timed since the last exchange.
    std::size_t timed() const { return timed_.size(); }

    // Their times in their order, the same on all ranks; 0: not known. under_way: how many calls
    // of the class at most were under way at once. cost: of one exchange.
    void take(const std::vector<Nanoseconds>& times, int under_way, Nanoseconds cost);

    std::size_t best() const { return best_; }
    bool settled() const { return state_ == State::watching; }
    // What the latest trial found, per arm.
    const std::vector<SampledArm>& arms() const { return results_; }

private:
    enum class State { waiting, trying, watching };

    void wait_or_try(Nanoseconds now);
    void try_all();
    void begin_epoch();
    void end_epoch();
    void settle();
    void watch();
    void check(Nanoseconds now, long runs);
    Nanoseconds mean(std::size_t arm) const;
    Nanoseconds least(std::size_t arm) const;

    State state_ = State::waiting;
    std::size_t preferred_, best_;
    std::uint32_t random_;
    std::vector<std::size_t> alive_;                 // arms still tried
    std::vector<std::vector<Nanoseconds>> samples_;  // per arm, of a block each, in this trial
    std::vector<long> runs_;                         // timed calls per arm, in this trial
    std::vector<SampledArm> results_;
    struct Planned {
        Turn turn;
        int block;
    };
    std::vector<Planned> order_;  // of the epoch at hand, a call each
    std::size_t place_ = 0;       // of the next call in it
    std::vector<Planned> timed_;  // since the last exchange
    bool first_ = true;           // epoch of the trial
    int under_way_ = 1;
    Nanoseconds reference_ = 0;  // what the best took when it was chosen; 0: not known
    Nanoseconds expected_, cost_ = 0;
    long calls_ = 0;    // so far
    long to_time_ = 0;  // calls until times are wanted
    long overdue_ = 0;  // calls since they were wanted
    int patience_ = 1;  // grows with each trial that changed nothing
};

}  // namespace eco
