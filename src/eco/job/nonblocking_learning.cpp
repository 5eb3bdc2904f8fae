// SPDX-License-Identifier: BSD-3-Clause
#include "eco/job/nonblocking_learning.h"

#include <algorithm>
#include <cmath>

#include "eco/base/at.h"
#include "eco/job/communicator.h"
#include "eco/job/learning.h"

namespace eco {

namespace {

// Of a call that is under way on some rank, or failed there.
constexpr Seconds not_known = 1e9;

}  // namespace

NonblockingLesson::NonblockingLesson(const LearnedClass& named, Rivals rivals)
    : NonblockingLesson(named, written(rivals.choices), rivals) {
    choices_ = std::move(rivals.choices);
}

NonblockingLesson::NonblockingLesson(const LearnedClass& named, std::vector<std::string> names,
                                     const Beginning& beginning)
    : named_(named),
      names_(std::move(names)),
      learner_(names_.size(), beginning.preferred, beginning.start,
               static_cast<std::uint32_t>(named.bytes) * 2654435761U,
               static_cast<Nanoseconds>(1e9 * beginning.expected)) {}

std::size_t NonblockingLesson::begin(std::shared_ptr<TimedCall>* timed) {
    const NonblockingLearner::Turn turn = learner_.start();
    // A trial that begins without an exchange drops what was timed before.
    if (const std::size_t kept = learner_.timed() - (turn.timed ? 1 : 0); kept < calls_.size())
        calls_.clear();
    if (!turn.timed) return turn.arm;
    calls_.push_back(std::make_shared<TimedCall>());
    calls_.back()->entered = Clocks::own();
    const auto under_way = std::count_if(calls_.begin(), calls_.end(),
                                         [](const auto& call) { return call->left == 0; });
    under_way_ = std::max(under_way_, static_cast<int>(under_way));
    *timed = calls_.back();
    return turn.arm;
}

Choice NonblockingLesson::choice(std::size_t arm, const Request& request, Bytes least) const {
    return choice_in_class(choices_[arm], named_.bytes, least, request);
}

LearnedClass NonblockingLesson::result() const {
    return with_arms(named_, names_, learner_.arms(), learner_.best());
}

// The longest duration of each call, the most calls under way, and the cost: the greatest of all
// ranks' figures say it.
std::vector<double> NonblockingLearning::figures(const Lessons& lessons, Seconds cost) {
    std::vector<double> own;
    for (const NonblockingLesson* lesson : lessons) {
        for (const auto& call : lesson->calls_) {
            const Seconds left = call->left;
            own.push_back(left > 0 ? left - call->entered : not_known);
        }
        own.push_back(lesson->under_way_);
    }
    own.push_back(cost);
    return own;
}

void NonblockingLearning::take(const Lessons& lessons, const std::vector<double>& greatest) {
    const auto nanoseconds = [](Seconds time) {
        return time < not_known ? std::max<Nanoseconds>(std::llround(1e9 * time), 1) : 0;
    };
    const Nanoseconds cost = nanoseconds(greatest.back());
    std::size_t next = 0;
    for (NonblockingLesson* lesson : lessons) {
        std::vector<Nanoseconds> times;
        for (std::size_t call = 0; call < lesson->calls_.size(); ++call)
            times.push_back(nanoseconds(greatest[next++]));
        const int under_way = static_cast<int>(greatest[next++]);
        lesson->calls_.clear();
        lesson->under_way_ = 1;
        lesson->learner_.take(times, under_way, cost);
    }
}

void NonblockingLearning::exchange_samples() {
    Lessons due;
    for (const auto& [key, lesson] : lessons_)
        if (lesson && lesson->learner_.exchange_due()) due.push_back(lesson.get());
    if (due.empty()) return;
    const Seconds came = Clocks::own();
    bool settled = true;
    for (const NonblockingLesson* lesson : due) settled &= lesson->learner_.settled();
    // After one exchange all ranks are here, and another one takes what an exchange takes.
    if (cost_ == 0) {
        communicator_.greatest(figures(due, 0));
        const Seconds began = Clocks::own();
        communicator_.greatest(figures(due, 0));
        cost_ = Clocks::own() - began;
    }
    take(due, communicator_.greatest(figures(due, cost_)));
    note_exchange(settled, Clocks::own() - came);
}

bool NonblockingLearning::has_times() const {
    return std::any_of(lessons_.begin(), lessons_.end(), [](const auto& entry) {
        return entry.second && entry.second->learner_.has_times();
    });
}

void NonblockingLearning::begin_last() {
    const Native& mpi = native();
    auto last = std::make_unique<Last>();
    for (const auto& [key, lesson] : lessons_)
        if (lesson && lesson->learner_.has_times()) last->lessons.push_back(lesson.get());
    last->own = last->all = figures(last->lessons, cost_);
    last->request = mpi.request_null;
    if (mpi.Iallreduce(last->own.data(), last->all.data(), static_cast<int>(last->own.size()),
                       mpi.real64, mpi.max, communicator_.hidden(), &last->request) == MPI_SUCCESS)
        last_ = std::move(last);
}

void NonblockingLearning::end_last() {
    if (!last_) return;
    if (native().Wait(&last_->request, MPI_STATUS_IGNORE) == MPI_SUCCESS) {
        take(last_->lessons, last_->all);
        return last_.reset();
    }
    // The library may still be using its memory.
    [[maybe_unused]] const auto* kept = last_.release();
}

void NonblockingLearning::collect(std::vector<LearnedClass>& all) const {
    std::vector<LearnedClass> found;
    for (const auto& [key, lesson] : lessons_)
        if (lesson) found.push_back(lesson->result());
    add_learned(std::move(found), all);
}

}  // namespace eco
