// SPDX-License-Identifier: BSD-3-Clause
// What runs a call on a communicator: the profile's choice, what earlier jobs learned, or what this
// job compares.
#include <bit>

#include "eco/job/communicator.h"
#include "eco/job/learning.h"
#include "eco/job/nonblocking_learning.h"
#include "eco/planners/evaluation_order.h"
#include "eco/selection/shape.h"

namespace eco {

Bytes size_class(Bytes bytes, int bits) {
    if (bytes < 1 << bits) return bytes;
    const int shift = std::bit_width(static_cast<std::uint64_t>(bytes)) - bits;
    return bytes >> shift << shift;
}

// All sizes of a class get the choice of its least, whoever calls first. Classes are narrow: a
// message a tenth longer than its class's least would go in segments a tenth longer than those that
// were timed, and what was one frame would be two.
static constexpr int choice_bits = 6;

// Where bits must stay, what was learned for a class is cut into as many segments as the profile's
// choice: a library's operators may treat the ends of a segment otherwise (Open MPI's vectors and
// the greatest of NaNs).
static Choice cut_alike(Choice choice, const Choice& own, bool may_vary) {
    if (!may_vary) choice.segments = own.segments;
    return choice;
}

// Whether a learned class's choices may run calls of one size. They were compared for the class's
// least size: there the profile may name another order of evaluation than here.
static bool may_run_all(const std::vector<Choice>& arms, const Choice& own, const Request& request,
                        bool may_vary) {
    return may_vary || std::all_of(arms.begin(), arms.end(), [&](const Choice& arm) {
               return same_evaluation_order(arm, own, request);
           });
}

Communicator::Chosen& Communicator::chosen(Operation operation, Bytes bytes, bool commutative,
                                           bool may_vary) {
    const Bytes least = size_class(bytes, choice_bits);
    const std::tuple key(operation, commutative, may_vary, least);
    if (Chosen* known = chosen_.find(key)) return *known;
    const Request request{operation, &hierarchy_, 0, commutative};
    Chosen& fresh = chosen_.put(key, {});
    Choice& choice = fresh.choice = chooser_->choose(request, least);
    fresh.own_nonblocking = chooser_->choose_nonblocking(request, least);
    const Session& here = *session();
    if (here.settings.learn == Learn::off || here.learned.empty()) return fresh;
    // What earlier jobs found.
    const Bytes class_least = learned_class(least);
    const Rivals rivals = find_rivals(*chooser_, here.learned, request, class_least, may_vary);
    if (rivals.preferred == 0) return fresh;
    const Choice preferred =
        cut_alike(choice_in_class(rivals.choices[rivals.preferred], class_least, least, request),
                  choice, may_vary);
    if (may_run_all({preferred}, choice, request, may_vary)) choice = preferred;
    return fresh;
}

const Choice* Communicator::choose(Operation operation, Bytes bytes, bool commutative) {
    if (!usable_) return nullptr;
    const Choice& choice = chosen(operation, bytes, commutative, false).choice;
    if (choice.is_native()) return nullptr;
    return ready(choice) ? &choice : nullptr;
}

// Before a blocking call that ECO would run, or learn from. Collective at some calls.
bool Communicator::fits_network(Bytes bytes, NetworkCheck::When when) {
    if (!forced_ && network_check_.is_due(bytes, when)) {
        network_check_.run(*this);
        Session& here = *session();
        if (size_ == static_cast<int>(here.where.host_of.size()))
            here.known_of_network = network_check_.known();
        if (network_check_.differs()) here.other_network = true;
    }
    return !network_check_.differs();
}

// The same messages over MPI, as far as the choice's own way cannot be gone: without rails, and of
// a sum by multicast the tree that adds in the same order. can: whether a choice can run here.
template <typename Can>
static std::optional<Choice> over_mpi(Choice choice, const Request& request, Can can) {
    if (!can(choice)) choice.rails = 0;
    if (!can(choice) && choice.is_mcast() && traits(request.operation).reduces())
        choice = without_multicast(choice);
    if (can(choice) && supports(choice, request)) return choice;
    return std::nullopt;
}

// A sum whose messages cannot go as its choice says has the same bits over MPI.
void Communicator::keep_bits(Choice& choice, const Request& request) {
    if ((choice.rails == 0 && !choice.is_mcast()) || !ready()) return;
    const auto opens = [this](const Choice& each) {
        return (each.rails == 0 || make_rails()) && (!each.is_mcast() || make_mcast());
    };
    if (opens(choice)) return;
    if (const auto same = over_mpi(choice, request, opens)) choice = *same;
}

const Choice* Communicator::choose(Operation operation, Bytes bytes, bool commutative,
                                   bool may_vary, Lesson** timed) {
    if (!usable_) return nullptr;
    if (nonblocking_learning_ && !forced_) nonblocking_learning_->exchange_samples();
    if (network_check_.differs()) return nullptr;
    Chosen& known = chosen(operation, bytes, commutative, may_vary);
    const Request request{operation, &hierarchy_, 0, commutative};
    Choice* own = &known.choice;
    const bool makes_hidden = known.choice.is_native() && hidden_ == native().comm_null;
    if (session()->settings.learn >= Learn::on && !known.learned &&
        known.calls++ >= calls_before_learning(bytes, makes_hidden))
        begin_lesson(known, request, bytes, may_vary);
    const auto check = may_vary ? NetworkCheck::When::soon : NetworkCheck::When::now;
    if (known.lesson) {
        // Trials are worth nothing on another network, and cost more than finding that out.
        if (!ready() || !fits_network(bytes, check)) return nullptr;
        const Learning::Turn turn = learning_->begin(*known.lesson);
        own = &known.arms[turn.arm];
        if (turn.timed) *timed = known.lesson;
    }
    if (!may_vary) keep_bits(*own, request);
    const Choice* choice = forced_ ? forced_ : own;
    if (choice->is_native() || !ready(*choice)) return nullptr;
    if (known.lesson || fits_network(bytes, check)) return choice;
    *timed = nullptr;
    return nullptr;
}

// Rails and multicasts too where all ranks have made ready for them; multicasts of persistent calls
// where there are numbers for them.
bool Communicator::can_progress(const Choice& choice, bool persists) const {
    if (can_progress_asynchronously(choice)) return true;
    if (choice.is_native() || choice.native_inside()) return false;
    if (!choice.is_mcast()) return rails_.number != 0;
    if (choice.rails > 0) return false;
    return mcast_->made() && (!persists || mcast_->context().number >> bits_of_numbers == 0);
}

// Of a choice that progress cannot move on: the same without the library's part of it; for a
// multicast the tree or exchange that suits the network, as a gain by multicast says that its links
// count; else what the profile has besides for such a call. does: whether progress can.
template <typename Does>
static Choice asynchronous(const Choice& choice, const Request& request, Bytes bytes, Does does) {
    const Session& here = *session();
    if (choice.is_native() || does(choice)) return choice;
    if (here.settings.choice == "auto" || here.settings.choice == "eco") {
        Choice alike = choice;
        if (choice.native_inside()) alike.set_native_inside(false);
        if (const auto same = over_mpi(alike, request, does)) return *same;
        if (choice.is_mcast() && !request.hierarchy->one_subnet)
            if (const auto best = shaped(request, bytes);
                best && does(*best) && supports(*best, request))
                return *best;
    }
    const Chooser* others = here.asynchronous_chooser.get();
    return others ? others->choose(request, bytes) : Choice{};
}

// What runs such a call where nothing was learned of them.
Choice Communicator::usual_nonblocking(const Request& request, Bytes least, bool may_vary,
                                       bool persists) {
    const Chosen& known = chosen(request.operation, least, request.commutative, may_vary);
    return asynchronous(known.own_nonblocking ? *known.own_nonblocking : known.choice, request,
                        least,
                        [=, this](const Choice& choice) { return can_progress(choice, persists); });
}

Rivals Communicator::nonblocking_rivals(const Request& request, Bytes class_least, bool may_vary) {
    const auto may_run = [&](const Choice& choice) {
        return choice.is_native() || (can_progress(choice, false) && supports(choice, request));
    };
    return find_nonblocking_rivals(*chooser_, session()->learned, request, class_least, may_vary,
                                   usual_nonblocking(request, class_least, may_vary, false),
                                   may_run);
}

// The same with what earlier jobs learned.
Choice Communicator::first_nonblocking(const Request& request, Bytes least, bool may_vary,
                                       bool persists) {
    const Session& here = *session();
    if (here.settings.learn == Learn::off || here.learned.empty())
        return usual_nonblocking(request, least, may_vary, persists);
    const Bytes class_least = learned_class(least);
    const Rivals rivals = nonblocking_rivals(request, class_least, may_vary);
    const Choice usual = usual_nonblocking(request, least, may_vary, persists);
    const Choice choice =
        cut_alike(choice_in_class(rivals.choices[rivals.preferred], class_least, least, request),
                  usual, may_vary);
    return rivals.preferred != 0 && (choice.is_native() || can_progress(choice, persists)) &&
                   may_run_all({choice}, usual, request, may_vary)
               ? choice
               : usual;
}

const Choice* Communicator::choose_nonblocking(Operation operation, Bytes bytes, bool commutative,
                                               bool persists) {
    return choose_nonblocking(operation, bytes, commutative, false, persists, nullptr);
}

const Choice* Communicator::choose_nonblocking(Operation operation, Bytes bytes, bool commutative,
                                               bool may_vary, bool persists,
                                               std::shared_ptr<TimedCall>* timed) {
    if (forced_) return can_progress(*forced_, persists) ? forced_ : nullptr;
    if (network_check_.differs()) return nullptr;
    const Request request{operation, &hierarchy_, 0, commutative};
    const Bytes least = size_class(bytes, choice_bits);
    // Stays where it is while the class's least size is looked up: the cache keeps the last two.
    Chosen& known = chosen(operation, bytes, commutative, may_vary);
    auto& first = persists ? known.persistent : known.nonblocking;
    if (!first) first = first_nonblocking(request, least, may_vary, persists);
    const Choice* choice = &*first;
    if (timed) {
        const int before = calls_before_learning(bytes, false);
        int& calls = known.nonblocking_calls;
        if (session()->settings.learn >= Learn::on && calls <= before && calls++ == before)
            begin_nonblocking_lesson(known, request, bytes, may_vary);
        if (known.nonblocking_lesson)
            choice = &known.nonblocking_arms[known.nonblocking_lesson->begin(timed)];
    }
    return choice->is_native() ? nullptr : choice;
}

void Communicator::begin_nonblocking_lesson(Chosen& chosen, const Request& request, Bytes bytes,
                                            bool may_vary) {
    if (!nonblocking_learning_)
        nonblocking_learning_ = std::make_unique<NonblockingLearning>(*this);
    const Bytes class_least = learned_class(bytes);
    const auto make = [&]() -> std::unique_ptr<NonblockingLesson> {
        Rivals rivals = nonblocking_rivals(request, class_least, may_vary);
        if (!rivals.worth_learning) return nullptr;
        return std::make_unique<NonblockingLesson>(
            describe_class(request, class_least, session()->library, false), std::move(rivals));
    };
    chosen.nonblocking_lesson = nonblocking_learning_->lesson(request, class_least, may_vary, make);
    if (!chosen.nonblocking_lesson) return;
    const Bytes least = size_class(bytes, choice_bits);
    for (std::size_t arm = 0; arm < chosen.nonblocking_lesson->learner().arms().size(); ++arm)
        chosen.nonblocking_arms.push_back(cut_alike(
            chosen.nonblocking_lesson->choice(arm, request, least), *chosen.nonblocking, may_vary));
    if (!may_run_all(chosen.nonblocking_arms, *chosen.nonblocking, request, may_vary))
        chosen.nonblocking_lesson = nullptr;
}

void Communicator::begin_lesson(Chosen& chosen, const Request& request, Bytes bytes,
                                bool may_vary) {
    chosen.learned = true;
    if (!learning_) learning_ = std::make_unique<Learning>(*this);
    chosen.lesson = learning_->lesson(request, bytes, may_vary, chosen.calls - 1);
    if (!chosen.lesson) return;
    const Bytes least = size_class(bytes, choice_bits);
    for (std::size_t arm = 0; arm < chosen.lesson->learner().arms().size(); ++arm)
        chosen.arms.push_back(
            cut_alike(chosen.lesson->choice(arm, request, least), chosen.choice, may_vary));
    if (!may_run_all(chosen.arms, chosen.choice, request, may_vary)) chosen.lesson = nullptr;
}

}  // namespace eco
