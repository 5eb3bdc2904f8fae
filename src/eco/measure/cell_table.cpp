// SPDX-License-Identifier: BSD-3-Clause
#include "eco/measure/cell_table.h"

#include <algorithm>

namespace eco {

namespace {

// A call that was not timed takes so many times less than guessed at most: where too few guesses of
// its size were followed by a timing; and at least.
constexpr double usual_uncertainty_of_guess = 1.5, least_uncertainty_of_guess = 1.1;
constexpr std::size_t guesses_to_know = 4;

}  // namespace

std::vector<Cell*> CellTable::all() {
    std::vector<Cell*> all;
    for (auto* cells : {&usual_, &below_})
        for (Cell& cell : *cells) all.push_back(&cell);
    return all;
}

Seconds CellTable::expected_native(const Cell& cell) const {
    const Cell* kin = kin_of(cell);
    if (!kin) return cell.baseline();
    if (cell.baseline() > 0 && kin->baseline() > 0)
        return kin->native() * std::max(1.0, cell.baseline() / kin->baseline());
    return kin->native() * static_cast<double>(cell.bytes()) /
           static_cast<double>(std::max<Bytes>(kin->bytes(), 1));
}

const Cell* CellTable::kin_of(const Cell& cell) const {
    const Cell* shorter = nullptr;
    for (const Cell& other : usual_) {
        if (other.operation() != cell.operation() || !other.native_timed()) continue;
        if (&other.lineup() != &cell.lineup()) {
            if (other.bytes() == cell.bytes() && other.lineup().layout == "near") return &other;
        } else if (other.bytes() < cell.bytes() && (!shorter || other.bytes() > shorter->bytes())) {
            shorter = &other;
        }
    }
    return shorter;
}

void CellTable::guess_again() {
    for (Cell& cell : usual_)
        if (!cell.native_timed()) cell.guess_native(expected_native(cell));
}

PredictionErrors CellTable::errors() const {
    PredictionErrors errors;
    for (PredictionError* error : {&errors.tiny, &errors.brief, &errors.lengthy}) {
        std::vector<double> ratios, libraries;
        for (const Cell& cell : usual_) {
            if (&errors.of(cell.bytes()) != error) continue;
            if (cell.error() > 0) ratios.push_back(cell.error());
            if (cell.native_timed() && cell.baseline() > 0)
                libraries.push_back(cell.native() / cell.baseline());
        }
        *error = error_of(std::move(ratios), std::move(libraries));
    }
    return errors;
}

// By how many times less than guessed the library took, in nine cases of ten.
double CellTable::uncertainty_of_guess(Bytes bytes) const {
    std::vector<double> ratios;
    for (const Cell& cell : usual_)
        if (cell.bytes() == bytes && cell.native_timed() && cell.guessed() > 0)
            ratios.push_back(cell.guessed() / cell.native());
    if (ratios.size() < guesses_to_know) return usual_uncertainty_of_guess;
    return std::max(least_uncertainty_of_guess, high_quantile(std::move(ratios)));
}

Opinion CellTable::opinion_of(const Cell& cell, const PredictionErrors& errors) const {
    const double uncertainty =
        cell.native_timed() ? uncertainty_of_few_runs : uncertainty_of_guess(cell.bytes());
    Opinion opinion = decide({cell.native(), uncertainty, cell.predicted(), cell.unseen()},
                             errors.of(cell.bytes()));
    // A guess that leans on no timed call of the library, or on lengths alone, is never sure.
    const bool leans = cell.native_timed() || (cell.baseline() > 0 && kin_of(cell));
    if (opinion.verdict == Verdict::eco && !leans) opinion.verdict = Verdict::unsure;
    return opinion;
}

}  // namespace eco
