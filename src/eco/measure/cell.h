// SPDX-License-Identifier: BSD-3-Clause
// One operation at one size, with the ranks in one order: the known times of the library and of
// ECO, and how each is timed in few runs. Used by within_budget.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "eco/measure/contest.h"
#include "eco/measure/deadline.h"
#include "eco/measure/library_guess.h"
#include "eco/measure/lineup.h"
#include "eco/simulate/prediction_error.h"

namespace eco {

class Cell {
public:
    // forecast: null if nothing is predicted. The lineup outlives the cell. Collective over it.
    Cell(Lineup& lineup, Operation operation, Bytes bytes, const Forecast* forecast);

    Lineup& lineup() const { return *lineup_; }
    Operation operation() const { return operation_; }
    Bytes bytes() const { return bytes_; }
    const Forecast* forecast() const { return forecast_; }
    Seconds predicted() const { return forecast_ ? forecast_->choices.front().time : 0; }
    // What the best by prediction sends.
    PredictionErrors::By predicted_by() const {
        return forecast_ && forecast_->choices.front().choice.is_mcast()
                   ? PredictionErrors::By::multicasts
                   : PredictionErrors::By::messages;
    }
    Seconds baseline() const { return forecast_ ? forecast_->baseline : 0; }
    // Whether schedules are among its candidates that no simulation judges.
    bool unseen() const { return unseen_; }

    // Of the library: what it took at least (in long calls with a root: in the mean), or is thought
    // to take; 0: not known.
    Seconds native() const { return native_; }
    bool native_timed() const { return !natives_.empty() || looks_ > 0; }
    void guess_native(LibraryGuess guess) {
        native_ = guess.time;
        guessed_ = guess.from_timed ? guess.time : 0;
    }
    // What was thought before it was timed, from what a similar call took; 0: nothing.
    Seconds guessed() const { return guessed_; }

    // The library alone; as all that follows collective, and over at the deadline: once each choice
    // has run, nothing begins that would end later.
    void time_native(int runs, bool warm_up, Countdown& deadline);

    // Of what is gained here, beside other cells.
    double weight() const;

    // What judging the best candidates beside the library takes, about.
    Seconds cost_of_contest(Seconds allowance) const;

    // The best candidates beside the library, fewer of them and fewer runs the longer they take.
    // patience: so many times as many runs at most, as long as it is not clear which is faster.
    void compare_with_native(Seconds allowance, int patience, Countdown& deadline);

    // Times the winner once more beside the library, of short calls: native if it is slower then.
    void confirm_winner(Seconds allowance, int patience, Countdown& deadline);

    int looks() const { return looks_; }
    const Timed& timed() const { return timed_; }

    // Measured over predicted, of what was predicted to be the best and then timed; 0: none.
    double error() const { return error_; }

private:
    std::size_t contestants(Seconds allowance) const;
    Seconds run_time() const;
    void run(std::vector<Sampled>& patterns, Effort effort, bool warm_up, Countdown& deadline);
    // Of the library and one choice: whether the choice is surely faster in these runs.
    bool run_until_clear(std::vector<Sampled>& patterns, const Effort& effort, int patience,
                         bool warm_up, Countdown& deadline);
    void note_error(const std::vector<Sampled>& patterns);

    Lineup* lineup_;
    Operation operation_;
    Bytes bytes_;
    const Forecast* forecast_;
    std::vector<Choice> field_;
    bool unseen_ = false;
    std::vector<Seconds> natives_;
    Seconds native_ = 0, guessed_ = 0;
    std::vector<Sampled> patterns_;  // of the contest's end
    Timed timed_;
    int looks_ = 0;
    double error_ = 0;
};

}  // namespace eco
