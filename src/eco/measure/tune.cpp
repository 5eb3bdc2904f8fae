// SPDX-License-Identifier: BSD-3-Clause
#include "eco/measure/tune.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include "eco/base/error.h"
#include "eco/base/log2.h"
#include "eco/measure/contest.h"
#include "eco/mpi/mpi_transport.h"
#include "eco/planners/choice_text.h"
#include "eco/selection/choose.h"

namespace eco {

std::vector<Operation> usual_operations() {
    std::vector<Operation> usual;
    for (const Operation operation : operations())
        if (tuned_as(operation) == operation && can_time(operation)) usual.push_back(operation);
    return usual;
}

void check_all_take_part() {
    const Communicator* world = communicator_of(native().comm_world);
    if (!world) return;  // somebody else says why
    std::set<int> taking_part;
    for (Rank rank = 0; rank < world->size(); ++rank) taking_part.insert(world->host_of(rank));
    const std::size_t hosts = session()->profile.hosts.size(), used = taking_part.size();
    if (used < hosts)
        throw Error(Code::launch, "ranks run on " + std::to_string(used) + " of the profile's " +
                                      std::to_string(hosts) +
                                      " hosts; tuning needs them on all, or a profile of these "
                                      "hosts alone");
}

namespace {

// In calls longer than this, what only the first one does (plans, communicators) is lost in noise.
constexpr Seconds long_guess = 0.3;

// Sizes that are so much apart have another between them, where that may take another choice.
constexpr Bytes apart = 4;

// If one choice must do for all sizes, so many are timed at all of them again at most, and none
// but the first that lost so much at one.
constexpr std::size_t most_compared = 3;
constexpr double hopeless_elsewhere = 1.1;

class Tuner {
public:
    Tuner(const Options& options, Forecaster& forecaster)
        : forecaster_(forecaster),
          operations_(options.operations.empty() ? usual_operations() : options.operations),
          sizes_(options.sizes.empty() ? std::vector<Bytes>{16, 1024, 16384, 131072}
                                       : options.sizes),
          usual_(options.sizes.empty()),
          budget_(options.budget > 0 ? options.budget : 2.0),
          form_(options.form) {}

    std::vector<Tuned> run(Progress& progress, double first);

private:
    std::string name() const { return tuned_name(operation_, form_ == CallForm::blocking); }
    std::vector<Choice> choices_for(Trial& trial, Bytes bytes, const Forecast* forecast) const;
    Question question(Operation operation, Bytes bytes) const;
    void ask_ahead();
    void time_size(Bytes bytes);
    void time_between();
    void time_just_below();
    Seconds guess_at(Bytes bytes) const;
    Timed best_of_all_sizes();
    Timed at_all_sizes(const Choice& choice);
    void add(Bytes bytes, const Timed& timed);
    void look_again(std::size_t first);

    Forecaster& forecaster_;
    const std::vector<Operation> operations_;
    const std::vector<Bytes> sizes_;
    const bool usual_;
    const Seconds budget_;  // for one operation and size
    const CallForm form_;
    MPI_Comm comm_{};
    std::optional<Start> start_;
    Operation operation_{};
    std::vector<std::pair<Bytes, Timed>> timed_;  // of the operation at hand
    std::vector<Tuned> entries_;
};

std::vector<Tuned> Tuner::run(Progress& progress, double first) {
    check_all_take_part();
    double done = 0;
    std::vector<std::string> orders{"near"};
    if (session()->profile.levels.back() != std::vector<int>(session()->profile.hosts.size(), 0))
        orders.push_back("scattered:1");
    const double steps = static_cast<double>(orders.size() * operations_.size() * sizes_.size());
    for (const auto& order : orders) {
        comm_ = ordered_world(order);
        // If every host is a subnet of its own, no order scatters one.
        if (order != "near" && is_near(communicator_of(comm_)->hierarchy())) {
            native().Comm_free(&comm_);
            continue;
        }
        progress.update(first + (1 - first) * done / steps, "predicting");
        ask_ahead();
        start_.emplace(comm_);
        const std::size_t first_entry = entries_.size();
        for (const Operation operation : operations_) {
            operation_ = operation;
            timed_.clear();
            for (const Bytes bytes : sizes_) {
                progress.update(first + (1 - first) * done++ / steps,
                                "tuning " + name() + " " + std::to_string(bytes) + " B");
                if (operation_ == Operation::barrier && bytes != sizes_.front()) continue;
                // Long messages take long, and what is best for them scattered shows below.
                if (order != "near" && usual_ && bytes == sizes_.back()) continue;
                time_size(bytes);
            }
            if (timed_.empty()) continue;
            time_between();
            time_just_below();
            if (traits(operation_).size_known)
                for (const auto& [bytes, timed] : timed_)
                    add(operation_ == Operation::barrier ? 0 : bytes, timed);
            else
                add(-1, best_of_all_sizes());
        }
        look_again(first_entry);
        native().Comm_free(&comm_);
    }
    return std::move(entries_);
}

Question Tuner::question(Operation operation, Bytes bytes) const {
    const Communicator* communicator = communicator_of(comm_);
    Question question{operation, bytes, {}};
    for (Rank rank = 0; rank < communicator->size(); ++rank)
        question.host_of.push_back(communicator->host_of(rank));
    return question;
}

// All at once: the ranks share the work.
void Tuner::ask_ahead() {
    std::vector<Question> questions;
    for (const Operation operation : operations_)
        if (traits(operation).size_known)
            for (const Bytes bytes : sizes_) questions.push_back(question(operation, bytes));
    forecaster_.answer(std::move(questions));
}

// If calls take long against the budget, the choice of the size below holds, or a prediction.
void Tuner::time_size(Bytes bytes) {
    const Seconds guess = guess_at(bytes);
    if (guess > budget_ / 3) return;
    Trial trial(operation_, bytes, comm_, form_);
    const bool known = trial.known_bytes() >= 0;
    const Forecast* forecast = known ? forecaster_.find(question(operation_, bytes)) : nullptr;
    timed_.emplace_back(
        bytes, time_candidates(trial, choices_for(trial, known ? bytes : -1, forecast), *start_,
                               budget_, guess < long_guess));
}

// Of calls that do not block also what runs them so far, mostly the blocking call's choice; and
// where that leaves a part to the library, the same without.
std::vector<Choice> Tuner::choices_for(Trial& trial, Bytes bytes, const Forecast* forecast) const {
    std::vector<Choice> choices =
        field({operation_, &trial.communicator().hierarchy(), 0, true}, bytes, forecast);
    if (form_ == CallForm::blocking) return choices;
    choices.insert(choices.begin(), trial.chosen());
    std::vector<Choice> list;
    for (Choice& choice : choices) {
        if (choice.native_inside()) choice.set_native_inside(false);
        if (std::find(list.begin(), list.end(), choice) == list.end()) list.push_back(choice);
    }
    return list;
}

// If two sizes that follow each other take different choices, what suits one of them may lose
// against the library halfway between, where a call takes the one or the other: both are timed
// there.
void Tuner::time_between() {
    if (!traits(operation_).size_known || operation_ == Operation::barrier) return;
    const auto sizes = timed_;
    for (std::size_t i = 0; i + 1 < sizes.size(); ++i) {
        const auto& [shorter, of_shorter] = sizes[i];
        const auto& [longer, of_longer] = sizes[i + 1];
        if (longer < apart * std::max<Bytes>(1, shorter) || of_longer.native > budget_ / 3)
            continue;
        // Halfway on a logarithmic scale, a power of two.
        const auto log_of = [](Bytes bytes) {
            return portable_log2(static_cast<double>(std::max<Bytes>(1, bytes)));
        };
        const double middle = (log_of(shorter) + log_of(longer)) / 2;
        const Bytes bytes = Bytes{1} << std::lround(middle);
        Trial trial(operation_, bytes, comm_, form_);
        const Request request{operation_, &trial.communicator().hierarchy(), 0, true};
        std::vector<Choice> choices;
        for (const auto& [timed_bytes, timed] : {sizes[i], sizes[i + 1]}) {
            if (!timed.wins) continue;
            const Choice choice = scaled(timed.best, timed_bytes, bytes, request);
            if (std::find(choices.begin(), choices.end(), choice) == choices.end())
                choices.push_back(choice);
        }
        // Nothing to choose between, or the library's at both.
        if (choices.empty() || (choices.size() == 1 && of_shorter.wins && of_longer.wins)) continue;
        timed_.emplace_back(bytes, time_candidates(trial, choices, *start_, budget_ / 2, true));
    }
}

// MPI libraries change their algorithms at powers of two, and the sizes are such: what wins at one
// may lose just below.
void Tuner::time_just_below() {
    if (!traits(operation_).size_known || operation_ == Operation::barrier) return;
    const auto sizes = timed_;
    for (const auto& [bytes, timed] : sizes) {
        const Bytes below = bytes - bytes / just_below;
        if (below == bytes || timed.native > budget_ / 3) continue;
        Trial trial(operation_, below, comm_, form_);
        const Request request{operation_, &trial.communicator().hierarchy(), 0, true};
        std::vector<Choice> choices{scaled(timed.best, bytes, below, request)};
        const std::pair<Bytes, Timed>* shorter = nullptr;
        for (const auto& each : sizes)
            if (each.first < bytes && (!shorter || each.first > shorter->first)) shorter = &each;
        if (shorter) {
            const Choice choice = scaled(shorter->second.best, shorter->first, below, request);
            if (choice != choices.front()) choices.push_back(choice);
        }
        const bool warm_up = timed.native < long_guess;
        Timed found = time_candidates(trial, choices, *start_, budget_ / 4, warm_up);
        if (found.wins != timed.wins) timed_.emplace_back(below, std::move(found));
    }
}

// From what the sizes below took; 0 if nothing is known yet.
Seconds Tuner::guess_at(Bytes bytes) const {
    if (timed_.empty()) return 0;
    const auto& [last_bytes, last] = timed_.back();
    if (timed_.size() == 1) return last.native;
    const auto& [bytes_before, before] = timed_[timed_.size() - 2];
    const double per_byte =
        std::max(0.0, last.native - before.native) / static_cast<double>(last_bytes - bytes_before);
    return last.native + per_byte * static_cast<double>(bytes - last_bytes);
}

// The choice cannot depend on the size, so it must lose at none and win at some: of the few
// candidates whose worst ratio is the best, the first that does. One alone would not do: in few
// runs a schedule that often waits for TCP may look like the best.
Timed Tuner::best_of_all_sizes() {
    std::map<std::string, double> worst;
    for (const auto& [bytes, timed] : timed_)
        for (const auto& [choice, ratio] : timed.ratios)
            worst[choice] = std::max(worst[choice], ratio);
    std::vector<std::pair<double, std::string>> order;
    for (const auto& [choice, ratio] : worst) order.emplace_back(ratio, choice);
    std::sort(order.begin(), order.end());
    if (order.size() > most_compared) order.resize(most_compared);
    Timed first;
    for (const auto& [ratio, choice] : order) {
        if (first.native > 0 && ratio > hopeless_elsewhere) break;
        const Timed timed = at_all_sizes(parse_choice(choice));
        if (timed.wins) return timed;
        if (first.native == 0) first = timed;
    }
    return first;
}

// Against native at all sizes again; the times are those of the size where it gains least.
Timed Tuner::at_all_sizes(const Choice& choice) {
    Timed least;
    bool wins = false;
    for (const auto& [bytes, timed] : timed_) {
        Trial trial(operation_, bytes, comm_, form_);
        std::vector<Sampled> patterns = beside_native(trial, {choice}, *start_, budget_ / 8);
        // Many of short calls: one that seems to lose by chance is the library's at all sizes.
        interleave(trial, patterns, *start_, {budget_ / 2, budget_ / 2, 3, 16, 384}, false);
        Timed now;
        judge(now, patterns);
        now.best = choice;
        if (least.native == 0 || now.eco / now.native > least.eco / least.native) least = now;
        wins = wins || now.wins;
        if (now.eco > good_runs * now.native) {
            wins = false;
            break;
        }
    }
    least.wins = wins;
    return least;
}

void Tuner::add(Bytes bytes, const Timed& timed) {
    const Hierarchy& hierarchy = communicator_of(comm_)->hierarchy();
    entries_.push_back({library_name(), name(), layout_name(hierarchy), bytes,
                        timed.wins ? to_text(timed.best) : "native", timed.native, timed.eco,
                        timed.noise, ranks_per_host(hierarchy), false});
}

// At the short calls among the entries from `first` on where ECO won: as fast as native at least,
// or the library's.
void Tuner::look_again(std::size_t first) {
    for (std::size_t i = first; i < entries_.size(); ++i) {
        Tuned& entry = entries_[i];
        if (entry.choice == "native" || entry.bytes < 0 || entry.native > short_call) continue;
        Trial trial(parse_tuned_operation(entry.operation).operation, entry.bytes, comm_, form_);
        std::vector<Sampled> patterns =
            beside_native(trial, {parse_choice(entry.choice)}, *start_, budget_ / 8);
        interleave(trial, patterns, *start_, {budget_ / 4, budget_ / 8, 3, 16, 96}, true);
        Timed again;
        judge(again, patterns);
        if (again.eco > again.native) entry.choice = "native";
        entry.native = again.native;
        entry.eco = again.eco;
        entry.noise = again.noise;
    }
}

}  // namespace

std::vector<Tuned> tune(const Options& options, Forecaster& forecaster, Progress& progress,
                        double first) {
    return Tuner(options, forecaster).run(progress, first);
}

}  // namespace eco
