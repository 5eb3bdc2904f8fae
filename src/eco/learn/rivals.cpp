// SPDX-License-Identifier: BSD-3-Clause
#include "eco/learn/rivals.h"

#include <algorithm>
#include <optional>

#include "eco/base/error.h"
#include "eco/planners/choice_text.h"
#include "eco/planners/evaluation_order.h"

namespace eco {

namespace {

constexpr double clearly_faster = 0.95, as_expected = 1.3;

void add(std::vector<Choice>& choices, const Choice& choice) {
    if (std::find(choices.begin(), choices.end(), choice) == choices.end())
        choices.push_back(choice);
}

const LearnedArm* arm_of(const LearnedClass& known, const std::string& choice) {
    for (const LearnedArm& arm : known.arms)
        if (arm.choice == choice && arm.runs >= enough_runs) return &arm;
    return nullptr;
}

// Whether a job found another choice to be faster.
bool is_faster(const LearnedClass& known, const LearnedArm& own) {
    return std::any_of(known.arms.begin(), known.arms.end(), [&](const LearnedArm& arm) {
        return arm.runs >= enough_runs && arm.mean < own.mean;
    });
}

// As arm_of; of the library also what tuning timed, where another choice was clearly faster than
// that: then no job must run it to know.
std::optional<Seconds> mean_of(const LearnedClass& known, const Choice& choice, Seconds native) {
    if (const LearnedArm* arm = arm_of(known, to_text(choice))) return arm->mean;
    if (!choice.is_native() || native <= 0) return std::nullopt;
    for (const LearnedArm& arm : known.arms)
        if (arm.runs >= enough_runs && arm.mean < clearly_faster * native) return native;
    return std::nullopt;
}

// What earlier runs say decides; what they have not tried yet is tried. native: what the library
// takes by the profile; 0: not known.
void apply(const LearnedClass& known, const std::function<bool(const Choice&)>& may_run,
           Seconds native, Rivals& rivals) {
    // A check of what tuning is sure of does not make it unsure, as long as it takes what it
    // should.
    using Start = ClassLearner::Start;
    if (rivals.expected > 0) {
        const LearnedArm* own = arm_of(known, to_text(rivals.choices.front()));
        const bool holds = own && own->mean <= as_expected * rivals.expected;
        if (rivals.start == Start::sure && (holds || !own)) return;
        if (holds && !is_faster(known, *own)) {
            rivals.start = Start::sure;
            return;
        }
    }
    for (const LearnedArm& arm : known.arms) {
        try {
            const Choice choice = parse_choice(arm.choice);
            if (may_run(choice)) add(rivals.choices, choice);
        } catch (const Error&) {
            continue;  // written by hand, or by an ECO that knew other choices
        }
    }
    bool all_known = true;
    double least = 0;
    for (std::size_t i = 0; i < rivals.choices.size(); ++i) {
        const auto mean = mean_of(known, rivals.choices[i], native);
        if (!mean) {
            all_known = false;
        } else if (least == 0 || *mean < least) {
            least = *mean;
            rivals.preferred = i;
        }
    }
    rivals.expected = least;
    if (rivals.library != no_arm && arm_of(known, to_text(Choice{})) &&
        arm_of(known, to_text(rivals.choices[rivals.preferred])))
        rivals.library = no_arm;
    rivals.start = all_known ? Start::sure : Start::unsure;
}

void apply_all(const std::vector<LearnedClass>& learned, LearnedClass named,
               const std::function<bool(const Choice&)>& may_run, Seconds native, Rivals& rivals) {
    for (const LearnedClass& earlier : learned) {
        named.mpi = earlier.mpi;  // all are of the library that runs
        if (earlier.same_calls(named)) apply(earlier, may_run, native, rivals);
    }
    // A class that is sure is still checked.
    rivals.worth_learning = rivals.choices.size() > 1;
}

// Whether a choice may run calls instead of another one. Where may_vary is false, their results
// must have the same bits by both.
bool may_replace(const Choice& choice, const Choice& other, const Request& request, bool may_vary) {
    return may_vary || same_evaluation_order(choice, other, request);
}

}  // namespace

Beginning begin_plan(const std::vector<LearnedClass>& learned, LearnedClass named,
                     const std::string& plan, bool runs) {
    Beginning found{runs ? std::size_t{0} : 1, 1, ClassLearner::Start::unsure, 0};
    for (const LearnedClass& earlier : learned) {
        named.mpi = earlier.mpi;  // all are of the library that runs
        if (!earlier.same_calls(named)) continue;
        const LearnedArm *own = arm_of(earlier, plan), *native = arm_of(earlier, "native");
        if (!own || !native) continue;
        found.preferred = own->mean < native->mean ? 0 : 1;
        found.expected = std::min(own->mean, native->mean);
        found.start = ClassLearner::Start::sure;
    }
    return found;
}

LearnedClass describe_class(const Request& request, Bytes least, const std::string& library,
                            bool blocks) {
    LearnedClass named;
    named.mpi = library;
    named.operation = tuned_name(request.operation, blocks);
    named.layout = layout_name(*request.hierarchy);
    named.hosts_shared = ranks_per_host(*request.hierarchy) > 1;
    named.ranks = request.ranks();
    named.bytes = least;
    named.structure = request.hierarchy->structure;
    return named;
}

Rivals find_rivals(const Chooser& chooser, const std::vector<LearnedClass>& learned,
                   const Request& request, Bytes least, bool may_vary) {
    Rivals rivals;
    const Knowledge known = chooser.knowledge(request, least);
    rivals.choices = {known.choice};
    if (!known.open) return rivals;
    const auto may_run = [&](const Choice& choice) {
        return choice.rails == 0 && (choice.is_native() || supports(choice, request)) &&
               may_replace(choice, known.choice, request, may_vary);
    };
    if (may_run(Choice{})) {
        add(rivals.choices, Choice{});
        rivals.library = known.choice.is_native() ? 0 : 1;
    }
    for (const Choice& rival : known.rivals)
        if (may_run(rival)) add(rivals.choices, rival);
    // A network may stop passing multicasts on.
    if (!may_vary && known.choice.is_mcast() && may_run(without_multicast(known.choice)))
        add(rivals.choices, without_multicast(known.choice));
    using Start = ClassLearner::Start;
    rivals.start = Start::unsure;
    if (known.sure == Knowledge::Sure::by_timing) {
        rivals.start = Start::sure;
        rivals.expected = known.expected;
    } else if (known.sure == Knowledge::Sure::by_prediction) {
        // As long as the library was not as quick, which was timed.
        rivals.expected = std::min(known.expected, known.native / as_expected);
        rivals.start = Start::likely;
    }
    apply_all(learned, describe_class(request, least, ""), may_run, known.native, rivals);
    return rivals;
}

Rivals find_nonblocking_rivals(const Chooser& chooser, const std::vector<LearnedClass>& learned,
                               const Request& request, Bytes least, bool may_vary,
                               const Choice& usual,
                               const std::function<bool(const Choice&)>& can_run) {
    Rivals rivals;
    rivals.choices = {usual};
    const Knowledge known = chooser.knowledge(request, least);
    if (!known.open) return rivals;
    const auto may_run = [&](const Choice& choice) {
        return can_run(choice) && may_replace(choice, usual, request, may_vary);
    };
    if (may_run(Choice{})) add(rivals.choices, Choice{});
    if (may_run(known.choice)) add(rivals.choices, known.choice);
    for (const Choice& rival : known.rivals)
        if (may_run(rival)) add(rivals.choices, rival);
    // Even what tuning timed: work beside the calls may make another choice the best.
    rivals.start = ClassLearner::Start::unsure;
    apply_all(learned, describe_class(request, least, "", false), may_run, 0, rivals);
    return rivals;
}

}  // namespace eco
