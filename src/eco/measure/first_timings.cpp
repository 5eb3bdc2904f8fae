// SPDX-License-Identifier: BSD-3-Clause
#include "eco/measure/first_timings.h"

#include <algorithm>
#include <tuple>
#include <vector>

namespace eco {

namespace {

// Shares of all time that was given.
constexpr double for_one_contest = 0.012;
constexpr double for_one_call = 0.03;  // of the library; longer ones are not timed but guessed
// Eight sums that are not clear would take all of it. On campus-20 they and the library's times
// left nothing for broadcasts that are nine times faster.
constexpr double for_short_sums = 0.3;
constexpr double for_one_comparison = 0.04, for_comparisons = 0.12;
// Of what is left after these.
constexpr double for_library = 0.35;

constexpr Seconds least_contest = 0.1, most_contest = 2;

// Programs keep the order in which their sums are added up, so they learn nothing of them
// (docs/learning.md); and sums of a few numbers are what solvers wait for.
constexpr Bytes longest_short_sum = 1024;

// Such calls vary by a third to a half of what they take (three-segments, 16 B): 24 runs do not
// tell 1.9 ms from 2.6, 100 do.
constexpr int patience_of_sums = 4, patience = 1;

// Links that are full: whether the model is right about them is to be known early, since then most
// of what is not timed is sure. One more comparison than few. A multicast is compared as well.
constexpr int comparisons_of_full = few_comparisons + 2;

constexpr double slow_once = 1.5;  // times what a similar call took

bool is_short_sum(const Cell& cell) {
    const Operation operation = base(cell.operation());
    return (operation == Operation::allreduce || operation == Operation::reduce) &&
           cell.bytes() <= longest_short_sum;
}

// A long call may be slow once: of allgatherv of 16 KiB with MPICH one took 1.08 s, others 0.47,
// and reports claimed what that one took.
bool is_slow_once(const Cell& cell) {
    return cell.guessed() > 0 && cell.native() > slow_once * cell.guessed();
}

}  // namespace

Seconds time_of_contest(Seconds total) {
    return std::clamp(for_one_contest * total, least_contest, most_contest);
}

void show(Progress& progress, const Cell& cell, const char* doing) {
    progress.update(0.99, std::string(doing) + " " + std::string(traits(cell.operation()).name) +
                              " " + std::to_string(cell.bytes()) + " B");
}

void FirstTimings::time_short_sums() {
    const Seconds enough = deadline_.left() - for_short_sums * total_;
    for (Cell& cell : cells_.usual()) {
        if (!is_short_sum(cell) || cell.predicted() <= 0) continue;
        if (deadline_.left() < enough) return;
        cell.guess_native(cells_.expected_native(cell));
        if (slack_of_guessed * cell.cost_of_contest(contest_time_) > deadline_.left()) continue;
        show(progress_, cell, "comparing");
        cell.compare_with_native(contest_time_, patience_of_sums, deadline_);
        if (cell.timed().wins && slack_of_timed * contest_time_ < deadline_.left())
            cell.confirm_winner(contest_time_, patience_of_sums, deadline_);
    }
}

void FirstTimings::compare_full_links() {
    constexpr Operation first[] = {Operation::bcast,          Operation::allgather,
                                   Operation::reduce_scatter, Operation::allreduce,
                                   Operation::reduce,         Operation::alltoall};
    int compared = 0;
    const Seconds enough = deadline_.left() - for_comparisons * total_;
    for (Lineup& lineup : lineups_)
        for (const Operation operation : first) {
            std::vector<Cell*> cells;
            for (Cell& cell : cells_.usual())
                if (&cell.lineup() == &lineup && cell.operation() == operation &&
                    cell.predicted() > 0 && cell.looks() == 0)
                    cells.push_back(&cell);
            std::stable_sort(cells.begin(), cells.end(),
                             [](const Cell* a, const Cell* b) { return a->bytes() > b->bytes(); });
            for (Cell* cell : cells) {
                const bool multicasts = cell->predicted_by() == PredictionErrors::By::multicasts;
                if (cell->bytes() <= (multicasts ? PredictionErrors::longest_brief
                                                 : PredictionErrors::longest_lengthy))
                    break;
                cell->guess_native(cells_.expected_native(*cell));
                const Seconds cost = cell->cost_of_contest(contest_time_);
                if (cost > for_one_comparison * total_ || deadline_.left() - cost < enough)
                    continue;
                show(progress_, *cell, "comparing");
                cell->compare_with_native(contest_time_, patience, deadline_);
                if (++compared == comparisons_of_full) return;
                break;
            }
        }
}

void FirstTimings::time_library() {
    std::vector<Cell*> order;
    for (Cell& cell : cells_.usual()) order.push_back(&cell);
    std::stable_sort(order.begin(), order.end(), [](const Cell* a, const Cell* b) {
        return std::tuple{-a->weight(), a->bytes(), a->baseline()} <
               std::tuple{-b->weight(), b->bytes(), b->baseline()};
    });
    const Seconds reserve = (1 - for_library) * deadline_.left();
    for (Cell* cell : order) {
        if (cell->looks() > 0) continue;
        const LibraryGuess guessed = cells_.expected_native(*cell);
        const Seconds guess = guessed.time;
        const bool is_short = guess < short_call;
        const int runs = is_short ? 3 : traits(cell->operation()).rooted() && guess < 0.2 ? 2 : 1;
        const auto is_time_for = [&](int count, Seconds each) {
            return each <= for_one_call * total_ &&
                   deadline_.left() - (count + 1) * (each + cell->lineup().overhead) >= reserve;
        };
        cell->guess_native(guessed);
        if (!is_time_for(runs, guess)) continue;
        show(progress_, *cell, "timing native");
        cell->time_native(runs, is_short, deadline_);
        if (runs == 1 && is_slow_once(*cell) && is_time_for(1, cell->native()))
            cell->time_native(1, false, deadline_);
    }
}

}  // namespace eco
