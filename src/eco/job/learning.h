// SPDX-License-Identifier: BSD-3-Clause
// Learning while a program runs, for one communicator: times some of the calls of each class, lets
// all ranks agree on the times, and says which choice runs the next call (learn/). Collective if it
// exchanges times, at calls that all ranks know; otherwise local. Owned by Communicator.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "eco/learn/rivals.h"
#include "eco/mpi/clocks.h"

namespace eco {

class Communicator;

// The least size of the class that a message of so many bytes is learned in; -1 for -1.
Bytes learned_class(Bytes bytes);

// A choice for the class's least size, for a message of `least` bytes of it.
Choice choice_in_class(const Choice& choice, Bytes class_least, Bytes least,
                       const Request& request);

// A class is worth learning from so many calls on. makes_hidden: whether learning makes the hidden
// communicator.
int calls_before_learning(Bytes bytes, bool makes_hidden);

std::vector<std::string> written(const std::vector<Choice>& choices);

// What a job found out of a class: of each of its choices, as written, what the arm of the same
// place says.
LearnedClass with_arms(LearnedClass named, const std::vector<std::string>& choices,
                       const std::vector<SampledArm>& arms, std::size_t best);

// Adds those of which anything was timed; communicators that come and go learn the same classes
// again and again.
void add_learned(std::vector<LearnedClass> found, std::vector<LearnedClass>& all);

// For the report: how long an exchange of times took this rank.
void note_exchange(bool settled, Seconds took);

// A class of calls: an operation at about one size.
class Lesson {
public:
    Lesson(const LearnedClass& named, Rivals rivals, long calls_before);
    // Of choices that have no more than names.
    Lesson(const LearnedClass& named, std::vector<std::string> names, const Beginning& beginning,
           long calls_before);

    // A call is over; its end is kept if it counts.
    void ended() {
        const Seconds now = Clocks::own();
        inside_ += now - began_;
        if (keeps_) left_.push_back(now);
    }

    const ClassLearner& learner() const { return learner_; }
    // Of an arm, for a message of `least` bytes of the class.
    Choice choice(std::size_t arm, const Request& request, Bytes least) const {
        return choice_in_class(choices_[arm], named_.bytes, least, request);
    }

    // What this job found out, with the runs of each choice.
    LearnedClass result() const;

private:
    friend class Learning;
    LearnedClass named_;
    std::vector<std::string> names_;  // one per arm
    std::vector<Choice> choices_;     // the same for the class's least size; empty of names alone
    ClassLearner learner_;
    std::vector<Seconds> entered_, left_;  // own clock, since the last exchange
    Seconds inside_ = 0;                   // of all calls since then
    // Of the call at hand: when it began, and whether its times are kept.
    Seconds began_ = 0;
    bool keeps_ = false;
    bool checks_multicast_ = false;  // has been, since some ranks are not reached
};

class Learning {
public:
    // The classes of `communicator`.
    explicit Learning(Communicator& communicator) : communicator_(communicator) {}

    // The class of such calls, made at the first one that is worth learning; null: not worth it.
    // bytes: of the call, or -1. calls_before: of the class so far. All ranks ask alike.
    Lesson* lesson(const Request& request, Bytes bytes, bool may_vary, long calls_before);

    // The same of calls of a plan; number: of the plan, the same on all ranks.
    Lesson* lesson_of_plan(Operation operation, std::uint64_t number, const LearnedClass& named,
                           const std::string& plan, bool runs, long calls_before);

    struct Turn {
        std::size_t arm = 0;
        bool timed = false;  // then Lesson::ended() must be called
    };
    // The next call's. Collective at some calls, and needs the communicator's hidden one. Throws
    // MpiError.
    Turn begin(Lesson& lesson);

    // Some ranks are not reached by multicast any more: classes that multicast are checked soon,
    // each once. At the same calls on all ranks.
    void check_multicasts();

    // What was learned here, for the whole job.
    void collect(std::vector<LearnedClass>& all) const;

private:
    void exchange(Lesson& lesson);

    Communicator& communicator_;
    Clocks clocks_;
    Seconds exchange_began_ = 0, exchange_ended_ = 0;  // own clock
    // By operation, least size, whether its operator commutes and whether its bits may change.
    std::map<std::tuple<Operation, Bytes, bool, bool>, std::unique_ptr<Lesson>> lessons_;
    std::map<std::pair<Operation, std::uint64_t>, std::unique_ptr<Lesson>> lessons_of_plans_;
};

}  // namespace eco
