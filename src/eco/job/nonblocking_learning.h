// SPDX-License-Identifier: BSD-3-Clause
// Learning from non-blocking calls while a program runs, for one communicator: times some of the
// calls of each class from initiation to completion, and says which choice runs the next call
// (learn/nonblocking_learner.h). Initiating calls are local; times are exchanged in blocking calls
// on the communicator, and when the session ends. Owned by Communicator.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <tuple>
#include <vector>

#include "eco/learn/nonblocking_learner.h"
#include "eco/learn/rivals.h"
#include "eco/mpi/clocks.h"

namespace eco {

class Communicator;

// One call, which may be over in another thread.
struct TimedCall {
    Seconds entered = 0;           // own clock
    std::atomic<Seconds> left{0};  // 0: under way, or failed

    void ended() { left = Clocks::own(); }
};

// A class of calls: an operation at about one size.
class NonblockingLesson {
public:
    NonblockingLesson(const LearnedClass& named, Rivals rivals);
    // Of choices that have no more than names.
    NonblockingLesson(const LearnedClass& named, std::vector<std::string> names,
                      const Beginning& beginning);

    // The next call's arm; timed: what is to be told when the call is over, or null. Local.
    std::size_t begin(std::shared_ptr<TimedCall>* timed);

    const NonblockingLearner& learner() const { return learner_; }
    // Of an arm, for a message of `least` bytes of the class.
    Choice choice(std::size_t arm, const Request& request, Bytes least) const;

    // What this job found out, with the runs of each choice.
    LearnedClass result() const;

private:
    friend class NonblockingLearning;
    LearnedClass named_;
    std::vector<std::string> names_;  // one per arm
    std::vector<Choice> choices_;     // the same for the class's least size; empty of names alone
    NonblockingLearner learner_;
    std::vector<std::shared_ptr<TimedCall>> calls_;  // since the last exchange
    int under_way_ = 1;                              // of those at most, at once
};

class NonblockingLearning {
public:
    explicit NonblockingLearning(Communicator& communicator) : communicator_(communicator) {}

    // The class of such calls, made at the first one that is worth learning; null: not worth it.
    // make: finds its rivals. plan: the number of its plan, if it has one. All ranks ask alike.
    // Local.
    template <typename Make>
    NonblockingLesson* lesson(const Request& request, Bytes bytes, bool may_vary, Make make,
                              std::uint64_t plan = 0) {
        const auto [entry, fresh] = lessons_.try_emplace(
            {request.operation, bytes, request.commutative, may_vary, plan}, nullptr);
        if (fresh) entry->second = make();
        return entry->second.get();
    }

    // In a blocking call, all ranks: exchanges the samples that are due. Throws MpiError.
    void exchange_samples();

    // The same when the session ends, so that communicators may come in any order: starts the
    // exchange of all that a later job can use. All ranks alike, and then end_last().
    bool has_times() const;
    void begin_last();
    void end_last();

    // What was learned here, for the whole job.
    void collect(std::vector<LearnedClass>& all) const;

private:
    using Lessons = std::vector<NonblockingLesson*>;
    static std::vector<double> figures(const Lessons& lessons, Seconds cost);
    static void take(const Lessons& lessons, const std::vector<double>& greatest);

    Communicator& communicator_;
    Seconds cost_ = 0;  // of one exchange, once known
    // By operation, least size, whether its operator commutes, whether its bits may change, and
    // plan.
    std::map<std::tuple<Operation, Bytes, bool, bool, std::uint64_t>,
             std::unique_ptr<NonblockingLesson>>
        lessons_;
    struct Last {
        Lessons lessons;
        std::vector<double> own, all;
        MPI_Request request;
    };
    std::unique_ptr<Last> last_;
};

}  // namespace eco
