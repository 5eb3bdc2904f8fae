// SPDX-License-Identifier: BSD-3-Clause
// What runs a call that was planned as several multicasts on a communicator: the plan or the
// library, as predicted, as earlier jobs learned, or as this job compares them.
#include "eco/job/communicator.h"
#include "eco/job/learning.h"
#include "eco/job/multicasts.h"
#include "eco/job/nonblocking_learning.h"

namespace eco {

LearnedClass Communicator::class_of_plan(Operation operation, const Multicasting& plan,
                                         bool blocks) const {
    LearnedClass named =
        describe_class({operation, &hierarchy_}, plan.bytes_each, session()->library, blocks);
    named.graph = plan.graph;
    return named;
}

// Before anything is learned in this job.
bool Communicator::runs_plan(Operation operation, const Multicasting& plan, bool blocks) const {
    const Session& here = *session();
    if (here.settings.learn == Learn::off) return plan.runs;
    return begin_plan(here.learned, class_of_plan(operation, plan, blocks), plan.name, plan.runs)
               .preferred == 0;
}

bool Communicator::takes(Operation operation, const Multicasting& plan, Lesson** timed) {
    if (network_check_.differs()) return false;
    if (nonblocking_learning_) nonblocking_learning_->exchange_samples();
    CallsOfPlan& known = calls_of_plans_[{operation, plan.number}];
    if (known.lesson) {
        const Learning::Turn turn = learning_->begin(*known.lesson);
        if (turn.timed) *timed = known.lesson;
        return turn.arm == 0;
    }
    if (!known.runs) known.runs = runs_plan(operation, plan, true);
    if (session()->settings.learn < Learn::on ||
        known.calls++ < calls_before_learning(plan.longest, false))
        return *known.runs;
    if (!learning_) learning_ = std::make_unique<Learning>(*this);
    known.lesson =
        learning_->lesson_of_plan(operation, plan.number, class_of_plan(operation, plan, true),
                                  plan.name, plan.runs, known.calls - 1);
    return takes(operation, plan, timed);
}

bool Communicator::takes_nonblocking(Operation operation, const Multicasting& plan, bool persists,
                                     std::shared_ptr<TimedCall>* timed) {
    if (network_check_.differs()) return false;
    CallsOfPlan& known = calls_of_plans_[{operation, plan.number}];
    if (!known.runs_nonblocking) known.runs_nonblocking = runs_plan(operation, plan, false);
    if (persists || session()->settings.learn < Learn::on) return *known.runs_nonblocking;
    if (!known.nonblocking_lesson) {
        if (known.nonblocking_calls++ < calls_before_learning(plan.longest, false))
            return *known.runs_nonblocking;
        if (!nonblocking_learning_)
            nonblocking_learning_ = std::make_unique<NonblockingLearning>(*this);
        known.nonblocking_lesson = nonblocking_learning_->lesson(
            {operation, &hierarchy_}, plan.bytes_each, true,
            [&] {
                const LearnedClass named = class_of_plan(operation, plan, false);
                return std::make_unique<NonblockingLesson>(
                    named, std::vector<std::string>{plan.name, "native"},
                    begin_plan(session()->learned, named, plan.name, plan.runs));
            },
            plan.number);
    }
    return known.nonblocking_lesson->begin(timed) == 0;
}

}  // namespace eco
