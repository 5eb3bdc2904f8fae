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

static LibraryCall call_of(const Cell& cell) {
    return {cell.operation(), cell.bytes(), cell.lineup().layout == "near", cell.baseline(),
            cell.native_timed() ? cell.native() : 0};
}

std::vector<LibraryCall> CellTable::library_calls() const {
    std::vector<LibraryCall> calls;
    for (const Cell& cell : usual_) calls.push_back(call_of(cell));
    return calls;
}

LibraryGuess CellTable::expected_native(const Cell& cell) const {
    const auto calls = library_calls();
    const LibraryCall call = call_of(cell);
    return guess(call, similar_call(call, calls));
}

bool CellTable::has_similar(const Cell& cell) const {
    const auto calls = library_calls();
    return similar_call(call_of(cell), calls) != nullptr;
}

void CellTable::guess_again() {
    const auto calls = library_calls();
    for (Cell& cell : usual_) {
        const LibraryCall call = call_of(cell);
        if (!cell.native_timed()) cell.guess_native(guess(call, similar_call(call, calls)));
    }
}

PredictionErrors CellTable::errors() const {
    PredictionErrors errors;
    // From cells whose best schedule is of one of these classes.
    const auto of = [&](std::vector<const PredictionError*> classes) {
        std::vector<double> ratios, libraries;
        for (const Cell& cell : usual_) {
            if (std::count(classes.begin(), classes.end(),
                           &errors.of(cell.bytes(), cell.predicted_by())) == 0)
                continue;
            if (cell.error() > 0) ratios.push_back(cell.error());
            if (cell.native_timed() && cell.baseline() > 0)
                libraries.push_back(cell.native() / cell.baseline());
        }
        return error_of(std::move(ratios), std::move(libraries));
    };
    errors.tiny = of({&errors.tiny});
    errors.brief = of({&errors.brief});
    const PredictionError all = of({&errors.lengthy, &errors.full, &errors.multicast});
    errors.lengthy = errors.full = errors.multicast = all;
    if (!full_links_) return errors;
    // What multicasts err by says nothing of messages: with MPICH on ports of 100 Mbit/s they took
    // twice the time predicted.
    const PredictionError messages = of({&errors.lengthy, &errors.full});
    if (messages.known()) errors.lengthy = errors.full = messages;
    // Both take the links' time, and the shorter ones that of hosts as well.
    const PredictionError lengthy = of({&errors.lengthy}), full = of({&errors.full}),
                          multicast = of({&errors.multicast});
    if (lengthy.samples > few_comparisons) errors.lengthy = lengthy;
    if (full.samples > few_comparisons) errors.full = full;
    // What shows that they err by more than others counts, also of few.
    if (multicast.known() && multicast.bias > all.bias * all.margin) errors.multicast = multicast;
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
                             errors.of(cell.bytes(), cell.predicted_by()));
    // A guess from no timed call of the library, or from lengths alone, is never sure.
    const bool from_timed = cell.native_timed() || (cell.baseline() > 0 && has_similar(cell));
    if (opinion.verdict == Verdict::eco && !from_timed) opinion.verdict = Verdict::unsure;
    return opinion;
}

}  // namespace eco
