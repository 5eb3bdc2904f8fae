// SPDX-License-Identifier: BSD-3-Clause
#include "eco/job/learning.h"

#include <algorithm>
#include <cmath>

#include "eco/job/communicator.h"
#include "eco/planners/choice_text.h"

namespace eco {

namespace {

constexpr int class_bits = 3;  // four classes from one power of two to the next

// The end of a call that failed: later than any.
constexpr Seconds no_end = 1e18;

}  // namespace

Bytes learned_class(Bytes bytes) { return bytes < 0 ? bytes : size_class(bytes, class_bits); }

// Fewer of longer messages, whose calls take longer than what learning costs. Where the library's
// short calls run, learning also makes the hidden communicator and its first connections, if no
// call before has. So a program that makes few calls pays nothing; and whether the network is the
// profile's is known within 50 calls, which network_check.cpp finds out in the first ones.
int calls_before_learning(Bytes bytes, bool makes_hidden) {
    if (bytes >= 1024) return 4;
    return makes_hidden ? 40 : 16;
}

std::vector<std::string> written(const std::vector<Choice>& choices) {
    std::vector<std::string> names;
    for (const Choice& choice : choices) names.push_back(to_text(choice));
    return names;
}

Lesson::Lesson(const LearnedClass& named, Rivals rivals, long calls_before)
    : Lesson(named, written(rivals.choices), rivals, calls_before) {
    choices_ = std::move(rivals.choices);
}

Lesson::Lesson(const LearnedClass& named, std::vector<std::string> names,
               const Beginning& beginning, long calls_before)
    : named_(named),
      names_(std::move(names)),
      learner_(names_.size(), beginning.preferred, beginning.start,
               static_cast<std::uint32_t>(named.bytes) * 2654435761U,
               static_cast<Nanoseconds>(1e9 * beginning.expected), calls_before,
               beginning.library) {}

LearnedClass with_arms(LearnedClass named, const std::vector<std::string>& choices,
                       const std::vector<SampledArm>& arms, std::size_t best) {
    for (std::size_t arm = 0; arm < choices.size(); ++arm)
        named.arms.push_back(
            {choices[arm], arms[arm].runs, 1e-9 * static_cast<double>(arms[arm].mean)});
    named.best = named.arms[best].choice;
    return named;
}

void add_learned(std::vector<LearnedClass> found, std::vector<LearnedClass>& all) {
    std::erase_if(found, [](const LearnedClass& each) {
        return std::none_of(each.arms.begin(), each.arms.end(),
                            [](const LearnedArm& arm) { return arm.runs > 0; });
    });
    Learned known{"", std::move(all)};
    merge(known, {"", std::move(found)});
    all = std::move(known.classes);
}

LearnedClass Lesson::result() const {
    return with_arms(named_, names_, learner_.arms(), learner_.best());
}

Lesson* Learning::lesson(const Request& request, Bytes bytes, bool may_vary, long calls_before) {
    const Bytes least = learned_class(bytes);
    const auto [entry, fresh] =
        lessons_.try_emplace({request.operation, least, request.commutative, may_vary}, nullptr);
    if (!fresh) return entry->second.get();
    const Session& here = *session();
    Rivals rivals = find_rivals(*here.chooser, here.learned, request, least, may_vary);
    if (!rivals.worth_learning) return nullptr;
    entry->second = std::make_unique<Lesson>(describe_class(request, least, here.library),
                                             std::move(rivals), calls_before);
    return entry->second.get();
}

Lesson* Learning::lesson_of_plan(Operation operation, std::uint64_t number,
                                 const LearnedClass& named, const std::string& plan, bool runs,
                                 long calls_before) {
    auto& lesson = lessons_of_plans_[{operation, number}];
    if (!lesson)
        lesson = std::make_unique<Lesson>(named, std::vector<std::string>{plan, "native"},
                                          begin_plan(session()->learned, named, plan, runs),
                                          calls_before);
    return lesson.get();
}

Choice choice_in_class(const Choice& choice, Bytes class_least, Bytes least,
                       const Request& request) {
    if (choice.is_native() || class_least <= 0) return choice;
    return scaled(choice, class_least, least, request);
}

void note_exchange(bool settled, Seconds took) {
    Session& here = *session();
    const std::lock_guard lock(here.mutex);
    Session::Exchanges& exchanges = settled ? here.checking : here.comparing;
    ++exchanges.count;
    exchanges.time += took;
}

Learning::Turn Learning::begin(Lesson& lesson) {
    if (lesson.learner_.exchange_due()) exchange(lesson);
    const bool settled = lesson.learner_.settled();
    const ClassLearner::Turn turn = lesson.learner_.start();
    lesson.keeps_ = turn.timed;
    if (settled && !turn.timed) return {turn.arm, false};
    if (turn.timed) {
        lesson.left_.resize(lesson.entered_.size(), 0);    // a call that failed has no end
        lesson.left_.reserve(lesson.entered_.size() + 1);  // ended() must not fail
    }
    lesson.began_ = Clocks::own();
    if (turn.timed) lesson.entered_.push_back(lesson.began_);
    return {turn.arm, true};
}

void Learning::check_multicasts() {
    for (const auto& [key, lesson] : lessons_)
        if (lesson && !lesson->checks_multicast_ &&
            lesson->choices_[lesson->learner_.best()].is_mcast())
            lesson->checks_multicast_ = lesson->learner_.check_soon();
}

void Learning::collect(std::vector<LearnedClass>& all) const {
    std::vector<LearnedClass> found;
    for (const auto& [key, lesson] : lessons_)
        if (lesson) found.push_back(lesson->result());
    for (const auto& [key, lesson] : lessons_of_plans_) found.push_back(lesson->result());
    add_learned(std::move(found), all);
}

// The latest entry and the latest end of each call among all ranks, and the earliest end of the
// last one. The last exchange's own time comes along, with that of comparing clocks, which it calls
// for, and whether rank 0 finds that they should be compared again.
void Learning::exchange(Lesson& lesson) {
    const Seconds came = Clocks::own();
    const MPI_Comm comm = communicator_.hidden();
    if (!clocks_.aligned()) clocks_.align(comm, communicator_.rank(), communicator_.hosts());
    const std::size_t calls = lesson.entered_.size();
    lesson.left_.resize(calls, 0);
    // What an exchange takes is known from the one before; of the first by one more.
    if (exchange_ended_ == 0) {
        exchange_began_ = Clocks::own();
        communicator_.greatest(std::vector<Seconds>(2 * calls + 5, 0));
        exchange_ended_ = Clocks::own();
    }
    const Seconds began = Clocks::own();
    std::vector<Seconds> own;
    for (const Seconds moment : lesson.entered_) own.push_back(clocks_.common(moment));
    for (const Seconds moment : lesson.left_) own.push_back(clocks_.common(moment));
    own.push_back(clocks_.common(exchange_began_));
    own.push_back(clocks_.common(exchange_ended_));
    const bool ended = calls > 0 && lesson.left_.back() > 0;
    own.push_back(ended ? -clocks_.common(lesson.left_.back()) : -no_end);
    own.push_back(lesson.inside_);
    own.push_back(communicator_.rank() == 0 && clocks_.is_old() ? 1 : 0);
    const std::vector<Seconds> latest = communicator_.greatest(own);
    const auto nanoseconds = [](Seconds time) {
        return time > 0 ? static_cast<Nanoseconds>(std::llround(1e9 * time)) : 0;
    };
    std::vector<Nanoseconds> times;
    for (std::size_t call = 0; call < calls; ++call)
        times.push_back(nanoseconds(latest[calls + call] - latest[call]));
    const Seconds* others = &latest[2 * calls];
    Exchange found{nanoseconds(others[1] - others[0]), 0, nanoseconds(others[3])};
    if (calls > 0)
        found.ahead =
            std::max<Nanoseconds>(nanoseconds(latest[2 * calls - 1] + others[2]) - times.back(), 0);
    exchange_began_ = began;
    if (latest.back() > 0) clocks_.align(comm, communicator_.rank(), communicator_.hosts());
    exchange_ended_ = Clocks::own();
    lesson.entered_.clear();
    lesson.left_.clear();
    lesson.inside_ = 0;
    note_exchange(lesson.learner_.settled(), exchange_ended_ - came);
    lesson.learner_.take(times, found);
}

}  // namespace eco
