// SPDX-License-Identifier: BSD-3-Clause
#include "eco/measure/within_budget.h"

#include <algorithm>
#include <map>
#include <set>

#include "eco/base/at.h"
#include "eco/measure/any_size.h"
#include "eco/measure/cell_table.h"
#include "eco/measure/first_timings.h"
#include "eco/measure/tune.h"
#include "eco/mpi/mpi_transport.h"
#include "eco/planners/choice_text.h"
#include "eco/simulate/verdict.h"

namespace eco {

namespace {

// Of all the time that was given: where less is left, connecting all ranks would take it.
constexpr double worth_beginning = 0.1;

// Share of the time that is left at the start.
constexpr double for_predicting = 0.25;

constexpr double benefit_of_second_look = 0.01;

// A library that takes so many times as long just below a size, or so many times less, has changed
// its algorithm (10 of 34 on two networks). To know that is worth so much, unless one of both is so
// much faster already that no such change matters.
constexpr Bytes least_below = 512;
constexpr double has_changed = 1.15, benefit_below = 0.08, change_matters = 2;

constexpr double least_benefit = 1e-3;

// Longer messages have an entry only if something is known.
constexpr Bytes longest_in_any_case = 131072;

// Of the last step of its kind, in what such steps are expected to take.
constexpr double weight_of_last = 0.3;

bool shares_uplinks(const Profile& profile) {
    return profile.model && std::any_of(profile.model->media.begin(), profile.model->media.end(),
                                        [](const Medium& medium) {
                                            return medium.found_by == Medium::FoundBy::capacity;
                                        });
}

// Longer messages too where hosts share uplinks: what is predicted of these is sure there, and on
// slow networks it would take time from what must be timed.
std::vector<Bytes> usual_sizes(bool shares_uplinks) {
    std::vector<Bytes> sizes{16, 1024, 16384, longest_in_any_case};
    if (shares_uplinks) sizes.push_back(8 * longest_in_any_case);
    return sizes;
}

class WithinBudget {
public:
    WithinBudget(const Options& options, Forecaster& forecaster, Progress& progress,
                 const Deadline& deadline)
        : forecaster_(forecaster),
          progress_(progress),
          deadline_(deadline),
          total_(std::max(0.0, deadline.left())),
          contest_time_(time_of_contest(total_)),
          times_(total_ >= worth_beginning * options.within),
          operations_(options.operations.empty() ? usual_operations() : options.operations),
          sizes_(options.sizes.empty() ? usual_sizes(full_links_) : options.sizes),
          cells_(full_links_) {}

    Chosen run();

private:
    std::vector<Operation> timed_operations() const;
    void make_cells();
    // What may be done next with a cell.
    struct Step {
        Cell* cell = nullptr;
        enum class Kind { native_alone, contest, second_look, below } kind = Kind::contest;
        double worth = 0;  // benefit per second
    };
    Seconds expected_cost(const Cell& cell, Step::Kind kind) const;
    double& times_expected(const Cell& cell, Step::Kind kind);
    Step most_worth();
    Step agreed(const Step& own);
    void take(const Step& step);
    void look_below(Cell& cell);
    bool is_left_to_shorter(const Cell& cell, const PredictionErrors& errors) const;
    Tuned entry_of(const Cell& cell, const PredictionErrors& errors, Chosen& chosen) const;
    void choose_of_unknown_size(Chosen& chosen);

    Forecaster& forecaster_;
    Progress& progress_;
    Countdown deadline_;
    const Seconds total_, contest_time_;
    // Hosts share uplinks: whether the model is right about full links is looked at first.
    const bool full_links_ = shares_uplinks(session()->profile);
    const bool times_;  // else what is not sure by prediction stays open
    const std::vector<Operation> operations_;
    const std::vector<Bytes> sizes_;
    std::deque<Lineup> lineups_;  // cells point to them
    CellTable cells_;
    std::set<const Cell*> looked_below_;
    // What steps took over what was expected, by kind, of short calls and of others.
    std::map<std::pair<Step::Kind, bool>, double> times_expected_;
};

// Those whose size all ranks know; of the others those with the same schedules, by which they are
// judged.
std::vector<Operation> WithinBudget::timed_operations() const {
    std::vector<Operation> timed;
    for (const Operation operation : operations_) {
        const Operation known = traits(operation).size_known ? operation : base(operation);
        if (std::find(timed.begin(), timed.end(), known) == timed.end()) timed.push_back(known);
    }
    return timed;
}

void WithinBudget::make_cells() {
    struct Asked {
        Lineup* lineup;
        Operation operation;
        Bytes bytes;
    };
    std::vector<Asked> asked;
    std::vector<Question> questions;
    for (Lineup& lineup : lineups_)
        for (const Bytes bytes : sizes_)
            for (const Operation operation : timed_operations()) {
                if (operation == Operation::barrier && bytes != sizes_.front()) continue;
                asked.push_back({&lineup, operation, bytes});
                questions.push_back({operation, bytes, lineup.host_of});
            }
    progress_.update(0.99, "predicting");
    forecaster_.answer(
        std::move(questions),
        deadline_.end() - std::chrono::duration_cast<Deadline::Clock::duration>(
                              std::chrono::duration<double>((1 - for_predicting) * total_)));
    for (const auto& [lineup, operation, bytes] : asked)
        cells_.usual().emplace_back(*lineup, operation, bytes,
                                    forecaster_.find({operation, bytes, lineup->host_of}));
}

static bool may_change_below(const Cell& cell) {
    const bool compared = cell.looks() > 0;
    if (cell.bytes() < least_below || !(compared || cell.native_timed())) return false;
    const Seconds eco = compared ? cell.timed().eco : cell.predicted();
    return cell.native() < change_matters * eco && eco < change_matters * cell.native();
}

Seconds WithinBudget::expected_cost(const Cell& cell, Step::Kind kind) const {
    const bool contest = kind == Step::Kind::contest || kind == Step::Kind::second_look;
    return contest ? cell.cost_of_contest(contest_time_) : cell.native() + cell.lineup().overhead;
}

double& WithinBudget::times_expected(const Cell& cell, Step::Kind kind) {
    return times_expected_.try_emplace({kind, cell.native() < short_call}, 1).first->second;
}

// No cell: nothing more is worth its time, or there is none. Collective.
WithinBudget::Step WithinBudget::most_worth() {
    const Seconds left = deadline_.left();
    cells_.guess_again();
    const PredictionErrors known = cells_.errors();
    Step best;
    for (Cell* each : cells_.all()) {
        Cell& cell = *each;
        const double slack =
            cell.native_timed() || cell.looks() > 0 ? slack_of_timed : slack_of_guessed;
        const auto consider = [&](Step::Kind kind, double benefit) {
            const Seconds cost = expected_cost(cell, kind) * times_expected(cell, kind);
            if (benefit < least_benefit || slack * cost > left) return;
            const double worth = benefit * cell.weight() / cost;
            if (worth > best.worth) best = {&cell, kind, worth};
        };
        if (cell.looks() == 0) {
            const double benefit = cells_.opinion_of(cell, known).benefit;
            consider(Step::Kind::contest, benefit);
            // If predictions are good, the library's time is all that is not known.
            const bool guessed = !cell.native_timed() && cell.native() > 0;
            if (guessed && cell.predicted() > 0) {
                const Opinion then = decide(
                    {cell.native(), uncertainty_of_few_runs, cell.predicted(), cell.unseen()},
                    known.of(cell.bytes(), cell.predicted_by()));
                consider(Step::Kind::native_alone, benefit - then.benefit);
            }
        } else if (cell.looks() == 1 && cell.timed().wins && cell.timed().native < short_call) {
            consider(Step::Kind::second_look, benefit_of_second_look);
        }
        if (looked_below_.count(&cell) == 0 && may_change_below(cell))
            consider(Step::Kind::below, benefit_below);
    }
    return agreed(best);
}

// What the first rank would do next: the benefit is not the same to the last bit on all hosts
// (verdict.h).
WithinBudget::Step WithinBudget::agreed(const Step& own) {
    const auto cells = cells_.all();
    const auto place = std::find(cells.begin(), cells.end(), own.cell) - cells.begin();
    const auto told = lineups_.front().start->of_first(
        {static_cast<double>(place), static_cast<double>(own.kind)});
    const auto chosen = static_cast<std::size_t>(told[0]);
    if (chosen == cells.size()) return {};
    return {cells[chosen], static_cast<Step::Kind>(static_cast<int>(told[1])), own.worth};
}

void WithinBudget::take(const Step& step) {
    const Seconds before = deadline_.left(), expected = expected_cost(*step.cell, step.kind);
    double& times = times_expected(*step.cell, step.kind);
    switch (step.kind) {
        case Step::Kind::native_alone:
            show(progress_, *step.cell, "timing native");
            step.cell->time_native(1, false, deadline_);
            break;
        case Step::Kind::contest:
            show(progress_, *step.cell, "comparing");
            step.cell->compare_with_native(contest_time_, 1, deadline_);
            break;
        case Step::Kind::second_look:
            show(progress_, *step.cell, "comparing");
            step.cell->confirm_winner(contest_time_, 1, deadline_);
            break;
        case Step::Kind::below:
            show(progress_, *step.cell, "timing native below");
            look_below(*step.cell);
            break;
    }
    times = (1 - weight_of_last) * times + weight_of_last * (before - deadline_.left()) / expected;
}

// What is predicted of the cell holds for the message that is little shorter.
void WithinBudget::look_below(Cell& cell) {
    looked_below_.insert(&cell);
    const Bytes bytes = cell.bytes() - cell.bytes() / just_below;
    Cell below(cell.lineup(), cell.operation(), bytes, cell.forecast());
    const bool is_short = cell.native() < short_call;
    below.time_native(is_short ? 3 : 1, is_short, deadline_);
    const double ratio = below.native() / cell.native();
    if (std::max(ratio, 1 / ratio) < has_changed) return;
    looked_below_.insert(&cells_.below().emplace_back(std::move(below)));
}

// Where nothing is sure of a long message, what is known of a shorter one counts (choose.cpp).
bool WithinBudget::is_left_to_shorter(const Cell& cell, const PredictionErrors& errors) const {
    return cell.bytes() > longest_in_any_case && cell.looks() == 0 &&
           cells_.opinion_of(cell, errors).verdict == Verdict::unsure;
}

Tuned WithinBudget::entry_of(const Cell& cell, const PredictionErrors& errors,
                             Chosen& chosen) const {
    Tuned entry;
    entry.mpi = library_name();
    entry.operation = traits(cell.operation()).name;
    entry.layout = cell.lineup().layout;
    entry.bytes = cell.operation() == Operation::barrier ? 0 : cell.bytes();
    entry.ranks_per_host = cell.lineup().ranks_per_host;
    entry.structure = cell.lineup().structure;
    entry.choice = "native";
    if (cell.looks() > 0) {
        ++chosen.timed;
        entry.native = cell.timed().native;
        entry.eco = cell.timed().eco;
        entry.noise = cell.timed().noise;
        if (cell.timed().wins) entry.choice = to_text(cell.timed().best);
        return entry;
    }
    const Opinion opinion = cells_.opinion_of(cell, errors);
    ++(opinion.verdict == Verdict::unsure ? chosen.open : chosen.predicted);
    entry.predicted = true;
    entry.derived = !cell.native_timed();
    entry.native = cell.native();
    entry.eco = opinion.gain > 0 ? cell.native() / opinion.gain : 0;
    if (opinion.verdict == Verdict::eco)
        entry.choice = to_text(cell.forecast()->choices.front().choice);
    return entry;
}

// With what is left: rarely more than little is gained.
void WithinBudget::choose_of_unknown_size(Chosen& chosen) {
    for (Lineup& lineup : lineups_)
        for (const Operation operation : operations_) {
            if (traits(operation).size_known) continue;
            std::vector<SizeExpected> sizes;
            for (const Cell& cell : cells_.usual())
                if (&cell.lineup() == &lineup && cell.operation() == base(operation))
                    sizes.push_back({cell.bytes(), cell.native()});
            Tuned entry;
            entry.mpi = library_name();
            entry.operation = traits(operation).name;
            entry.layout = lineup.layout;
            entry.bytes = -1;
            entry.choice = "native";
            entry.ranks_per_host = lineup.ranks_per_host;
            entry.structure = lineup.structure;
            entry.predicted = true;
            std::optional<Timed> timed;
            if (times_ && !sizes.empty()) {
                progress_.update(0.99, "comparing " + entry.operation);
                timed =
                    choose_for_all_sizes(lineup, operation, sizes, contest_time_ / 4, deadline_);
            }
            ++(timed ? chosen.timed : chosen.open);
            if (timed) {
                entry.predicted = false;
                entry.native = timed->native;
                entry.eco = timed->eco;
                entry.noise = timed->noise;
                if (timed->wins) entry.choice = to_text(timed->best);
            }
            chosen.entries.push_back(entry);
        }
}

Chosen WithinBudget::run() {
    check_all_take_part();
    line_up(lineups_, times_, progress_);
    make_cells();
    deadline_.agree_now();
    if (times_) {
        FirstTimings first(cells_, lineups_, total_, progress_, deadline_);
        first.time_short_sums();
        if (full_links_) first.compare_full_links();
        first.time_library();
        for (Step step = most_worth(); step.cell; step = most_worth()) take(step);
    }
    Chosen chosen;
    const PredictionErrors known = cells_.errors();
    chosen.errors = known;
    for (const Cell* cell : cells_.all())
        if (std::find(operations_.begin(), operations_.end(), cell->operation()) !=
                operations_.end() &&
            !is_left_to_shorter(*cell, known))
            chosen.entries.push_back(entry_of(*cell, known, chosen));
    choose_of_unknown_size(chosen);
    for (Lineup& lineup : lineups_) native().Comm_free(&lineup.comm);
    return chosen;
}

}  // namespace

Chosen choose_within(const Options& options, Forecaster& forecaster, Progress& progress,
                     const Deadline& deadline) {
    return WithinBudget(options, forecaster, progress, deadline).run();
}

}  // namespace eco
