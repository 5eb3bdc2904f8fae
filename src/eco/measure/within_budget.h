// SPDX-License-Identifier: BSD-3-Clause
// Chooses between the library and ECO for each operation, size and rank order within a time budget.
// The library's collectives are timed in few runs; ECO's schedules are predicted; the error of
// predictions on this network is found from some that are timed; uncertain choices are timed
// against native, those with the most benefit per second first. What is uncertain at the end is
// left to the library. Called by `eco measure` and `eco tune --within`.
#pragma once

#include "eco/measure/deadline.h"
#include "eco/measure/forecaster.h"
#include "eco/measure/options.h"
#include "eco/measure/protocol.h"
#include "eco/simulate/prediction_error.h"

namespace eco {

struct Chosen {
    std::vector<Tuned> entries;
    PredictionErrors errors;
    std::size_t timed = 0, predicted = 0, open = 0;  // choices: by timing both, sure without, left
};

// Needs a session with the profile. Collective over MPI_COMM_WORLD; the same on all ranks. Nothing
// is begun that would take longer than is left.
Chosen choose_within(const Options& options, Forecaster& forecaster, Progress& progress,
                     const Deadline& deadline);

}  // namespace eco
