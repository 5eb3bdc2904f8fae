// SPDX-License-Identifier: BSD-3-Clause
// All cells, and what those that were timed tell of the others: what the library takes where it was
// not timed, and how far predictions may be trusted. Used by within_budget.
#pragma once

#include <deque>
#include <vector>

#include "eco/measure/cell.h"
#include "eco/measure/library_guess.h"
#include "eco/simulate/prediction_error.h"
#include "eco/simulate/verdict.h"

namespace eco {

// Of a library's time in few runs, at another time than ECO's.
inline constexpr double uncertainty_of_few_runs = 1.05;

class CellTable {
public:
    // full_links: how far predictions err is to be known apart for messages that keep links full,
    // and for multicasts: where hosts share uplinks.
    explicit CellTable(bool full_links) : full_links_(full_links) {}

    // Of the sizes that were asked for. Cells stay where they are when others are added.
    std::deque<Cell>& usual() { return usual_; }
    const std::deque<Cell>& usual() const { return usual_; }
    // Just below one of them, where the library changes its algorithm.
    std::deque<Cell>& below() { return below_; }
    std::vector<Cell*> all();

    // What the library takes, from what was timed of it (library_guess.h); and whether anything was
    // that is like it.
    LibraryGuess expected_native(const Cell& cell) const;
    bool has_similar(const Cell& cell) const;

    // Guesses all that were not timed, by what is known now.
    void guess_again();

    PredictionErrors errors() const;
    Opinion opinion_of(const Cell& cell, const PredictionErrors& errors) const;

private:
    std::vector<LibraryCall> library_calls() const;
    double uncertainty_of_guess(Bytes bytes) const;

    bool full_links_;
    std::deque<Cell> usual_, below_;
};

}  // namespace eco
